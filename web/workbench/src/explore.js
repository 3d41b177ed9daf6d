// The exploration graph: it begins at one thing and grows by clicks.

import { h, put, count, short } from "./dom.js";
import { name, cut } from "./names.js";
import { resourceLink, exploreLink, plainText } from "./cells.js";
import { called, fetchLabels, isNaming } from "./labels.js";
import { Things, isSafe } from "./things.js";
import { problemOf } from "./api.js";
import { GraphView } from "./graph.js";
import { pictureMenu } from "./picture.js";
import { searchField } from "./search.js";

/** A click adds at most atOnce neighbours; mostNodes is where the drawing stops growing. */
const atOnce = 12;
const mostNodes = 400;
const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** draw shows the start, or the graph around an IRI, and returns what ends its requests. */
export function draw(box, iri, { store, actions }) {
  if (!iri) return drawStart(box, store);
  const abort = new AbortController();
  const explorer = new Explorer(box, new Things(store), actions, abort.signal);
  explorer.begin(store, iri);
  return () => abort.abort();
}

function drawStart(box, store) {
  const members = (c) => h("li", {}, h("a", { href: resourceLink(c.iri) }, h("span", {}, name(c.iri)), h("small", {}, count(c.members))));
  box.replaceChildren(h("div", { class: "resource" }, h("h1", {}, "Explore"), h("p", { class: "lead" }, "Begin at one thing: see what is known about it, or walk from it through the graph."), searchField(store, resourceLink, true),
    h("h2", {}, "Classes"), h("ul", { class: "class-list" }, store.schema.classes.slice(0, 60).map(members))));
}

class Explorer {
  constructor(box, things, actions, signal) {
    Object.assign(this, { box, things, actions, signal });
    this.nodes = new Map();
    this.edges = new Map();
  }

  begin(store, iri) {
    this.status = h("p", { class: "found-status", role: "status" });
    this.panel = h("aside", { class: "explore-panel", "aria-label": "The chosen thing" });
    const inner = h("div", { class: "explore-graph" });
    this.box.replaceChildren(h("div", { class: "explore" }, h("h1", { class: "unseen" }, "Exploration graph"), h("div", { class: "explore-main" },
      h("div", { class: "view-bar" }, searchField(store, exploreLink), h("span", { class: "spring" }), this.status, h("button", { class: "quiet", onclick: () => this.view.fit() }, "Whole"), h("button", { class: "quiet", onclick: () => this.reset() }, "Only this"), pictureMenu(() => this.view.svg, "exploration")), inner), this.panel));
    this.view = new GraphView(inner, { title: "Exploration graph", largest: 1.15, declutter: true, spread: 1.15, pick: (node) => this.pick(node) });
    if (!isSafe(iri)) return this.say("This is no IRI that a query could hold.");
    this.add({ type: "uri", value: iri });
    this.pick({ key: `uri ${iri}` });
  }

  say(text) {
    this.status.textContent = text;
  }

  add(term) {
    const key = `${term.type} ${term.value}`;
    if (!this.nodes.has(key) && this.nodes.size < mostNodes) this.nodes.set(key, { key, term, opened: false });
    return this.nodes.has(key) ? key : undefined;
  }

  link(from, predicate, to) {
    if (from && to) this.edges.set(`${from}\n${predicate}\n${to}`, { from, to, predicate });
  }

  /** pick shows what can be added to a thing; the second time, and the first thing, it opens. */
  async pick({ key }) {
    const node = this.nodes.get(key);
    if (!node) return;
    const again = this.chosen === node || this.nodes.size === 1;
    this.chosen = node;
    this.redraw(false);
    if (node.term.type !== "uri") return this.panel.replaceChildren(h("h2", {}, cut(plainText(node.term), 200)));
    try {
      await this.learn(node);
      if (this.chosen === node) this.drawPanel(node);
      if (again && !node.opened) await this.open(node);
    } catch (error) {
      if (error.name !== "AbortError") this.say(problemOf(error).detail ?? problemOf(error).title);
    }
  }

  /** learn asks once what a thing says and what says it. */
  async learn(node) {
    if (node.ways) return;
    const [says, saidBy] = await Promise.all([this.things.says(node.term.value, 1000, this.signal), this.things.saidBy(node.term.value, this.signal)]);
    const out = new Map();
    for (const [p, o] of says) out.set(p, [...(out.get(p) ?? []), o]);
    node.ways = [...[...out].map(([p, objects]) => ({ p, out: true, objects, count: objects.length })), ...saidBy.map(([p, n]) => ({ p, out: false, count: n }))];
    await fetchLabels([node.term.value, ...node.ways.map((w) => w.p)], this.signal);
  }

  drawPanel(node) {
    const { value } = node.term;
    const way = (w) => h("li", {}, h("button", { class: "entry", title: w.p, onclick: () => this.grow(node, w, atOnce) }, h("span", { class: "what" }, w.out ? "→ " : "← ", called(w.p) ?? name(w.p)), h("span", { class: "many" }, short(w.count))));
    const naming = node.ways.filter((w) => w.out && isNaming(w.p)).length;
    put(this.panel, h("h2", {}, called(value) ?? name(value)), h("p", { class: "address" }, value),
      h("div", { class: "row" }, h("button", { class: "run", onclick: () => this.open(node) }, "Open"), h("a", { class: "quiet", href: resourceLink(value) }, "Page"), this.nodes.size > 1 && h("button", { class: "quiet", onclick: () => this.remove(node) }, "Remove")),
      h("h3", {}, "Add by predicate"), h("ul", { class: "entries" }, node.ways.filter((w) => !(w.out && isNaming(w.p))).map(way)), naming > 0 && h("p", { class: "found-status" }, "Names are not drawn."));
  }

  /** open adds the neighbours by every predicate, a few of each. */
  async open(node) {
    node.opened = true;
    const ways = node.ways.filter((w) => !(w.out && isNaming(w.p)) && w.p !== rdfType).slice(0, 14);
    const each = Math.max(2, Math.floor(24 / Math.max(1, ways.length)));
    for (const w of ways) await this.connect(node, w, each);
    await this.named();
  }

  async grow(node, way, limit) {
    await this.connect(node, way, limit);
    await this.named();
  }

  /** connect adds some of the things that a way leads to; each call goes further. */
  async connect(node, way, limit) {
    const from = way.taken ?? 0;
    const terms = way.out ? way.objects.slice(from, from + limit) : await this.things.subjects(node.term.value, way.p, limit, from, this.signal);
    way.taken = from + terms.length;
    for (const term of terms) {
      const key = this.add(term);
      if (way.out) this.link(node.key, way.p, key);
      else this.link(key, way.p, node.key);
    }
    if (this.nodes.size >= mostNodes) this.say(`The drawing stops at ${mostNodes} things: remove some.`);
  }

  /** named fetches what the new things are called and draws. */
  async named() {
    this.redraw(true);
    await fetchLabels([...this.nodes.values()].filter((n) => n.term.type === "uri").map((n) => n.term.value), this.signal);
    this.redraw(true);
    this.say(`${count(this.nodes.size)} things, ${count(this.edges.size)} links`);
  }

  remove(node) {
    this.nodes.delete(node.key);
    for (const [key, e] of this.edges) if (e.from === node.key || e.to === node.key) this.edges.delete(key);
    this.chosen = undefined;
    this.panel.replaceChildren();
    this.redraw(true);
  }

  /** reset keeps the chosen thing alone. */
  reset() {
    const kept = this.chosen ?? [...this.nodes.values()][0];
    kept.opened = false;
    for (const w of kept.ways ?? []) w.taken = 0;
    this.nodes = new Map([[kept.key, kept]]);
    this.edges.clear();
    this.redraw(true);
  }

  redraw(changed) {
    if (changed) this.view.set([...this.nodes.values()].map((n) => this.drawn(n)), [...this.edges.values()].map((e) => ({ ...e, label: cut(called(e.predicate) ?? name(e.predicate), 26), title: e.predicate })));
    for (const n of this.view.nodes) n.group.classList.toggle("chosen", n.key === this.chosen?.key);
  }

  drawn(n) {
    const { type, value } = n.term;
    if (type === "literal") return { key: n.key, label: cut(value, 26), title: value, kind: "constant literal" };
    return { key: n.key, label: type === "uri" ? cut(called(value) ?? name(value), 30) : "", title: value, kind: type === "uri" ? (n.opened ? "iri" : "iri unopened") : "blank", size: n.opened ? 17 : 11, kept: n === this.chosen };
  }
}
