// A graph in an SVG: the query graph, the graph of a result, and how classes connect.

import { s } from "./dom.js";
import { layout } from "./layout.js";
import { declutter } from "./declutter.js";

const measure = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, font) => {
    context.font = font;
    return context.measureText(text).width;
  };
})();

const fonts = { label: "500 12.5px system-ui, sans-serif", small: "11px system-ui, sans-serif" };

/** GraphView draws nodes {key, label, sub, kind, badge, size} and edges {from, to, label, kind} in an SVG. */
export class GraphView {
  constructor(container, options = {}) {
    this.options = options;
    this.nodes = [];
    this.edges = [];
    this.view = { x: 0, y: 0, k: 1 };
    this.camera = s("g", { class: "camera" });
    this.arrow = `arrow-${Math.random().toString(36).slice(2)}`;
    this.svg = s("svg", { class: "graph", role: options.pick ? "group" : "img", "aria-label": options.title ?? "Graph" },
      s("defs", {}, s("marker", { id: this.arrow, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" },
        s("path", { d: "M0 .8 7.2 4 0 7.2z", class: "arrow" }))), this.camera);
    container.append(this.svg);
    this.listen();
    this.sizes = new ResizeObserver(() => !this.moved && this.fit());
    this.sizes.observe(this.svg);
  }

  /** set draws another graph; nodes that were there keep their places where that reads as well as anything else. */
  set(nodes, edges) {
    const old = new Map(this.nodes.map((n) => [n.key, n]));
    const index = new Map();
    this.nodes = nodes.map((given) => {
      const node = { ...given, ...shape(given), links: 0 };
      index.set(given.key, node);
      return node;
    });
    this.edges = bend(edges.flatMap((e) => {
      const from = index.get(e.from);
      const to = index.get(e.to);
      return from && to ? [{ ...e, from, to, width: e.label ? measure(e.label, fonts.small) : 0 }] : [];
    }));
    for (const e of this.edges) {
      e.from.links++;
      e.to.links++;
    }
    this.moved = false;
    const box = this.svg.getBoundingClientRect();
    const wide = box.width && box.height ? Math.min(2.6, Math.max(0.6, box.width / box.height)) : 1.4;
    layout(this.nodes, this.edges, old, wide, this.options.spread ?? 1);
    placeLabels(this.nodes, this.edges);
    this.draw();
    this.fit();
  }

  draw() {
    const links = s("g", { class: "edges" });
    const labels = s("g", { class: "edge-labels" });
    const nodes = s("g", { class: "nodes" });
    for (const e of this.edges) {
      e.path = s("path", { class: `edge ${e.kind ?? ""}`, "marker-end": `url(#${this.arrow})` });
      links.append(e.path);
      if (e.label) {
        const width = measure(e.label, fonts.small) + 8;
        e.text = s("g", { class: `edge-label ${e.kind ?? ""}` }, s("rect", { x: -width / 2, y: -8, width, height: 16, rx: 3 }),
          s("text", { "text-anchor": "middle", dy: ".34em" }, e.label), e.title && s("title", {}, e.title));
        labels.append(e.text);
      }
    }
    for (const n of this.nodes) {
      n.group = s("g", { class: `node ${n.kind ?? ""}`, ...(this.options.pick && { tabindex: 0, role: "button" }) },
        n.round ? s("circle", { r: n.w / 2 }) : s("rect", { x: -n.w / 2, y: -n.h / 2, width: n.w, height: n.h, rx: n.kind === "variable" ? n.h / 2 : 4 }),
        s("text", { "text-anchor": "middle", y: n.round ? n.w / 2 + 13 : n.sub ? -6 : 0, dy: ".35em" }, n.label),
        n.sub && s("text", { class: "sub", "text-anchor": "middle", y: n.round ? n.w / 2 + 27 : 10, dy: ".35em" }, n.sub),
        n.badge && s("g", { class: "badge", transform: `translate(${-n.w / 2 + 2},${-n.h / 2 + 1})` }, s("circle", { r: 8 }), s("text", { "text-anchor": "middle", dy: ".36em" }, n.badge)),
        n.title && s("title", {}, n.title));
      n.group.__node = n;
      nodes.append(n.group);
    }
    labels.classList.toggle("hush", Boolean(this.options.hush));
    links.classList.toggle("dense", this.edges.length > 80);
    this.camera.replaceChildren(links, labels, nodes);
    this.grow = undefined;
    this.place();
  }

  place() {
    for (const n of this.nodes) n.group.setAttribute("transform", `translate(${n.x.toFixed(1)},${n.y.toFixed(1)})`);
    for (const e of this.edges) placeEdge(e, this.grow);
  }

  /** fit shows the whole drawing. */
  fit() {
    const box = this.svg.getBoundingClientRect();
    if (!this.nodes.length || !box.width || !box.height) return;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const n of this.nodes) {
      const below = n.round ? n.h / 2 + (n.sub ? 34 : 20) : n.h / 2;
      const half = Math.max(n.w, n.textWidth) / 2;
      left = Math.min(left, n.x - half);
      right = Math.max(right, n.x + half);
      top = Math.min(top, n.y - n.h / 2 - 8);
      bottom = Math.max(bottom, n.y + below);
    }
    for (const e of this.edges) {
      const m = middle(e);
      left = Math.min(left, m.x - 20);
      right = Math.max(right, m.x + 20);
      top = Math.min(top, m.y - 10);
      bottom = Math.max(bottom, m.y + 10);
    }
    const margin = 18;
    const k = Math.min((box.width - 2 * margin) / (right - left), (box.height - 2 * margin) / (bottom - top), this.options.largest ?? 1.25);
    this.view = { k, x: box.width / 2 - (k * (left + right)) / 2, y: box.height / 2 - (k * (top + bottom)) / 2 };
    this.look();
  }

  look() {
    this.camera.setAttribute("transform", `translate(${this.view.x},${this.view.y}) scale(${this.view.k})`);
    if (!this.options.declutter || this.clearing) return;
    this.clearing = requestAnimationFrame(() => {
      this.clearing = undefined;
      this.clear();
    });
  }

  /** clear keeps text at its size when the drawing is small, and hides labels that would cover others. */
  clear() {
    const grow = Math.max(1, 1 / this.view.k);
    if (grow !== this.grow) {
      this.grow = grow;
      for (const e of this.edges) placeEdge(e, grow);
    }
    declutter(this.nodes, this.edges.map((e) => ({ ...e, ...middle(e), text: e.text })), this.view, grow, this.svg.getBoundingClientRect().width);
  }

  listen() {
    this.svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && this.options.calm && !this.moved) return; // scroll the page past it
      event.preventDefault();
      const factor = Math.exp(-event.deltaY * 0.0015);
      const k = Math.min(4, Math.max(0.1, this.view.k * factor));
      const box = this.svg.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      this.view = { k, x: x - ((x - this.view.x) * k) / this.view.k, y: y - ((y - this.view.y) * k) / this.view.k };
      this.moved = true;
      this.look();
    }, { passive: false });
    this.svg.addEventListener("pointerover", (event) => this.light(event.target.closest?.(".node")?.__node));
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("dblclick", () => {
      this.moved = false;
      this.fit();
    });
    this.svg.addEventListener("keydown", (event) => {
      const node = event.target.__node;
      if (node && (event.key === "Enter" || event.key === " ")) this.options.pick?.(node, event);
      else return;
      event.preventDefault();
    });
  }

  /** light shows the edges of the node under the pointer. */
  light(node) {
    if (node === this.lit) return;
    this.lit = node;
    for (const e of this.edges) {
      const on = node !== undefined && (e.from === node || e.to === node);
      e.path.classList.toggle("lit", on);
      e.text?.classList.toggle("lit", on);
    }
    for (const n of this.nodes) n.group.classList.toggle("lit", n === node);
  }

  /** grab moves a node, or the whole drawing. */
  grab(event) {
    const node = event.target.closest(".node")?.__node;
    let [x, y] = [event.clientX, event.clientY];
    let far = 0;
    this.svg.setPointerCapture(event.pointerId);
    this.svg.classList.add("dragging");
    const move = (e) => {
      const [dx, dy] = [e.clientX - x, e.clientY - y];
      [x, y] = [e.clientX, e.clientY];
      far += Math.abs(dx) + Math.abs(dy);
      if (node && far > 3) {
        node.x += dx / this.view.k;
        node.y += dy / this.view.k;
        this.place();
      } else if (!node) {
        this.view.x += dx;
        this.view.y += dy;
        this.moved = this.moved || far > 3;
        this.look();
      }
    };
    const drop = (e) => {
      this.svg.removeEventListener("pointermove", move);
      this.svg.classList.remove("dragging");
      if (node && far <= 3) this.options.pick?.(node, e);
    };
    this.svg.addEventListener("pointermove", move);
    this.svg.addEventListener("pointerup", drop, { once: true });
  }
}

/** shape measures a node. A node with a size is a circle with its label below, others are boxes around their label. */
function shape(node) {
  const textWidth = Math.max(measure(node.label, fonts.label), node.sub ? measure(node.sub, fonts.small) : 0);
  if (node.size) return { round: true, w: node.size, h: node.size, textWidth };
  return { w: Math.max(34, textWidth + 22), h: node.sub ? 40 : 27, textWidth };
}

/** bend gives each of several edges between the same two nodes a curve of its own. */
function bend(edges) {
  const groups = new Map();
  for (const e of edges) {
    const key = [e.from.key, e.to.key].sort().join("\n");
    groups.set(key, [...(groups.get(key) ?? []), e]);
  }
  for (const group of groups.values()) {
    group.forEach((e, i) => {
      const side = e.from.key <= e.to.key ? 1 : -1;
      e.bend = (i - (group.length - 1) / 2) * 46 * side;
      e.turn = i;
    });
  }
  return edges;
}

/** edgePoint is where a line from a node's centre towards (x, y) leaves the node. */
function edgePoint(node, x, y) {
  const [dx, dy] = [x - node.x, y - node.y];
  const distance = Math.hypot(dx, dy) || 1;
  if (node.round) {
    const r = node.w / 2 + 2;
    return { x: node.x + (dx / distance) * r, y: node.y + (dy / distance) * r };
  }
  const scale = Math.min((node.w / 2 + 2) / Math.abs(dx || 1e-6), (node.h / 2 + 2) / Math.abs(dy || 1e-6));
  return { x: node.x + dx * scale, y: node.y + dy * scale };
}

function control(e) {
  const { from: a, to: b } = e;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const distance = Math.hypot(dx, dy) || 1;
  return { x: (a.x + b.x) / 2 - (dy / distance) * e.bend, y: (a.y + b.y) / 2 + (dx / distance) * e.bend };
}

function middle(e) {
  if (e.from === e.to) return { x: e.from.x, y: e.from.y - e.from.h / 2 - 38 - 16 * e.turn };
  const c = control(e);
  const start = edgePoint(e.from, c.x, c.y);
  const end = edgePoint(e.to, c.x, c.y);
  const t = e.at ?? 0.5;
  const [p, q, r] = [(1 - t) * (1 - t), 2 * t * (1 - t), t * t];
  return { x: p * start.x + q * c.x + r * end.x, y: p * start.y + q * c.y + r * end.y };
}

/** placeLabels moves each label along its edge to where it covers least. */
function placeLabels(nodes, edges) {
  if (edges.length > 80) return;
  const taken = nodes.map((n) => ({ x: n.x, y: n.y + (n.round ? 16 : 0), w: Math.max(n.w, n.textWidth), h: n.round ? n.h + 34 : n.h }));
  const covered = (a) => taken.reduce((sum, b) => {
    const [x, y] = [(a.w + b.w) / 2 - Math.abs(a.x - b.x), (a.h + b.h) / 2 - Math.abs(a.y - b.y)];
    return x > 0 && y > 0 ? sum + Math.min(x, a.w) * Math.min(y, a.h) : sum;
  }, 0);
  for (const e of edges) {
    if (!e.width) continue;
    let best = Infinity;
    for (const at of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
      const cost = covered({ ...middle({ ...e, at }), w: e.width + 8, h: 17 }) + 40 * Math.abs(at - 0.5);
      if (cost < best) [best, e.at] = [cost, at];
    }
    taken.push({ ...middle(e), w: e.width + 8, h: 17 });
  }
}

function placeEdge(e, grow = 1) {
  const { from: a, to: b } = e;
  if (a === b) {
    const top = a.y - a.h / 2 - 1;
    const high = 44 + 18 * e.turn;
    e.path.setAttribute("d", `M${a.x - 12} ${top}C${a.x - 34} ${top - high} ${a.x + 34} ${top - high} ${a.x + 12} ${top}`);
  } else {
    const c = control(e);
    const start = edgePoint(a, c.x, c.y);
    const end = edgePoint(b, c.x, c.y);
    e.path.setAttribute("d", `M${start.x.toFixed(1)} ${start.y.toFixed(1)}Q${c.x.toFixed(1)} ${c.y.toFixed(1)} ${end.x.toFixed(1)} ${end.y.toFixed(1)}`);
  }
  if (e.text) {
    const m = middle(e);
    e.text.setAttribute("transform", `translate(${m.x.toFixed(1)},${m.y.toFixed(1)}) scale(${grow.toFixed(3)})`);
  }
}
