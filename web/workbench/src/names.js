// Short names of IRIs: well-known prefixes, and prefixes made for the namespaces of this store.

const known = {
  rdf: "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  owl: "http://www.w3.org/2002/07/owl#",
  xsd: "http://www.w3.org/2001/XMLSchema#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  foaf: "http://xmlns.com/foaf/0.1/",
  dc: "http://purl.org/dc/elements/1.1/",
  dcterms: "http://purl.org/dc/terms/",
  dcmitype: "http://purl.org/dc/dcmitype/",
  sdo: "https://schema.org/",
  schema: "http://schema.org/",
  void: "http://rdfs.org/ns/void#",
  dcat: "http://www.w3.org/ns/dcat#",
  prov: "http://www.w3.org/ns/prov#",
  org: "http://www.w3.org/ns/org#",
  qb: "http://purl.org/linked-data/cube#",
  geo: "http://www.w3.org/2003/01/geo/wgs84_pos#",
  geosparql: "http://www.opengis.net/ont/geosparql#",
  vcard: "http://www.w3.org/2006/vcard/ns#",
  bibo: "http://purl.org/ontology/bibo/",
  sioc: "http://rdfs.org/sioc/ns#",
  mo: "http://purl.org/ontology/mo/",
  gr: "http://purl.org/goodrelations/",
  og: "http://ogp.me/ns#",
  rev: "http://purl.org/stuff/rev#",
  wsdbm: "http://db.uwaterloo.ca/~galuc/wsdbm/",
  nmo: "http://nomisma.org/ontology#",
  nm: "http://nomisma.org/id/",
  crm: "http://www.cidoc-crm.org/cidoc-crm/",
  osgeo: "http://data.ordnancesurvey.co.uk/ontology/geometry/",
  rdac: "http://www.rdaregistry.info/Elements/c/",
  un: "http://www.owl-ontologies.com/Ontology1181490315.owl#",
  wd: "http://www.wikidata.org/entity/",
  wdt: "http://www.wikidata.org/prop/direct/",
  dbo: "http://dbpedia.org/ontology/",
  dbr: "http://dbpedia.org/resource/",
};

/** prefixes maps prefix → namespace; it grows by learn. */
export const prefixes = new Map();
let ordered = [];

const split = (iri) => {
  const at = Math.max(iri.lastIndexOf("#"), iri.lastIndexOf("/")) + 1;
  return at > 8 ? [iri.slice(0, at), iri.slice(at)] : [iri, ""];
};

/** learn makes prefixes for the namespaces of these IRIs. */
export function learn(iris) {
  const names = new Map(Object.entries(known).map(([prefix, namespace]) => [namespace, prefix]));
  for (const iri of iris) {
    const [namespace, local] = split(iri);
    if (!local || [...prefixes.values()].includes(namespace)) continue;
    prefixes.set(unused(names.get(namespace) ?? invent(namespace)), namespace);
  }
  declare();
}

/** dull words say nothing about a namespace. */
const dull = new Set(["class", "ontology", "ontologies", "id", "ns", "terms", "vocab", "core", "schema", "elements", "resource", "owl", "rdf", "www", "org", "com", "net", "data", "property", "prop"]);

function invent(namespace) {
  const words = namespace.replace(/^\w+:\/\//, "").toLowerCase().split(/[/#.]+/).map((w) => w.replace(/[^a-z]+/g, "")).filter((w) => w.length > 1);
  const telling = words.filter((w) => !dull.has(w));
  return (telling.at(-1) ?? words.at(-1) ?? "ns").slice(0, 10);
}

function unused(name) {
  let candidate = name;
  for (let n = 2; prefixes.has(candidate); n++) candidate = name + n;
  return candidate;
}

/** declare takes over the prefixes that a query declares, for showing its results. */
export function declare(declared) {
  const merged = new Map([...Object.entries(known), ...prefixes]);
  for (const [prefix, namespace] of Object.entries(declared ?? {})) merged.set(prefix, namespace);
  ordered = [...merged].sort((a, b) => b[1].length - a[1].length);
}

/** shorten returns [prefix, local] of an IRI, or undefined. */
export function shorten(iri) {
  for (const [prefix, namespace] of ordered) {
    if (iri.length > namespace.length && iri.startsWith(namespace)) {
      const local = iri.slice(namespace.length);
      if (/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(local) && !local.endsWith(".")) return [prefix, local, namespace];
    }
  }
  return undefined;
}

/** display is shorten for the eye: it also takes local names that SPARQL would want escaped. */
export function display(iri) {
  const parts = shorten(iri);
  if (parts) return parts;
  const found = ordered.find(([, namespace]) => iri.length > namespace.length && iri.startsWith(namespace) && !/[/#]/.test(iri.slice(namespace.length)));
  return found && [found[0], iri.slice(found[1].length), found[1]];
}

/** name is the short name of an IRI, or its last part, for labels. */
export function name(iri) {
  const parts = display(iri);
  if (parts) return `${parts[0]}:${parts[1]}`;
  const local = split(iri)[1];
  return local || iri;
}

/** label is a term in N-Triples syntax, as a plan shows it, made short. */
export function label(text) {
  if (text.startsWith("<")) return name(text.slice(1, -1));
  if (text.startsWith('"')) return cut(text.replace(/\^\^<[^>]*>$/, ""), 28);
  return text;
}

export const cut = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 1)}…` : text);

/** allPrefixes are those of this store and the well-known ones: [[prefix, namespace]], in the order of the alphabet. */
export const allPrefixes = () => [...ordered].sort((a, b) => (a[0] < b[0] ? -1 : 1));

/** namespaceOf is the namespace that a prefix stands for, or undefined. */
export const namespaceOf = (prefix) => ordered.find(([p]) => p === prefix)?.[1];
