// Queries written by the workbench: short names, and the PREFIX lines that these need.

import { shorten } from "./names.js";

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** writer writes IRIs by their short names; head is the PREFIX lines for those that were written. */
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
