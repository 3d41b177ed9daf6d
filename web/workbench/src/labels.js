// What things are called: names fetched from the store for IRIs, and kept.

import { query } from "./api.js";

/** naming are the predicates that name a thing, the best first. */
export const naming = ["http://www.w3.org/2004/02/skos/core#prefLabel", "http://www.w3.org/2000/01/rdf-schema#label", "http://purl.org/dc/terms/title", "http://purl.org/dc/elements/1.1/title",
  "http://xmlns.com/foaf/0.1/name", "http://schema.org/name", "https://schema.org/name", "http://www.w3.org/2004/02/skos/core#altLabel"];

const atOnce = 150;
const kept = new Map();

/** preferred are the user's languages, the best first; a language chosen in the workbench comes before the browser's. */
function preferred() {
  return [localStorage.getItem("rdfgpu-language"), ...navigator.languages.map((l) => l.split("-")[0]), "en", ""].filter((l) => l !== null);
}

/** languageRank orders languages as the user would, the best first. */
export function languageRank(language) {
  const wanted = preferred();
  const at = wanted.indexOf((language ?? "").split("-")[0]);
  return at < 0 ? wanted.length : at;
}

/** rank orders names: by language, then by predicate. */
const rank = (predicate, language) => languageRank(language) * naming.length + naming.indexOf(predicate);

/** called is the name of an IRI, or undefined; fetchLabels must have been asked for it. */
export const called = (iri) => kept.get(iri) || undefined;

/** isNaming says that a predicate names its subject. */
export const isNaming = (iri) => naming.includes(iri);

/** pickName is the best of [predicate, term] pairs, or undefined. */
export function pickName(pairs) {
  const names = pairs.filter(([p, t]) => isNaming(p) && t.type === "literal").map(([p, t]) => [rank(p, t["xml:lang"]), t.value]);
  return names.sort((a, b) => a[0] - b[0])[0]?.[1];
}

/** fetchLabels asks for the names of those IRIs that are not known yet. */
export async function fetchLabels(iris, signal) {
  const missing = [...new Set(iris)].filter((iri) => !kept.has(iri) && !/[<>"{}|\\^`\s]/.test(iri));
  for (let from = 0; from < missing.length; from += atOnce) await fetchSome(missing.slice(from, from + atOnce), signal);
}

async function fetchSome(iris, signal) {
  const text = `SELECT ?s ?p ?o WHERE { VALUES ?s { ${iris.map((i) => `<${i}>`).join(" ")} } VALUES ?p { ${naming.map((i) => `<${i}>`).join(" ")} } ?s ?p ?o }`;
  const found = await (await query(text, { timeout: "5s" }, "application/sparql-results+json", signal)).json();
  for (const iri of iris) kept.set(iri, "");
  const pairs = new Map();
  for (const { s, p, o } of found.results.bindings) pairs.set(s.value, [...(pairs.get(s.value) ?? []), [p.value, o]]);
  for (const [iri, list] of pairs) kept.set(iri, pickName(list) ?? "");
}

/** forgetLabels lets the next look fetch names anew, in another language. */
export const forgetLabels = () => kept.clear();
