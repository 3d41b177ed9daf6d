// The server's addresses, relative to the page, so that it works behind a proxy under any path.

import { h } from "./dom.js";

/** Refusal is an error that the server explained: an RFC 9457 problem. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }
}

const tokenKey = "rdfgpu-token";

export const token = () => sessionStorage.getItem(tokenKey);

/** askToken asks for the server's token, once however many requests wait for it. */
let asking;
function askToken() {
  asking ??= new Promise((resolve) => {
    const input = h("input", { type: "password", autocomplete: "current-password", "aria-label": "Token", placeholder: "Token" });
    const dialog = h("dialog", { class: "ask" },
      h("form", { method: "dialog" }, h("h2", {}, "This server wants a token"), input,
        h("button", { class: "run", value: "ok" }, "Continue")));
    dialog.addEventListener("close", () => {
      sessionStorage.setItem(tokenKey, input.value);
      dialog.remove();
      asking = undefined;
      resolve(input.value !== "");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}

/** call fetches, shows the token, and turns error statuses into a Refusal. */
export async function call(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token()) headers.Authorization = `Bearer ${token()}`;
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401 && (await askToken())) return call(path, options);
  if (response.ok) return response;
  let problem = { status: response.status, title: response.statusText };
  try {
    problem = await response.json();
  } catch {
    // not one of ours: a proxy's page
  }
  throw new Refusal(problem);
}

export const json = async (path, options) => (await call(path, options)).json();

/** query sends a query; settings become parameters of the endpoint. */
export function query(text, settings, accept, signal) {
  const body = new URLSearchParams({ query: text });
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) body.set(name, value);
  return call("sparql", { method: "POST", body, signal, headers: accept ? { Accept: accept } : {} });
}

/** explain asks for the plan; with analyze the query is run and measured. */
export async function explain(text, settings, analyze, signal) {
  return (await query(text, { ...settings, explain: analyze ? "analyze" : "plan" }, undefined, signal)).json();
}

/** graph asks for the plan of a query that is being typed: {explanation} or {problem}. */
export async function graph(text, settings, signal) {
  const body = new URLSearchParams({ query: text });
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) body.set(name, value);
  return json("api/graph", { method: "POST", body, signal });
}

/** answerTypes: JSON for solutions and booleans, N-Triples for graphs. */
export const answerTypes = "application/sparql-results+json, application/n-triples;q=0.9, application/problem+json;q=0.1";

/**
 * read reads an answer as it arrives and calls grow each time there is more of it. The server writes one solution a
 * line, so lines can be read before the whole is there.
 */
export async function read(response, grow) {
  const answer = { kind: "solutions", variables: [], rows: [], total: undefined, bytes: 0, raw: "" };
  const triples = (response.headers.get("Content-Type") ?? "").startsWith("application/n-triples");
  if (triples) Object.assign(answer, { kind: "triples", variables: ["subject", "predicate", "object"] });
  const take = triples ? takeTriple : takeLine;
  const stream = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await stream.read();
    const text = rest + (value ?? "");
    const lines = text.split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) take(answer, line);
    if (!triples && rest.startsWith("{") && rest.endsWith("}") && whole(rest)) {
      take(answer, rest);
      rest = "";
    }
    if (value) {
      answer.bytes += value.length;
      if (answer.raw.length < 2_000_000) answer.raw += value;
    }
    grow(answer, done);
    if (done) break;
  }
  const rows = response.headers.get("X-Rdfgpu-Rows");
  answer.total ??= rows !== null ? Number(rows) : undefined;
  answer.timing = response.headers.get("Server-Timing");
  return answer;
}

/** whole reports whether the last line is there to its end, though its line break is not. */
function whole(line) {
  try {
    JSON.parse(line);
    return !line.startsWith('{"head"');
  } catch {
    return false;
  }
}

function takeLine(answer, line) {
  if (line.startsWith('{"head"')) {
    const open = line.endsWith("[") ? "]}}" : "";
    const head = JSON.parse(line + open);
    answer.variables = head.head.vars ?? [];
    if (typeof head.boolean === "boolean") Object.assign(answer, { kind: "boolean", boolean: head.boolean });
  } else if (line.startsWith("{")) {
    answer.rows.push(JSON.parse(line.endsWith(",") ? line.slice(0, -1) : line));
  } else if (line.startsWith("]")) {
    const rows = /"rows":(\d+)/.exec(line);
    if (rows) answer.total = Number(rows[1]);
  }
}

const nt = /^(<[^>]*>|_:\S+)\s+(<[^>]*>)\s+(.*?)\s*\.$/;

function takeTriple(answer, line) {
  const parts = nt.exec(line);
  if (!parts) return;
  answer.rows.push({ subject: term(parts[1]), predicate: term(parts[2]), object: term(parts[3]) });
}

/** term reads a term in N-Triples syntax into the JSON results form. */
export function term(text) {
  if (text.startsWith("<")) return { type: "uri", value: unescape(text.slice(1, -1)) };
  if (text.startsWith("_:")) return { type: "bnode", value: text.slice(2) };
  const end = text.lastIndexOf('"');
  const literal = { type: "literal", value: unescape(text.slice(1, end)) };
  const rest = text.slice(end + 1);
  if (rest.startsWith("@")) literal["xml:lang"] = rest.slice(1);
  if (rest.startsWith("^^")) literal.datatype = rest.slice(3, -1);
  return literal;
}

const escapes = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f" };

function unescape(text) {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g, (_, four, eight, one) =>
    one ? (escapes[one] ?? one) : String.fromCodePoint(parseInt(four ?? eight, 16)));
}
