// Terms in N-Triples syntax.

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

/** written is a term of the JSON results form in the syntax of N-Triples, which is also SPARQL's. */
export function written(term) {
  if (term.type === "uri") return `<${term.value}>`;
  if (term.type === "bnode") return `_:${term.value}`;
  const text = JSON.stringify(term.value);
  if (term["xml:lang"]) return `${text}@${term["xml:lang"]}`;
  return term.datatype ? `${text}^^<${term.datatype}>` : text;
}

const escapes = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f" };

function unescape(text) {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g, (_, four, eight, one) =>
    one ? (escapes[one] ?? one) : String.fromCodePoint(parseInt(four ?? eight, 16)));
}
