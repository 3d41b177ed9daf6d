// Formatting: one pattern a line, indented by its group; words in capitals; comments stay.

import { tokens } from "./lexer.js";

const keywords = /^(prefix|base|select|distinct|reduced|construct|describe|ask|from|named|where|order|group|by|having|limit|offset|values|undef|optional|minus|union|graph|service|silent|filter|bind|as|not|exists|in|asc|desc|count|sum|min|max|avg|sample|group_concat|separator)$/i;
const ownLine = /^(prefix|base|select|construct|describe|ask|from|where|order|group|having|limit|offset|values|optional|minus|graph|service|filter|bind)$/i;
const tight = { before: /^[;,.)\]]$/, after: /^[([!^]$/ };

/** Printer writes tokens line by line. */
class Printer {
  constructor() {
    this.lines = [];
    this.line = "";
    this.indent = 0;
    this.round = 0;
    this.hang = 0;
  }

  newline() {
    if (this.line.trim()) this.lines.push("  ".repeat(Math.max(0, this.indent)) + " ".repeat(this.hanging ?? 0) + this.line.trim());
    this.line = "";
    this.hanging = this.hang;
  }

  add(text, glued) {
    this.line += (this.line && !glued && !tight.after.test(this.last ?? "") ? " " : "") + text;
    this.last = text;
  }

  open() {
    this.add("{");
    this.hang = 0;
    this.newline();
    this.indent++;
    this.hanging = 0;
  }

  close() {
    this.hang = 0;
    this.newline();
    this.hanging = 0;
    this.indent--;
    this.line = "}";
    this.last = "}";
  }

  /** punctuation ends a pattern, or goes on with its subject on the next line. */
  punctuation(text) {
    this.add(text, text === ",");
    if (text === ";") this.hang ||= this.subject() + 1;
    if (text === ".") this.hang = 0;
    if (text !== ",") this.newline();
  }

  /** subject is how wide the subject of the line is, up to what looks well. */
  subject() {
    return Math.min(12, /^\S+/.exec(this.line.trim())?.[0].length ?? 2);
  }
}

/** format lays a query out anew; what it means stays, as do comments. */
export function format(text) {
  const list = tokens(text);
  const p = new Printer();
  let previous;
  list.forEach((t, i) => {
    if (t.kind === "space") {
      if (/\n\s*\n/.test(t.text) && p.indent === 0) p.blank = true;
      return;
    }
    write(p, t, previous, list, i);
    previous = t;
  });
  p.hang = 0;
  p.newline();
  return p.lines.join("\n").replace(/\n(WHERE \{)/g, " $1") + "\n";
}

function write(p, t, previous, list, i) {
  const glued = i > 0 && list[i - 1].kind !== "space";
  if (p.blank) {
    p.newline();
    if (p.lines.length) p.lines.push("");
    p.blank = false;
  }
  if (t.kind === "comment") return comment(p, t, list, i);
  if (/^(FILTER|BIND)\b/.test(p.line) && !p.round && previous?.text === ")" && !/^[;.]$/.test(t.text)) p.newline();
  if (t.text === "{") return p.open();
  if (t.text === "}") return p.close();
  if (t.text === "(" || t.text === "[") p.round++;
  if (t.text === ")" || t.text === "]") p.round--;
  if (/^[;.]$/.test(t.text) && !p.round) return p.punctuation(t.text);
  if (t.text === ",") return p.add(",", true);
  const word = t.kind === "word" && keywords.test(t.text) ? t.text.toUpperCase() : t.text;
  if (t.kind === "word" && ownLine.test(t.text) && !p.round && !(previous && /^(by|silent|named)$/i.test(previous.text))) lineFor(p, word, previous);
  else if (previous?.text === "}" && word !== "UNION" && word !== "AS") p.newline();
  else if (previous?.kind === "iri" && p.declaring) p.newline();
  if (/^(PREFIX|BASE)$/.test(word)) p.declaring = true;
  else if (t.kind === "word") p.declaring = false;
  p.add(word, (glued && joins(t, previous)) || tight.before.test(t.text));
}

const comparison = /^(=|!=|<=?|>=?|&&|\|\|)$/;

/** joins says that a token belongs to the one before it, as it stood there without a space. */
function joins(t, previous) {
  if (comparison.test(t.text) || comparison.test(previous?.text ?? "") || /^(filter|bind|values)$/i.test(previous?.text ?? "")) return false;
  return t.kind === "language" || t.kind === "punctuation" || /^(\^\^|[/|^+*?-])$/.test(previous?.text ?? "");
}

function lineFor(p, word, previous) {
  const stays = (word === "WHERE" || word === "GRAPH") && previous && p.indent === 0 && p.lines.length && /^(WHERE)$/.test(word) ? false : /^(NOT|FILTER)$/i.test(previous?.text ?? "");
  if (!stays) {
    p.hang = 0;
    p.newline();
    p.hanging = 0;
  }
}

function comment(p, t, list, i) {
  const sameLine = i > 0 && !(list[i - 1].kind === "space" && list[i - 1].text.includes("\n"));
  if (sameLine && p.line) p.add(t.text.trimEnd());
  else if (sameLine && p.lines.length) p.lines[p.lines.length - 1] += ` ${t.text.trimEnd()}`;
  else {
    const hang = p.hang;
    p.newline();
    p.line = t.text.trimEnd();
    p.hang = hang;
  }
  p.newline();
}
