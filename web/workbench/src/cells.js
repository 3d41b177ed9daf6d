// Terms as they are shown: links, literals with their language or type, pictures.

import { h, copy } from "./dom.js";
import { name, display, cut } from "./names.js";
import { isImage, isNumeric } from "./columns.js";
import { written } from "./ntriples.js";

/** resourceLink is the address of the page about an IRI. */
export const resourceLink = (iri) => `#${new URLSearchParams({ resource: iri })}`;

/** exploreLink is the address of the exploration graph that begins at an IRI. */
export const exploreLink = (iri) => `#${new URLSearchParams({ explore: iri })}`;

/** plainText is a term for labels. */
export const plainText = (term) => (!term ? "" : term.type === "uri" ? name(term.value) : term.type === "bnode" ? `_:${term.value}` : term.value);

/** drawTerm shows a term. With pictures, the address of an image is drawn as the image; caption stands for an IRI's name. */
export function drawTerm(term, { pictures, caption, tabindex } = {}) {
  if (!term) return "";
  if (pictures && isImage(term.value)) return h("img", { class: "picture", src: term.value, alt: term.value, loading: "lazy", referrerpolicy: "no-referrer" });
  if (term.type === "uri") return h("a", { class: "iri", href: resourceLink(term.value), title: term.value, tabindex }, caption ?? shown(term.value));
  if (term.type === "bnode") return h("span", { class: "blank" }, `_:${cut(term.value, 24)}`);
  const tag = term["xml:lang"] ?? (term.datatype && !isNumeric(term) ? name(term.datatype) : "");
  return h("span", { class: "literal", title: term.value.length > 60 ? cut(term.value, 900) : undefined }, cut(term.value, 600), tag && h("sup", {}, tag));
}

function shown(iri) {
  const parts = display(iri);
  return parts ? [h("i", {}, `${parts[0]}:`), parts[1]] : spaced(iri);
}

/** spaced is a long IRI with its namespace stepping back. */
function spaced(iri) {
  const at = Math.max(iri.lastIndexOf("#"), iri.lastIndexOf("/"), iri.lastIndexOf(":")) + 1;
  if (at < 8 || at === iri.length) return cut(iri, 110);
  return [h("i", { class: "space" }, cut(iri.slice(0, at), 80)), cut(iri.slice(at), 60)];
}

/** termActions is what can be done with a term, for a menu. */
export function termActions(term, { run }) {
  if (term.type !== "uri") return [["Copy", () => copy(term.value)], term.type === "literal" && ["Copy as RDF", () => copy(written(term))]];
  const iri = term.value;
  return [
    ["See the resource", () => (location.hash = resourceLink(iri))],
    ["Explore as a graph", () => (location.hash = exploreLink(iri))],
    ["Query what it says", () => run(`SELECT ?predicate ?object WHERE {\n  <${iri}> ?predicate ?object .\n}`)],
    ["Query what says it", () => run(`SELECT ?subject ?predicate WHERE {\n  ?subject ?predicate <${iri}> .\n}\nLIMIT 1000`)],
    ["Copy", () => copy(iri)],
    /^https?:/.test(iri) && ["Open ↗", () => window.open(iri, "_blank", "noopener,noreferrer")],
  ];
}
