// The worker: it takes an answer's bytes, keeps the answer as columns, and gives out the parts that are looked at.

import { Columns } from "./columns.js";
import { term } from "./ntriples.js";

/** rawLimit is how many characters are kept as they came. */
const rawLimit = 200_000;
/** tellAfter is how often, in milliseconds, the page hears that the answer has grown. */
const tellAfter = 200;

const decoder = new TextDecoder();
let triples = false;
let head = {};
let columns;
let total;
let bytes = 0;
let raw = "";
let rest = "";
let told = 0;

const nt = /^(<[^>]*>|_:\S+)\s+(<[^>]*>)\s+(.*?)\s*\.$/;

const takers = {
  json(line) {
    if (line.startsWith('{"head"')) return takeHead(line);
    if (line.startsWith("{")) columns.push(JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line));
    else if (line.startsWith("]")) total = Number(/"rows":(\d+)/.exec(line)?.[1] ?? columns.length);
  },
  triples(line) {
    const parts = nt.exec(line);
    if (parts) columns.push({ subject: term(parts[1]), predicate: term(parts[2]), object: term(parts[3]) });
  },
};

function takeHead(line) {
  const found = JSON.parse(line + (line.endsWith("[") ? "]}}" : ""));
  head = typeof found.boolean === "boolean" ? { kind: "boolean", boolean: found.boolean } : { kind: "solutions" };
  columns = new Columns(found.head.vars ?? []);
}

/** whole reports whether the last line is there to its end, though its line break is not. */
function whole(line) {
  if (!line.startsWith("{") || !line.endsWith("}") || line.startsWith('{"head"')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function read(text, last) {
  const take = triples ? takers.triples : takers.json;
  const lines = (rest + text).split("\n");
  rest = last ? "" : lines.pop();
  for (const line of lines) take(line);
  if (!triples && whole(rest)) {
    take(rest);
    rest = "";
  }
}

function tell(done) {
  told = performance.now();
  postMessage({ op: "grown", done, ...head, variables: columns?.variables ?? [], loaded: columns?.length ?? 0, total, bytes,
    languages: columns?.terms.languages() ?? [] });
}

/** calls are what the page may ask. */
const calls = {
  window: (from, to) => columns.window(from, to),
  arrange: (arrangement) => columns.arrange(arrangement),
  text: (...given) => columns.text(...given),
  series: (...given) => columns.series(...given),
  group: (...given) => columns.group(...given),
  profile: () => columns?.profile() ?? [],
  raw: () => raw,
};

const messages = {
  begin(message) {
    triples = message.triples;
    if (triples) {
      head = { kind: "triples" };
      columns = new Columns(["subject", "predicate", "object"]);
    }
  },
  chunk({ buffer }) {
    const text = decoder.decode(buffer, { stream: true });
    bytes += buffer.byteLength;
    if (raw.length < rawLimit) raw += text.slice(0, rawLimit - raw.length);
    read(text, false);
    if (performance.now() - told > tellAfter) tell(false);
  },
  end() {
    read(decoder.decode(), true);
    total ??= columns?.length;
    tell(true);
  },
  call({ id, method, given }) {
    try {
      postMessage({ op: "result", id, value: calls[method](...given) });
    } catch (error) {
      postMessage({ op: "result", id, error: error.message });
    }
  },
};

onmessage = ({ data }) => messages[data.op](data);
