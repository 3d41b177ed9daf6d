// Completion: what is in the store at this place of the query, most frequent first.

import { h, short } from "./dom.js";
import { prefixes, allPrefixes, shorten, name } from "./names.js";
import { select } from "./api.js";
import { tokens, telling } from "./lexer.js";
import { place, classesOf, around } from "./pattern.js";
import { written } from "./ntriples.js";

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** shown is how many completions are offered; patience is how long the server may look for them. */
const shown = 60;
const patience = "1500ms";
/** sample is how many subjects are looked at for what joins with them. */
const sample = 3000;
/** mostKept is how many of the server's answers are kept. */
const mostKept = 300;

let schema = { classes: [], predicates: [], links: [] };
const asked = new Map();

/** offer sets what the store holds. */
export function offer(known) {
  schema = known;
  asked.clear();
}

/** Suggestion kinds: an IRI or a term with a count; text is what is written. */
const iri = (value, count) => ({ iri: value, count });

/** suggest lists what fits at the cursor. */
async function suggest(yasqe) {
  const doc = yasqe.getDoc();
  const text = yasqe.getValue();
  const at = place(text, doc.indexFromPos(doc.getCursor()));
  const typed = at.token.text;
  const range = { from: doc.posFromIndex(at.token.from), to: doc.posFromIndex(Math.max(at.token.to, at.token.from)) };
  const list = await (finders[at.kind] ?? (() => []))(at, yasqe, typed);
  return { list, range, kind: at.kind };
}

const finders = {
  subject: (at, yasqe, typed) => (typed.startsWith("?") ? variables(yasqe, typed) : []),
  variable: (at, yasqe, typed) => variables(yasqe, typed),
  value: (at, yasqe, typed) => variables(yasqe, typed || "?"),
  prefix: (at, yasqe, typed) => allPrefixes().filter(([p]) => p.startsWith(typed.replace(":", ""))).map(([p, ns]) => ({ text: `${p}: <${ns}>` })),
  predicate: async (at, yasqe, typed) => ranked(merged(await joining(at, yasqe), schema.predicates.map((p) => iri(p.iri, p.triples))), typed, yasqe),
  object: async (at, yasqe, typed) => {
    if (at.part[1] === "a") return ranked(merged(await joiningClasses(at, yasqe), schema.classes.map((c) => iri(c.iri, c.members))), typed, yasqe);
    if (typed.startsWith("?")) return variables(yasqe, typed);
    return ranked(await values(at, yasqe, typed), typed, yasqe);
  },
};

function variables(yasqe, typed) {
  const names = new Set(telling(tokens(yasqe.getValue())).filter((t) => t.kind === "variable").map((t) => t.text));
  names.delete(typed);
  return [...names].filter((v) => v.slice(1).toLowerCase().startsWith(typed.slice(1).toLowerCase())).sort().map((text) => ({ text }));
}

/** merged puts what fits here before what is there at all. */
function merged(near, all) {
  if (!near) return all;
  const met = new Set(near.map((c) => c.iri));
  return [...near.map((c) => ({ ...c, near: true })), ...all.filter((c) => !met.has(c.iri))];
}

/** prologue is the declarations of the query, for queries made of its parts; those that only the workbench knows come with it. */
function prologue(yasqe) {
  const declared = yasqe.getPrefixesFromQuery();
  return Object.entries({ ...Object.fromEntries(prefixes), ...declared }).map(([p, ns]) => `PREFIX ${p}: <${ns}>`).join("\n");
}

const line = (t) => `${t.s} ${t.p} ${t.o} .`;

/** fetched asks once for each text; a query that takes too long counts as no answer. */
async function fetched(text) {
  if (asked.size > mostKept) asked.clear();
  if (!asked.has(text)) asked.set(text, select(text, { timeout: patience }).catch(() => undefined));
  return asked.get(text);
}

/** joining are the predicates of what the subject can be, by the rest of the pattern; undefined where nothing limits it. */
async function joining(at, yasqe) {
  const [subject] = at.part;
  const fixed = !/^[?$]/.test(subject);
  const context = fixed ? [] : around(at.triples, subject);
  if (!fixed && !context.length) return undefined;
  const rows = await fetched(`${prologue(yasqe)}
SELECT ?p_ (COUNT(*) AS ?n_) WHERE { ${fixed ? "" : `{ SELECT DISTINCT ${subject} WHERE { ${context.map(line).join(" ")} } LIMIT ${sample} }`} ${subject} ?p_ ?o_ } GROUP BY ?p_ ORDER BY DESC(?n_) LIMIT 200`);
  return rows?.map((r) => iri(r.p_.value, Number(r.n_.value)));
}

/** joiningClasses are the classes of what the subject can be. */
async function joiningClasses(at, yasqe) {
  const [subject] = at.part;
  const context = around(at.triples, subject);
  if (!/^[?$]/.test(subject) || !context.length || classesOf(at.triples, subject).length === context.length) return undefined;
  const rows = await fetched(`${prologue(yasqe)}
SELECT ?c_ (COUNT(*) AS ?n_) WHERE { { SELECT DISTINCT ${subject} WHERE { ${context.map(line).join(" ")} } LIMIT ${sample} } ${subject} a ?c_ } GROUP BY ?c_ ORDER BY DESC(?n_) LIMIT 200`);
  return rows?.map((r) => iri(r.c_.value, Number(r.n_.value)));
}

let latest = 0;

/** overtaken waits for a pause in typing, and says whether there was none. */
async function overtaken() {
  const ticket = ++latest;
  await new Promise((resolve) => setTimeout(resolve, 160));
  return ticket !== latest;
}

/** values are the objects that a predicate has here; what is typed narrows them down. */
async function values(at, yasqe, typed) {
  const [subject, predicate] = at.part;
  if (/^[?$]/.test(predicate ?? "?")) return [];
  const word = typed.replace(/^["'<]|["'>]$/g, "").replace(/^[^:]*:/, "");
  const context = /^[?$]/.test(subject) ? around(at.triples, subject).map(line).join(" ") : "";
  const narrow = word.length > 1 ? `FILTER(CONTAINS(LCASE(STR(?o_)), ${JSON.stringify(word.toLowerCase())}))` : "";
  if (await overtaken()) return [];
  const rows = await fetched(`${prologue(yasqe)}
SELECT ?o_ (COUNT(*) AS ?n_) WHERE { ${context} ${subject} ${predicate} ?o_ ${narrow} } GROUP BY ?o_ ORDER BY DESC(?n_) LIMIT ${shown}`);
  return (rows ?? []).filter((r) => r.o_.type !== "bnode").map((r) => (r.o_.type === "uri" ? iri(r.o_.value, Number(r.n_.value)) : { text: written(r.o_).replace(/\^\^<[^>]*#(integer|decimal|double|boolean)>$/, "").replace(/^"([\d.eE+-]+|true|false)"$/, "$1"), label: r.o_.value, count: Number(r.n_.value) }));
}

/** ranked orders by how what was typed fits: beginnings of the short name, the local name or the IRI first, then parts. */
function ranked(list, typed, yasqe) {
  const word = typed.replace(/^["'<]|[>]$/g, "").toLowerCase();
  const declared = yasqe.getPrefixesFromQuery();
  const expanded = /^[\w.-]*:/.test(word) ? word.replace(/^([\w.-]*):/, (all, p) => declared[p]?.toLowerCase() ?? all) : word;
  const scored = list.map((c, i) => [score(c, word, expanded), i, c]).filter(([s]) => s > 0);
  return scored.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, shown).map(([, , c]) => dressed(c, declared));
}

function score(c, word, expanded) {
  if (!word || word === "a") return c.near ? 3 : 1;
  const parts = c.iri && shorten(c.iri);
  const forms = c.iri ? [c.iri.toLowerCase(), parts ? `${parts[0]}:${parts[1]}`.toLowerCase() : "", (parts?.[1] ?? "").toLowerCase()] : [String(c.label ?? c.text).toLowerCase()];
  const bonus = c.near ? 0.5 : 0;
  if (forms.some((f) => f.startsWith(word) || f.startsWith(expanded))) return 2 + bonus;
  return word.length > 1 && forms.some((f) => f.includes(word)) ? 1 + bonus : 0;
}

/** dressed gives a suggestion the text to write and the prefix that this needs. */
function dressed(c, declared) {
  if (!c.iri) return c;
  if (c.iri === rdfType) return { ...c, text: "a" };
  const own = Object.entries(declared).filter(([, ns]) => c.iri.startsWith(ns)).sort((a, b) => b[1].length - a[1].length)[0];
  const parts = shorten(c.iri);
  if (own && /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u.test(c.iri.slice(own[1].length))) return { ...c, text: `${own[0]}:${c.iri.slice(own[1].length)}` };
  return parts ? { ...c, text: `${parts[0]}:${parts[1]}`, declare: { [parts[0]]: parts[2] } } : { ...c, text: `<${c.iri}>` };
}

const explained = { predicate: "occurs with what the subject is here", object: "occurs here" };

/** show opens the list at the cursor; by itself only where there is something to go by. */
export function complete(yasqe, asked) {
  if (yasqe.state.completionActive && !asked) return;
  const hint = async () => {
    const { list, range, kind } = await suggest(yasqe);
    return { from: range.from, to: range.to, list: list.map((c) => ({
      text: c.text,
      render: (element) => element.append(h("span", { class: c.near ? "what near" : "what", title: c.near ? explained[kind] : undefined }, c.label && c.label !== c.text ? c.text : c.text ?? name(c.iri)), h("span", { class: "many" }, c.count ? short(c.count) : "")),
      hint: (editor, data) => {
        editor.getDoc().replaceRange(c.text, data.from, data.to, "complete");
        for (const [p, ns] of Object.entries(c.declare ?? {})) if (yasqe.getPrefixesFromQuery()[p] === undefined) yasqe.addPrefixes({ [p]: ns });
      },
    })) };
  };
  yasqe.showHint({ hint, completeSingle: false, closeCharacters: /[\s>;.,(){}]/, container: yasqe.rootEl });
}

/** wanted says whether typing a character should open the list. */
export function wanted(yasqe) {
  const doc = yasqe.getDoc();
  const { kind, token } = place(yasqe.getValue(), doc.indexFromPos(doc.getCursor()));
  if (kind === "predicate" || kind === "object") return token.text.length > 0;
  return (kind === "variable" || kind === "prefix") && token.text.length > 1;
}
