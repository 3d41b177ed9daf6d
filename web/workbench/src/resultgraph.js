// An answer as a graph: its triples, its s-p-o columns, or the edges of the query graph with each row's values.

import { h } from "./dom.js";
import { name, label, cut } from "./names.js";
import { GraphView } from "./graph.js";
import { menu } from "./menu.js";
import { termActions } from "./cells.js";
import { pictureMenu } from "./picture.js";

/** mostRows is how many rows are looked at, mostNodes how many nodes are drawn. */
const mostRows = 2000;
const mostNodes = 200;

/** draw shows a run as a graph. */
export async function draw(box, run, actions) {
  const rows = await run.rows.head(mostRows);
  const triples = triplesOf(run.kind, run.rows.state.variables, rows, run.graphs);
  if (!triples.length) {
    box.replaceChildren(h("p", { class: "empty" }, rows.length ? "These rows have no two columns that the query connects. CONSTRUCT makes any pattern a graph." : "Nothing to draw."));
    return;
  }
  const [nodes, edges, all] = drawing(triples);
  const inner = h("div", { class: "graph-box" });
  const pick = (node, event) => node.iri && menu({ x: event.clientX ?? 120, y: event.clientY ?? 240 }, termActions({ type: "uri", value: node.iri }, actions), h("p", {}, node.iri));
  const view = new GraphView(inner, { title: "Result as a graph", largest: 1.1, declutter: edges.length > 45, pick });
  box.replaceChildren(inner, h("div", { class: "picture-bar" }, !all && h("span", { class: "note" }, `The first ${nodes.length} nodes`), pictureMenu(() => view.svg, "graph")));
  view.set(nodes, edges);
}

const key = (t) => `${t.type} ${t.value} ${t["xml:lang"] ?? ""} ${t.datatype ?? ""}`;

/** triplesOf makes an answer a list of [subject, label, object]: its triples, its s-p-o columns, or the edges of the
 * query graph with each row's values. */
function triplesOf(kind, variables, rows, graphs) {
  if (kind === "triples") return rows.map((r) => [r.subject, name(r.predicate.value), r.object]);
  const columns = spo(variables);
  if (columns) return rows.flatMap((r) => (r[columns[0]] && r[columns[1]] && r[columns[2]] ? [[r[columns[0]], r[columns[1]].type === "uri" ? name(r[columns[1]].value) : r[columns[1]].value, r[columns[2]]]] : []));
  const edges = graphs.flatMap((g) => connections(g, new Set(variables)));
  const triples = [];
  for (const row of rows) {
    for (const [from, edge, to] of edges) {
      const [a, b] = [end(from, row), end(to, row)];
      if (a && b) triples.push([a, edge.map((e) => (e.variable ? nameOf(row[e.label.slice(1)]) : label(e.label))).join(" / "), b]);
    }
  }
  if (!triples.length && variables.length === 2) return rows.flatMap((r) => (r[variables[0]] && r[variables[1]] ? [[r[variables[0]], "", r[variables[1]]]] : []));
  return triples;
}

/** connections are the ways between vertices that a row has values for, through vertices that it has not. */
function connections(graph, selected) {
  const known = graph.vertices.map((v) => !v.variable || selected.has(v.label.slice(1)));
  const ways = [];
  graph.vertices.forEach((vertex, start) => {
    if (!known[start]) return;
    const seen = new Set([start]);
    let border = [[start, []]];
    while (border.length) {
      const next = [];
      for (const [at, way] of border) {
        for (const e of graph.edges) {
          if (e.from !== at && e.to !== at) continue;
          const to = e.from === at ? e.to : e.from;
          const direct = way.length === 0;
          if (known[to]) {
            const forward = direct ? e.from === start : start < to;
            if (forward && (to !== start || (direct && e.from === e.to)) && (direct || !seen.has(`to ${to}`))) ways.push([vertex, [...way, e], graph.vertices[to]]);
            if (!direct) seen.add(`to ${to}`);
          } else if (!seen.has(to)) {
            seen.add(to);
            next.push([to, [...way, e]]);
          }
        }
      }
      border = next;
    }
  });
  return ways;
}

const nameOf = (t) => (t ? (t.type === "uri" ? name(t.value) : t.value) : "");

function end(vertex, row) {
  if (vertex.variable) return row[vertex.label.slice(1)];
  if (vertex.label.startsWith("<")) return { type: "uri", value: vertex.label.slice(1, -1) };
  return { type: "literal", value: vertex.label };
}

function spo(variables) {
  for (const names of [["s", "p", "o"], ["subject", "predicate", "object"], ["from", "link", "to"], ["source", "edge", "target"]]) {
    if (names.every((n) => variables.includes(n))) return names;
  }
  return undefined;
}

/** drawing is the nodes and edges of triples, up to a number of nodes. */
function drawing(triples) {
  const nodes = new Map();
  const edges = new Map();
  let all = true;
  const node = (t) => {
    const k = key(t);
    if (!nodes.has(k)) {
      if (nodes.size >= mostNodes) return undefined;
      nodes.set(k, { key: k, iri: t.type === "uri" ? t.value : undefined, title: t.value, kind: t.type === "literal" ? "constant literal" : t.type === "bnode" ? "blank" : "iri",
        label: cut(t.type === "uri" ? name(t.value) : t.type === "bnode" ? "·" : t.value, 26), size: t.type === "literal" ? undefined : 10 });
    }
    return k;
  };
  for (const [s, p, o] of triples) {
    const [from, to] = [node(s), node(o)];
    if (from && to) edges.set(`${from}\n${p}\n${to}`, { from, to, label: cut(p, 24) });
    else all = false;
  }
  return [[...nodes.values()], [...edges.values()], all];
}
