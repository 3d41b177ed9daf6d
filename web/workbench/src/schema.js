// The schema as a diagram: classes, the predicates between them, and how many triples of each there are.

import { h, count, short } from "./dom.js";
import { name } from "./names.js";
import { resourceLink } from "./cells.js";
import { classGraph, members } from "./dataset.js";
import { GraphView } from "./graph.js";
import { pictureMenu } from "./picture.js";

/** draw shows the diagram with a panel for the chosen class. */
export function draw(box, _, { store, actions }) {
  const { schema } = store;
  const panel = h("aside", { class: "explore-panel", "aria-label": "The chosen class" });
  const inner = h("div", { class: "explore-graph" });
  const most = Math.max(2, schema.classes.length);
  const slider = h("input", { type: "range", min: 2, max: most, value: Math.min(most, 14), "aria-label": "How many classes", oninput: () => show(Number(slider.value)) });
  const shown = h("span", { class: "place" });
  box.replaceChildren(h("div", { class: "explore" }, h("h1", { class: "unseen" }, "Schema"), h("div", { class: "explore-main" },
    h("div", { class: "view-bar" }, h("label", { class: "field" }, h("span", {}, "Classes"), slider), shown, h("span", { class: "spring" }), h("button", { class: "quiet", onclick: () => view.fit() }, "Whole"), pictureMenu(() => view.svg, "schema")), inner), panel));
  const view = new GraphView(inner, { title: "Classes and the predicates between them", declutter: true, largest: 1.2, spread: 2.2, pick: (node) => drawClass(panel, schema, node.key, actions) });
  const show = (n) => {
    const [nodes, edges] = classGraph(schema, n, n * 2);
    view.set(nodes, edges.map((e) => ({ ...e, label: e.counted })));
    shown.textContent = `${count(nodes.length)} of ${count(schema.classes.length)}, ${count(edges.length)} links`;
  };
  if (!schema.links.length) inner.replaceChildren(h("p", { class: "empty" }, "No predicate leads from a class to a class in this store."));
  else show(Number(slider.value));
  drawAll(panel, schema, actions);
}

/** drawAll lists the classes, before one is chosen. */
function drawAll(panel, schema, actions) {
  const entry = (c) => h("li", {}, h("button", { class: "entry", title: c.iri, onclick: () => drawClass(panel, schema, c.iri, actions) }, h("span", { class: "what" }, name(c.iri)), h("span", { class: "many" }, short(c.members))));
  panel.replaceChildren(h("h2", {}, `${count(schema.classes.length)} classes`), h("ul", { class: "entries" }, schema.classes.slice(0, 300).map(entry)));
}

function drawClass(panel, schema, iri, actions) {
  const found = schema.classes.find((c) => c.iri === iri);
  const link = (l, other, arrow) => h("li", {}, h("button", { class: "entry", title: `${l.predicate}\n${other}`, onclick: () => drawClass(panel, schema, other, actions) }, h("span", { class: "what" }, `${arrow} ${name(l.predicate)} `, h("small", {}, name(other))), h("span", { class: "many" }, short(l.triples))));
  const [out, into] = [schema.links.filter((l) => l.from === iri), schema.links.filter((l) => l.to === iri)];
  panel.replaceChildren(h("h2", {}, name(iri)), h("p", { class: "address" }, iri), h("p", {}, `${count(found?.members ?? 0)} members`),
    h("div", { class: "row" }, h("button", { class: "run", onclick: () => actions.run(members(iri)) }, "Query"), h("a", { class: "quiet", href: resourceLink(iri) }, "Page"), h("button", { class: "quiet", onclick: () => drawAll(panel, schema, actions) }, "All classes")),
    h("h3", {}, `Leads to (${out.length})`), h("ul", { class: "entries" }, out.map((l) => link(l, l.to, "→"))), h("h3", {}, `Is led to from (${into.length})`), h("ul", { class: "entries" }, into.map((l) => link(l, l.from, "←"))));
}
