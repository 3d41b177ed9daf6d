// The query as a graph, beside its text while it is typed.

import { label, cut } from "./names.js";
import { GraphView } from "./graph.js";
import { pictureMenu } from "./picture.js";

/** QueryGraph draws what the server makes of the patterns. */
export class QueryGraph {
  constructor(box) {
    this.box = box;
    this.graphs = [];
    box.dataset.hint = "";
    box.classList.add("blank");
  }

  set(graphs) {
    this.graphs = graphs;
    const [nodes, edges] = drawing(graphs);
    this.box.classList.toggle("blank", !nodes.length);
    this.box.dataset.hint = graphs.find((g) => g.empty)?.empty ?? "";
    if (!this.view) {
      this.view = new GraphView(this.box, { calm: true, title: "The query as a graph", largest: 1.15 });
      this.box.append(pictureMenu(() => this.view.svg, "query"));
    }
    this.view.set(nodes, edges);
  }

  fit() {
    this.view?.fit();
  }
}

function drawing(graphs) {
  const [nodes, edges] = [[], []];
  const named = new Set();
  graphs.forEach((graph, g) => {
    const order = new Map(graph.order?.map((vertex, i) => [vertex, i + 1]));
    const keys = graph.vertices.map((vertex, i) => {
      const key = vertex.variable ? `${vertex.label}${graphs.length > 1 ? `@${g}` : ""}` : `${vertex.label}@${g}.${i}`;
      if (!onlyEdge(graph, vertex, i) && !named.has(key)) {
        named.add(key);
        nodes.push(node(key, vertex, order.get(i)));
      }
      return key;
    });
    for (const e of graph.edges) edges.push({ from: keys[e.from], to: keys[e.to], label: cut(label(e.label), 30), kind: e.variable ? "variable" : "", title: e.label });
  });
  return [nodes, edges];
}

/** onlyEdge says of a variable that it stands for predicates alone. */
const onlyEdge = (graph, vertex, i) =>
  vertex.variable && !graph.edges.some((e) => e.from === i || e.to === i) && graph.edges.some((e) => e.variable && e.label === vertex.label);

const node = (key, vertex, place) => ({
  key, label: cut(vertex.variable ? vertex.label.replace(/^\?_:.*/, "·") : label(vertex.label), 30), kind: vertex.variable ? "variable" : "constant",
  sub: vertex.classes?.length ? cut(vertex.classes.map(label).join(", "), 34) : undefined, badge: place && String(place), title: [vertex.label, ...(vertex.classes ?? [])].join("\n"),
});
