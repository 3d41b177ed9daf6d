// What a store says about one thing: queries for the resource page and the exploration graph.

import { select } from "./api.js";
import { languageRank } from "./labels.js";

const patience = { timeout: "10s" };

/** inGraphs is a pattern in the default graph and, where there are any, in the named graphs. */
const inGraphs = (pattern, named) => (named ? `{ ${pattern} } UNION { GRAPH ?g_ { ${pattern} } }` : pattern);

/** Things asks about IRIs. */
export class Things {
  constructor(store) {
    this.named = store.info?.store.namedGraphs > 0;
  }

  where(pattern) {
    return inGraphs(pattern, this.named);
  }

  /** says is what a thing says: [[predicate, term]]. */
  async says(iri, limit, signal) {
    const rows = await select(`SELECT DISTINCT ?p ?o WHERE { ${this.where(`<${iri}> ?p ?o`)} } LIMIT ${limit}`, patience, signal);
    return rows.map((r) => [r.p.value, r.o]);
  }

  /** saidBy counts what says something about it: [[predicate, count]]. */
  async saidBy(iri, signal) {
    const rows = await select(`SELECT ?p (COUNT(*) AS ?n) WHERE { ${this.where(`?s ?p <${iri}>`)} } GROUP BY ?p ORDER BY DESC(?n) LIMIT 200`, patience, signal);
    return rows.map((r) => [r.p.value, Number(r.n.value)]);
  }

  /** subjects are some that say it by a predicate. */
  async subjects(iri, predicate, limit, offset, signal) {
    const rows = await select(`SELECT DISTINCT ?s WHERE { ${this.where(`?s <${predicate}> <${iri}>`)} } LIMIT ${limit} OFFSET ${offset}`, patience, signal);
    return rows.map((r) => r.s);
  }

  /** objects are some that it names by a predicate. */
  async objects(iri, predicate, limit, signal) {
    const rows = await select(`SELECT DISTINCT ?o WHERE { ${this.where(`<${iri}> <${predicate}> ?o`)} } LIMIT ${limit}`, patience, signal);
    return rows.map((r) => r.o);
  }

  /** search finds things by their names: [{iri, name}]. */
  async search(words, naming, signal) {
    const text = `SELECT DISTINCT ?s ?name WHERE { VALUES ?p { ${naming.map((n) => `<${n}>`).join(" ")} } ${this.where("?s ?p ?name")} FILTER(CONTAINS(LCASE(STR(?name)), ${JSON.stringify(words.toLowerCase())})) } LIMIT 300`;
    const rows = (await select(text, patience, signal)).filter((r) => r.s.type === "uri");
    const wanted = words.toLowerCase();
    const cost = (name) => 1000 * languageRank(name["xml:lang"]) + name.value.length;
    const found = new Map();
    for (const { s, name } of rows) if (!found.has(s.value) || cost(name) < cost(found.get(s.value))) found.set(s.value, name);
    const best = [...found].map(([iri, name]) => [iri, name.value]);
    const rank = (text) => (text.toLowerCase() === wanted ? 0 : text.toLowerCase().startsWith(wanted) ? 1 : 2);
    return best.map(([iri, name]) => ({ iri, name })).sort((a, b) => rank(a.name) - rank(b.name) || a.name.length - b.name.length);
  }
}

/** isSafe says that an IRI can stand in a query as it is. */
export const isSafe = (iri) => /^[A-Za-z][\w+.-]*:[^<>"{}|\\^`\s]*$/.test(iri);
