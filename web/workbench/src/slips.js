// Common slips in a query, each with a hint and, where there is one, the mending.

import { tokens, telling, prefixesOf, isTerm } from "./lexer.js";
import { namespaceOf } from "./names.js";

/** A slip is {from, to, hint, mend}: the place, what is wrong, and [text of the button, the whole query mended]. */
const slip = (text, t, hint, button, replacement) => ({ from: t.from, to: t.to, hint, mend: replacement === undefined ? undefined : [button, text.slice(0, t.from) + replacement + text.slice(t.to)] });

const words = ["SELECT", "DISTINCT", "CONSTRUCT", "DESCRIBE", "WHERE", "OPTIONAL", "FILTER", "UNION", "MINUS", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "VALUES", "BIND", "SERVICE", "GRAPH", "PREFIX", "EXISTS"];

/** slips finds what is likely meant otherwise. */
export function slips(text) {
  const list = telling(tokens(text));
  return [...operators(text, list), ...quotes(text, list), ...undeclared(text, list), ...commas(text, list), ...spelling(text, list), ...dots(text, list), ...unused(text, list)];
}

function operators(text, list) {
  return list.flatMap((t, i) => {
    if (t.text === "==" || t.text === "===") return [slip(text, t, `Equality is one "=" in SPARQL`, "Write =", "=")];
    if (t.text === "!==") return [slip(text, t, `"Not equal" is "!=" in SPARQL`, "Write !=", "!=")];
    if (t.text === "<" && list[i + 1]?.text === ">") return [slip(text, { from: t.from, to: list[i + 1].to }, `"Not equal" is "!=" in SPARQL`, "Write !=", "!=")];
    if (t.kind === "iri" && t.text === "<>" && list[i - 1]?.kind === "variable") return [slip(text, t, `"Not equal" is "!=" in SPARQL`, "Write !=", "!=")];
    if (t.kind === "word" && /^(and|or)$/i.test(t.text)) {
      const sign = /and/i.test(t.text) ? "&&" : "||";
      return [slip(text, t, `"${t.text}" is "${sign}" in SPARQL`, `Write ${sign}`, sign)];
    }
    return [];
  });
}

function quotes(text, list) {
  return list.flatMap((t) => {
    if (/^[“”„«»]$/.test(t.text)) return [slip(text, t, "A typographic quote: strings stand in \" or '", 'Write "', '"')];
    if (/^[‘’‚]$/.test(t.text)) return [slip(text, t, "A typographic quote: strings stand in \" or '", "Write '", "'")];
    return [];
  });
}

function undeclared(text, list) {
  const declared = prefixesOf(list);
  const missing = new Map();
  list.forEach((t, i) => {
    if (t.kind !== "prefixed" || /^prefix$/i.test(list[i - 1]?.text ?? "")) return;
    const prefix = t.text.slice(0, t.text.indexOf(":"));
    if (!declared.has(prefix) && !missing.has(prefix)) missing.set(prefix, t);
  });
  return [...missing].map(([prefix, t]) => {
    const namespace = namespaceOf(prefix);
    const found = slip(text, t, `The prefix "${prefix}:" is not declared`);
    if (namespace) found.mend = [`Add PREFIX ${prefix}:`, `PREFIX ${prefix}: <${namespace}>\n${text}`];
    return found;
  });
}

/** commas between the variables of SELECT. */
function commas(text, list) {
  return list.flatMap((t, i) => {
    if (t.text !== "," || list[i - 1]?.kind !== "variable" || list[i + 1]?.kind !== "variable") return [];
    for (let j = i - 1; j >= 0 && list[j].text !== "{" && list[j].text !== "("; j--) {
      if (/^select$/i.test(list[j].text)) return [slip(text, t, "Variables of SELECT are not separated by commas", "Remove the comma", "")];
    }
    return [];
  });
}

function spelling(text, list) {
  return list.flatMap((t) => {
    if (t.kind !== "word" || t.text.length < 4 || words.includes(t.text.toUpperCase())) return [];
    const meant = words.find((w) => distance(t.text.toUpperCase(), w) === 1);
    return meant ? [slip(text, t, `"${t.text}" looks like ${meant}`, `Write ${meant}`, meant)] : [];
  });
}

/** distance is 0, 1 or 2 for more: letters changed, left out, added or exchanged with their neighbour. */
function distance(a, b) {
  if (a === b) return 0;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const same = (x, y) => a.slice(x) === b.slice(y);
  return same(i + 1, i + 1) || same(i + 1, i) || same(i, i + 1) || (a[i] === b[i + 1] && a[i + 1] === b[i] && same(i + 2, i + 2)) ? 1 : 2;
}

/** dots that are missing between two triples on two lines. */
function dots(text, list) {
  const found = [];
  let part = 0;
  let depth = 0;
  let round = 0;
  list.forEach((t, i) => {
    if (t.text === "{" || t.text === "}") depth += t.text === "{" ? 1 : -1;
    if (t.text === "(" || t.text === "[") round++;
    if (t.text === ")" || t.text === "]") round--;
    if (round > 0 || depth < 1 || !isTerm(t) || list[i + 1]?.text === "^^") {
      if (/^[{}.]$/.test(t.text) || (t.kind === "word" && !isTerm(t))) part = 0;
      else if (t.text === ";") part = 1;
      else if (t.text === ",") part = 2;
      else if (/^[/|^]$/.test(t.text) && part > 0) part--;
      return;
    }
    const previous = list[i - 1];
    if (part === 3 && previous && text.slice(previous.to, t.from).includes("\n") && isTerm(previous) && (list[i + 1]?.text !== "." || isTerm(list[i + 1]))) {
      found.push({ from: previous.from, to: previous.to, hint: "A dot is missing between two triple patterns", mend: ["Add the dot", `${text.slice(0, previous.to)} .${text.slice(previous.to)}`] });
      part = 0;
    }
    if (/^[/|^!]$/.test(previous?.text ?? "") && part > 1) return;
    part = Math.min(3, part + 1);
  });
  return found;
}

/** unused variables: selected, but found nowhere else. */
function unused(text, list) {
  const start = list.findIndex((t) => /^select$/i.test(t.text));
  const open = list.findIndex((t, i) => i > start && t.text === "{");
  if (start < 0 || open < 0 || list.slice(start, open).some((t) => t.text === "(" || t.text === "*")) return [];
  const met = new Set(list.slice(open).filter((t) => t.kind === "variable").map((t) => t.text.slice(1)));
  return list.slice(start, open).filter((t) => t.kind === "variable" && !met.has(t.text.slice(1))).map((t) => slip(text, t, `${t.text} is selected but nothing binds it`));
}
