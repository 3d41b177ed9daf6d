// The editor: YASQE, with completion from this store's own statistics.

import { Yasqe } from "@zazuko/yasqe";
import "@zazuko/yasqe/build/yasqe.min.css";
import { h, short } from "./dom.js";
import { prefixes, shorten } from "./names.js";

/** candidates are what can be completed: [{iri, count}], most frequent first. */
const candidates = { property: [], class: [] };

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** offer sets the completions. */
export function offer(schema) {
  candidates.class = schema.classes.map((c) => ({ iri: c.iri, count: c.members }));
  candidates.property = schema.predicates.map((p) => ({ iri: p.iri, count: p.triples }));
}

/** matching ranks the candidates for what has been typed: beginnings of the IRI or local name first, then parts. */
function matching(list, typed, written) {
  if (!typed) return list.slice(0, 60).map((c) => c.iri);
  const words = [typed.toLowerCase(), (written ?? typed).toLowerCase()];
  const ranked = [];
  for (const { iri, count } of list) {
    const parts = shorten(iri);
    const forms = [iri.toLowerCase(), parts ? `${parts[0]}:${parts[1]}`.toLowerCase() : "", (parts?.[1] ?? "").toLowerCase()];
    if (words.some((w) => forms.some((f) => f.startsWith(w)))) ranked.push({ iri, rank: 1e15 + count });
    else if (words.some((w) => w.length > 1 && forms.some((f) => f.includes(w)))) ranked.push({ iri, rank: count });
  }
  return ranked.sort((a, b) => b.rank - a.rank).slice(0, 60).map((c) => c.iri);
}

function completer(kind) {
  return {
    name: `store-${kind}`,
    bulk: false,
    autoShow: true,
    get: (_yasqe, token) => matching(candidates[kind], token.autocompletionString?.replace(/^[<a]$/, ""), token.string.replace(/^[<a]$/, "").trim()),
    postProcessSuggestion: (_yasqe, _token, iri) => `<${iri}>`,
    postprocessHints: (yasqe, hints) => hints.map((hint) => dress(yasqe, kind, hint)),
  };
}

/** dress shows a completion with its count, and declares its prefix when it is taken. */
function dress(yasqe, kind, hint) {
  const iri = hint.text.slice(1, -1);
  const parts = shorten(iri);
  const entry = candidates[kind].find((c) => c.iri === iri);
  hint.text = kind === "property" && iri === rdfType ? "a" : parts ? `${parts[0]}:${parts[1]}` : hint.text;
  hint.render = (element) => element.append(h("span", { class: "what" }, hint.text), h("span", { class: "many" }, entry ? short(entry.count) : ""));
  hint.hint = (editor, data) => {
    editor.getDoc().replaceRange(hint.text, hint.from ?? data.from, hint.to ?? data.to, "complete");
    if (parts && hint.text !== "a") declarePrefix(yasqe, parts[0], parts[2]);
  };
  return hint;
}

function declarePrefix(yasqe, prefix, namespace) {
  if (yasqe.getPrefixesFromQuery()[prefix] === undefined) yasqe.addPrefixes({ [prefix]: namespace });
}

let registered = false;

function register() {
  if (registered) return;
  registered = true;
  Yasqe.forkAutocompleter("property", completer("property"), false);
  Yasqe.forkAutocompleter("class", completer("class"), false);
  Yasqe.forkAutocompleter("prefixes", {
    name: "store-prefixes",
    persistenceId: null,
    get: () => [...prefixes].map(([prefix, namespace]) => `${prefix}: <${namespace}>`).sort(),
  }, false);
}

/** Editor wraps YASQE. */
export class Editor {
  constructor(container, { text, run, change }) {
    register();
    this.yasqe = new Yasqe(container, {
      value: text,
      persistenceId: null,
      consumeShareLink: null,
      createShareableLink: () => location.href,
      showQueryButton: false,
      resizeable: false,
      editorHeight: "100%",
      pluginButtons: () => [],
      autocompleters: ["variables", "store-prefixes", "store-property", "store-class"],
      viewportMargin: Infinity,
    });
    const keys = { "Ctrl-Enter": run, "Cmd-Enter": run };
    this.yasqe.setOption("extraKeys", { ...this.yasqe.getOption("extraKeys"), ...keys });
    this.yasqe.getInputField().setAttribute("aria-label", "SPARQL query");
    this.yasqe.on("change", change);
    this.marks = [];
  }

  get text() {
    return this.yasqe.getValue();
  }

  set text(value) {
    this.yasqe.setValue(value);
  }

  get prefixes() {
    try {
      return this.yasqe.getPrefixesFromQuery();
    } catch {
      return {};
    }
  }

  focus() {
    this.yasqe.focus();
  }

  refresh() {
    this.yasqe.refresh();
  }

  tidy() {
    this.yasqe.autoformat();
  }

  /** insert puts an IRI at the cursor, by its short name where there is one. */
  insert(iri) {
    const parts = shorten(iri);
    this.yasqe.getDoc().replaceSelection(parts ? `${parts[0]}:${parts[1]}` : `<${iri}>`);
    if (parts) declarePrefix(this.yasqe, parts[0], parts[2]);
    this.yasqe.focus();
  }

  /** point marks the place of an error, from 1; without one it takes the marks away. */
  point(line, column) {
    for (const mark of this.marks) mark.clear();
    this.marks = [];
    if (!line) return;
    const doc = this.yasqe.getDoc();
    const text = doc.getLine(line - 1) ?? "";
    const from = Math.min(column - 1, Math.max(0, text.length - 1));
    const word = /^[^\s{}().;,]+|^./.exec(text.slice(from))?.[0] ?? " ";
    this.marks.push(doc.markText({ line: line - 1, ch: from }, { line: line - 1, ch: from + word.length }, { className: "fault" }));
  }
}

/** declared writes the PREFIX lines that IRIs need, and returns them with a function that shortens. */
export function writer() {
  const used = new Map();
  const write = (iri) => {
    if (iri === rdfType) return "a";
    const parts = shorten(iri);
    if (!parts) return `<${iri}>`;
    used.set(parts[0], parts[2]);
    return `${parts[0]}:${parts[1]}`;
  };
  const head = () => [...used].map(([prefix, namespace]) => `PREFIX ${prefix}: <${namespace}>\n`).join("");
  return { write, head };
}
