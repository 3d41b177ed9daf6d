// The triple patterns of a text that may be unfinished, and what is being written at a place in it.

import { tokens, telling, isTerm } from "./lexer.js";

const opening = /^(where|optional|minus|union|exists|graph|service|construct|filter|bind|values|select|group|order|having|limit|offset|from|prefix|base|ask|describe|not|distinct|reduced|in|as)$/i;

/** Reader collects triples as it walks over tokens; a group of braces is a scope of its own. */
class Reader {
  constructor() {
    this.triples = [];
    this.depth = [];
    this.part = [];
    this.next = 0;
  }

  /** take reads one token. */
  take(token) {
    const { text } = token;
    if (text === "{" || text === "}") this.brace(text);
    else if (this.round) this.round += text === "(" ? 1 : text === ")" ? -1 : 0;
    else if (text === "(") this.round = 1;
    else if (token.kind === "word" && opening.test(text) && text !== "a") this.part = [];
    else if (text === "." ) this.end([]);
    else if (text === ";") this.end(this.part.slice(0, 1));
    else if (text === ",") this.end(this.part.slice(0, 2));
    else if (isTerm(token) || "^/|+*!".includes(text) || text === "[" || text === "]") this.term(token);
  }

  brace(text) {
    this.end([]);
    if (text === "{") this.depth.push(this.next++);
    else this.depth.pop();
  }

  term(token) {
    if (this.part.length === 3 && isTerm(token)) this.end([]); // a missing dot
    if (this.part.length && /^[/|^+*!]$/.test(token.text)) this.path = true;
    else if (this.path && this.part.length === 2 && isTerm(token) && /^[/|^!]$/.test(this.last)) this.part[1] = undefined;
    else if (isTerm(token)) this.part.push(token.text);
    this.last = token.text;
  }

  end(rest) {
    if (this.part.length === 3) this.triples.push({ s: this.part[0], p: this.path ? undefined : this.part[1], o: this.part[2], scope: this.depth.at(-1) });
    this.part = rest;
    if (!rest.length || rest.length === 1) this.path = false;
  }
}

/** place says what is being written at an offset: {kind: "subject" | "predicate" | "object" | "variable" | "prefix" | "", part, token, triples}. The
 * triples are those of the whole text, without the one that is being written. */
export function place(text, offset) {
  const list = tokens(text);
  const token = list.find((t) => t.from < offset && t.to >= offset && t.kind !== "space" && !closed(t, offset)) ?? { kind: "space", text: "", from: offset, to: offset };
  const before = telling(list.filter((t) => t.to <= token.from));
  const after = telling(list.filter((t) => t.from >= Math.max(token.to, offset)));
  const reader = new Reader();
  for (const t of before) reader.take(t);
  const { part, path, round } = reader;
  const scope = reader.depth.at(-1);
  const whole = reader.triples.slice();
  reader.part = [];
  const cut = after.findIndex((t) => /^[.;}]$/.test(t.text));
  for (const t of cut < 0 ? [] : after.slice(cut)) reader.take(t);
  const triples = [...whole, ...reader.triples.slice(whole.length).filter((t) => t.s !== undefined)];
  return { kind: kindAt(before, part, reader, token, scope, path, round), part, token, triples, scope };
}

const closed = (t, offset) => t.to === offset && (t.kind === "punctuation" || t.kind === "comment" && false || (t.kind === "string" && t.text.length > 1));

function kindAt(before, part, reader, token, scope, path, round) {
  if (token.kind === "comment") return "";
  if (/^prefix$/i.test(before.at(-1)?.text ?? "")) return "prefix";
  if (/^[?$]/.test(token.text)) return "variable";
  if (scope === undefined || round) return round ? "value" : "";
  if (part.length === 0) return "subject";
  if (part.length === 1 || (part.length === 2 && path && /^[/|^!]$/.test(before.at(-1)?.text))) return "predicate";
  return part.length === 2 ? "object" : "";
}

/** classesOf are the classes that triples give to a subject. */
export const classesOf = (triples, subject) => triples.filter((t) => t.s === subject && t.p === "a").map((t) => t.o);

/** around are the triples joined with a variable, directly or by others, at most so many. */
export function around(triples, variable, most = 6) {
  const reached = new Set([variable]);
  const chosen = new Set();
  for (let grew = true; grew && chosen.size < most; ) {
    grew = false;
    for (const t of triples) {
      if (chosen.has(t) || t.p === undefined || chosen.size >= most || !(reached.has(t.s) || reached.has(t.o))) continue;
      chosen.add(t);
      for (const end of [t.s, t.o]) if (/^[?$]/.test(end)) reached.add(end);
      grew = true;
    }
  }
  return [...chosen];
}
