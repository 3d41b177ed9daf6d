// The data set at a glance, and queries made from its schema.

import { h, count, short } from "./dom.js";
import { name } from "./names.js";
import { GraphView } from "./graph.js";
import { writer } from "./writer.js";

/** starters are example queries made from the schema, for stores that bring none. */
export function starters(schema) {
  const list = [{ name: "Everything, ten triples of it", text: "SELECT ?s ?p ?o WHERE {\n  ?s ?p ?o .\n}\nLIMIT 10" }];
  const biggest = schema.classes[0];
  if (biggest) list.push({ name: `Members of ${name(biggest.iri)}`, text: members(biggest.iri) });
  const link = schema.links.find((l) => l.from !== l.to) ?? schema.links[0];
  if (link) {
    const w = writer();
    const body = `SELECT ?from ?to WHERE {\n  ?from a ${w.write(link.from)} ;\n        ${w.write(link.predicate)} ?to .\n  ?to a ${w.write(link.to)} .\n}\nLIMIT 100`;
    list.push({ name: `${name(link.from)} to ${name(link.to)}`, text: w.head() + body });
    const g = writer();
    const graph = `CONSTRUCT {\n  ?from ${g.write(link.predicate)} ?to .\n} WHERE {\n  ?from ${g.write(link.predicate)} ?to .\n}\nLIMIT 60`;
    list.push({ name: `A graph of ${name(link.predicate)}`, text: g.head() + graph });
  }
  list.push({ name: "Predicates by use", text: "SELECT ?p (COUNT(*) AS ?triples) WHERE {\n  ?s ?p ?o .\n}\nGROUP BY ?p\nORDER BY DESC(?triples)" });
  list.push({ name: "Classes by size", text: "SELECT ?class (COUNT(?s) AS ?members) WHERE {\n  ?s a ?class .\n}\nGROUP BY ?class\nORDER BY DESC(?members)" });
  return list;
}

/** members asks what the members of a class say. */
export function members(iri) {
  const w = writer();
  const body = `SELECT ?s ?p ?o WHERE {\n  ?s a ${w.write(iri)} ;\n     ?p ?o .\n}\nLIMIT 100`;
  return w.head() + body;
}

/** uses asks for the triples of a predicate. */
export function uses(iri) {
  const w = writer();
  const body = `SELECT ?s ?o WHERE {\n  ?s ${w.write(iri)} ?o .\n}\nLIMIT 100`;
  return w.head() + body;
}

/** titled gives an example the first comment of its text as its name. */
export const titled = (example) => ({ ...example, name: /^\s*#\s*(.+)/.exec(example.text)?.[1].replace(/\.$/, "") ?? example.name });

/** drawOverview is what the result area shows before the first query: the data set at a glance. */
export function drawOverview(container, { info, schema, examples }, actions) {
  const tile = (value, what) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, what));
  const store = info.store;
  const picture = h("div", { class: "overview-graph" });
  container.replaceChildren(h("div", { class: "overview" },
    h("div", { class: "tiles" }, tile(count(store.triples), "triples"), tile(count(store.predicates || schema.predicates.length), "predicates"),
      tile(count(store.classes || schema.classes.length), "classes"), tile(count(store.terms), "terms"), store.namedGraphs > 0 && tile(count(store.namedGraphs), "named graphs")),
    h("div", { class: "overview-body" },
      schema.links.length > 0 && h("figure", {}, h("figcaption", {}, "How classes connect"), picture),
      h("div", { class: "examples" }, h("h2", {}, "Start with"), h("ul", {}, examples.slice(0, 8).map((e) =>
        h("li", {}, h("button", { onclick: () => actions.run(e.text) }, h("span", {}, e.name), h("code", {}, firstLine(e.text))))))))));
  if (schema.links.length > 0) {
    const view = new GraphView(picture, { calm: true, declutter: true, spread: 1.3, hush: schema.links.length > 8, title: "How classes connect", pick: (node) => actions.run(members(node.key)) });
    view.set(...classGraph(schema));
  }
}

const firstLine = (text) => text.split("\n").filter((l) => !/^\s*(PREFIX|BASE|#|$)/i.test(l)).join(" ").replace(/\s+/g, " ").slice(0, 120);

/** classGraph is the largest classes and the predicates between them, those of one pair on one edge. */
export function classGraph(schema, mostClasses = 14, mostPairs = 26) {
  const sizes = new Map(schema.classes.map((c) => [c.iri, c.members]));
  const wanted = new Map();
  const pairs = new Map();
  for (const link of schema.links) {
    if (wanted.size >= mostClasses && !(wanted.has(link.from) && wanted.has(link.to))) continue;
    wanted.set(link.from, true).set(link.to, true);
    const key = `${link.from}\n${link.to}`;
    pairs.set(key, [...(pairs.get(key) ?? []), link]);
    if (pairs.size >= mostPairs) break;
  }
  const most = Math.max(1, ...[...wanted.keys()].map((c) => sizes.get(c) ?? 0));
  const nodes = [...wanted.keys()].map((iri) => ({ key: iri, label: name(iri), sub: sizes.has(iri) ? short(sizes.get(iri)) : undefined, kind: "class", title: iri, size: 12 + 30 * Math.sqrt((sizes.get(iri) ?? 0) / most) }));
  const edges = [...pairs.values()].map((links) => ({ from: links[0].from, to: links[0].to,
    label: name(links[0].predicate) + (links.length > 1 ? ` +${links.length - 1}` : ""),
    counted: `${name(links[0].predicate)} ${short(links[0].triples)}${links.length > 1 ? ` +${links.length - 1}` : ""}`, title: links.map((l) => `${name(l.predicate)}: ${count(l.triples)}`).join("\n") }));
  return [nodes, edges];
}
