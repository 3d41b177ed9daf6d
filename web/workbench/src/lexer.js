// The tokens of a SPARQL text, right or wrong: nothing is refused here.

const kinds = [
  ["space", /[\s\u00a0]+/y],
  ["comment", /#[^\n]*/y],
  ["iri", /<[^<>"{}|^`\\\s]*>/y],
  ["string", /"""(?:(?!""")(?:\\[^]|[^\\]))*"""|'''(?:(?!''')(?:\\[^]|[^\\]))*'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y],
  ["language", /@[A-Za-z]+(?:-[A-Za-z0-9]+)*/y],
  ["variable", /[?$][\p{L}\p{N}_]+/uy],
  ["blank", /_:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])?/uy],
  ["prefixed", /(?:[\p{L}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])?)?:(?:(?:[\p{L}\p{N}_:%]|\\[-_~.!$&'()*+,;=\/?#@%])(?:(?:[\p{L}\p{N}_:%.-]|\\[-_~.!$&'()*+,;=\/?#@%])*(?:[\p{L}\p{N}_:%-]|\\[-_~.!$&'()*+,;=\/?#@%]))?)?/uy],
  ["number", /\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?/y],
  ["word", /[A-Za-z_][A-Za-z0-9_-]*/y],
  ["punctuation", /\^\^|&&|\|\||!==?|===?|<=|>=|[{}()[\].;,=<>!+*/^|?-]/y],
  ["other", /[^]/y],
];

/** tokens cuts a text: [{kind, text, from, to}], without gaps. */
export function tokens(text) {
  const list = [];
  for (let at = 0; at < text.length; ) {
    for (const [kind, pattern] of kinds) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) continue;
      list.push({ kind, text: found[0], from: at, to: at + found[0].length });
      at += found[0].length;
      break;
    }
  }
  return list;
}

/** telling are the tokens that mean something. */
export const telling = (list) => list.filter((t) => t.kind !== "space" && t.kind !== "comment");

/** firstWord is the word that follows the prologue, in lower case; "" where there is none. */
export function firstWord(list) {
  const words = telling(list).map((t) => t.text.toLowerCase());
  let at = 0;
  while (words[at] === "base" || words[at] === "prefix") at += words[at] === "base" ? 2 : 3;
  return words[at] ?? "";
}

/** prefixesOf are the prefixes that a text declares: Map prefix → namespace. */
export function prefixesOf(list) {
  const found = new Map();
  const t = telling(list);
  for (let i = 0; i + 2 < t.length; i++) {
    if (/^prefix$/i.test(t[i].text) && t[i].kind === "word" && t[i + 1].kind === "prefixed" && t[i + 2].kind === "iri") found.set(t[i + 1].text.slice(0, -1), t[i + 2].text.slice(1, -1));
  }
  return found;
}

/** isTerm says that a token can be an end of a triple. */
export const isTerm = (t) => ["iri", "prefixed", "string", "variable", "blank", "number"].includes(t?.kind) || /^(a|true|false)$/.test(t?.text ?? "");
