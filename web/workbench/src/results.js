// The result area: table, graph, plan and raw text of one answer.

import { h, $, count, short, time, copy } from "./dom.js";
import { name, display, cut, label } from "./names.js";
import { GraphView } from "./graph.js";
import { drawPlan, drawComparison } from "./plan.js";
import { token, call } from "./api.js";

const formats = {
  solutions: [["json", "JSON"], ["xml", "XML"], ["csv", "CSV"], ["tsv", "TSV"]],
  boolean: [["json", "JSON"], ["xml", "XML"], ["csv", "CSV"], ["tsv", "TSV"]],
  triples: [["turtle", "Turtle"], ["ntriples", "N-Triples"], ["rdfxml", "RDF/XML"]],
};

const pageRows = 150;
const graphNodes = 110;

export class Results {
  constructor(container, actions) {
    this.actions = actions;
    this.tab = "table";
    this.status = h("p", { class: "status", role: "status" });
    this.tabs = h("div", { class: "tabs", role: "tablist" });
    this.save = h("div", { class: "save" });
    this.body = h("div", { class: "result-body", tabindex: -1 });
    container.append(h("div", { class: "result-bar" }, this.tabs, h("span", { class: "spring" }), this.status, this.save), this.body);
    this.reset();
  }

  reset() {
    this.answer = undefined;
    this.plan = undefined;
    this.comparison = undefined;
    this.problem = undefined;
  }

  /** start shows that a query runs. */
  start(ask) {
    this.reset();
    this.ask = ask;
    this.began = performance.now();
    this.running = true;
    if (this.tab === "overview") this.tab = "table";
    this.show();
    this.tick();
  }

  tick() {
    if (!this.running) return;
    this.report();
    requestAnimationFrame(() => setTimeout(() => this.tick(), 60));
  }

  /** grow takes an answer that is arriving. */
  grow(answer) {
    const first = this.answer === undefined;
    this.answer = answer;
    if (first && answer.kind === "triples" && this.tab === "table" && answer.rows.length) this.tab = "graph";
    if (this.tab === "table" && (first || this.shown < pageRows)) this.show();
    else this.report();
  }

  done(answer) {
    this.running = false;
    this.elapsed = performance.now() - this.began;
    this.answer = answer;
    this.show();
  }

  fail(problem) {
    this.running = false;
    this.elapsed = performance.now() - this.began;
    this.problem = problem;
    this.show();
  }

  choose(tab) {
    this.tab = tab;
    this.actions.chose(tab);
    this.show();
  }

  report() {
    this.status.replaceChildren(...this.summary());
  }

  summary() {
    const found = this.answer?.rows.length ?? 0;
    const noun = (n) => (this.answer?.kind === "triples" ? (n === 1 ? " triple" : " triples") : n === 1 ? " row" : " rows");
    if (this.running) {
      return [h("span", { class: "spinner", "aria-hidden": "true" }), found ? `${count(found)}${noun(found)}, counting… ` : "Running… ", h("span", { class: "clock" }, time(performance.now() - this.began))];
    }
    if (this.problem || !this.answer) return [];
    if (this.answer.kind === "boolean") return [h("span", { class: "clock" }, time(this.elapsed))];
    const total = this.answer.total ?? found;
    const note = total > found ? `, first ${count(found)} here` : "";
    const server = /total;dur=([\d.]+)/.exec(this.answer.timing ?? "")?.[1];
    return [h("b", {}, count(total)), noun(total), note, " · ", h("span", { class: "clock" }, server ? `${time(Number(server))} in the engine, ${time(this.elapsed)} in all` : time(this.elapsed))];
  }

  show() {
    const tabs = [["overview", "Dataset"], ["table", "Table"], ["graph", "Graph"], ["plan", "Plan"], ["raw", "Raw"]];
    this.tabs.replaceChildren(...tabs.map(([tab, title]) => h("button", { role: "tab", id: `tab-${tab}`, "aria-selected": String(tab === this.tab), onclick: () => this.choose(tab) }, title)));
    this.report();
    this.drawSave();
    this.shown = 0;
    this.body.className = `result-body show-${this.tab}`;
    if (this.tab === "overview") return this.actions.overview(this.body);
    if (this.tab === "plan") return this.drawPlan();
    if (this.problem) return this.drawProblem();
    if (!this.answer) return this.drawWaiting();
    if (this.tab === "raw") return this.drawRaw();
    if (this.answer.kind === "boolean") return this.drawBoolean();
    if (this.tab === "graph") return this.drawGraph();
    return this.drawTable();
  }

  drawWaiting() {
    if (this.running) {
      this.body.replaceChildren(h("div", { class: "waiting" }, Array.from({ length: 7 }, (_, i) => h("div", { class: "ghost", style: `width:${92 - 9 * (i % 4)}%` }))));
    } else {
      this.body.replaceChildren(h("p", { class: "empty" }, "Run a query to see its answer here.", h("kbd", {}, "Ctrl ↵")));
    }
  }

  drawProblem() {
    const p = this.problem;
    this.body.replaceChildren(h("div", { class: "problem" },
      h("h2", {}, capital(p.title), p.line > 0 && h("small", {}, ` line ${p.line}, column ${p.column}`)),
      p.detail && h("p", {}, p.detail),
      p.expected?.length > 0 && h("p", {}, "Expected ", p.expected.slice(0, 12).map((e, i) => [i > 0 && ", ", h("code", {}, e)]), p.expected.length > 12 && " …"),
      p.hint && h("p", { class: "hint" }, p.hint),
      p.query && h("p", { class: "fine" }, `query ${p.query}`)));
  }

  drawBoolean() {
    this.body.replaceChildren(h("div", { class: "boolean" }, h("b", { class: this.answer.boolean ? "yes" : "no" }, this.answer.boolean ? "Yes" : "No"), h("span", {}, this.answer.boolean ? "The pattern has a solution." : "The pattern has no solution.")));
  }

  drawRaw() {
    const raw = this.answer.raw;
    const limit = 200_000;
    this.body.replaceChildren(h("pre", { class: "raw" }, raw.slice(0, limit)), raw.length > limit ? h("p", { class: "more" }, `The first ${short(limit)} characters of ${short(this.answer.bytes)}. Save the answer to see all of it.`) : "");
  }

  drawTable() {
    const { variables, rows } = this.answer;
    if (!rows.length) {
      this.body.replaceChildren(this.running ? h("div") : h("div", { class: "empty" }, h("p", {}, "No solution. "), h("button", { class: "quiet", onclick: () => this.choose("plan") }, "See the plan")));
      return;
    }
    const body = h("tbody");
    const more = h("div", { class: "sentinel" });
    this.body.replaceChildren(h("table", { class: "answer" }, h("thead", {}, h("tr", {}, h("th", { class: "n" }), variables.map((v) => h("th", {}, v)))), body), more);
    const numeric = variables.map((v) => rows.slice(0, 50).every((r) => !r[v] || isNumber(r[v])));
    const next = () => {
      const from = this.shown;
      const part = rows.slice(from, from + pageRows);
      this.shown += part.length;
      body.append(...part.map((row, i) => h("tr", {}, h("td", { class: "n" }, count(from + i + 1)), variables.map((v, c) => h("td", { class: numeric[c] ? "number" : "" }, row[v] ? this.term(row[v]) : "")))));
      const total = this.answer.total ?? rows.length;
      more.textContent = this.shown >= rows.length && total > rows.length ? `${count(rows.length)} of ${count(total)} shown. Save the answer to get all of them.` : "";
    };
    next();
    this.watch?.disconnect();
    this.watch = new IntersectionObserver((seen) => seen[0].isIntersecting && this.shown < rows.length && next(), { root: this.body, rootMargin: "600px" });
    this.watch.observe(more);
  }

  /** term is one cell. */
  term(t) {
    if (t.type === "uri") {
      const parts = display(t.value);
      return h("button", { class: "iri", title: t.value, onclick: (event) => this.menu(event, t.value) }, parts ? [h("i", {}, `${parts[0]}:`), parts[1]] : spaced(t.value));
    }
    if (t.type === "bnode") return h("span", { class: "blank" }, `_:${cut(t.value, 24)}`);
    const tag = t["xml:lang"] ? h("sup", {}, t["xml:lang"]) : t.datatype && !isNumber(t) ? h("sup", {}, name(t.datatype)) : "";
    return h("span", { class: "literal", title: t.value.length > 300 ? t.value : undefined }, cut(t.value, 300), tag);
  }

  /** menu offers what can be done with an IRI. */
  menu(event, iri) {
    document.querySelector(".menu")?.remove();
    const item = (text, action) => h("button", { onclick: () => { close(); action(); } }, text);
    const menu = h("div", { class: "menu", role: "menu" }, h("p", {}, iri),
      item("What it says", () => this.actions.run(`SELECT ?predicate ?object WHERE {\n  <${iri}> ?predicate ?object .\n}`)),
      item("What says it", () => this.actions.run(`SELECT ?subject ?predicate WHERE {\n  ?subject ?predicate <${iri}> .\n}\nLIMIT 1000`)),
      item("Copy", () => copy(iri)),
      /^https?:/.test(iri) && item("Open ↗", () => window.open(iri, "_blank", "noopener,noreferrer")));
    const close = () => { menu.remove(); removeEventListener("pointerdown", outside, true); removeEventListener("keydown", escape, true); };
    const outside = (e) => !menu.contains(e.target) && close();
    const escape = (e) => e.key === "Escape" && (close(), e.stopPropagation());
    document.body.append(menu);
    const box = menu.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(event.clientX, innerWidth - box.width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(event.clientY + 6, innerHeight - box.height - 8))}px`;
    addEventListener("pointerdown", outside, true);
    addEventListener("keydown", escape, true);
    menu.querySelector("button").focus();
  }

  /** know hears that the query graph of a text is there now; a result drawn without it can be drawn again. */
  know(text) {
    if (this.tab === "graph" && this.answer?.kind === "solutions" && this.ask.text === text) this.drawGraph();
  }

  drawGraph() {
    const triples = triplesOf(this.answer, this.actions.queryGraphs());
    if (!triples.length) {
      this.body.replaceChildren(h("p", { class: "empty" }, this.answer.rows.length ? "These rows have no two columns that the query connects. CONSTRUCT makes any pattern a graph." : "Nothing to draw."));
      return;
    }
    const [nodes, edges, all] = drawing(triples);
    const box = h("div", { class: "graph-box" });
    this.body.replaceChildren(box, all ? "" : h("p", { class: "note" }, `The first ${nodes.length} nodes`));
    new GraphView(box, { title: "Result as a graph", largest: 1.1, hush: edges.length > 45, pick: (node, event) => node.iri && this.menu(event, node.iri) }).set(nodes, edges);
  }

  async drawPlan() {
    const run = h("button", { class: "quiet", onclick: () => this.analyze() }, "Run and measure");
    const both = h("button", { class: "quiet", onclick: () => this.compare() }, "CPU beside GPU");
    const box = h("div", { class: "plan-box" });
    this.body.replaceChildren(h("div", { class: "plan-bar" }, run, both), box);
    if (this.comparison) return box.replaceChildren(this.comparison);
    if (this.plan) return box.replaceChildren(drawPlan(this.plan));
    await this.fetchPlan(box, () => this.actions.explain(false), drawPlan);
  }

  async fetchPlan(box, get, draw) {
    box.replaceChildren(h("div", { class: "waiting" }, Array.from({ length: 5 }, (_, i) => h("div", { class: "ghost", style: `width:${80 - 12 * (i % 3)}%` }))));
    try {
      const drawn = draw(await get());
      if (this.tab === "plan" && box.isConnected) box.replaceChildren(drawn);
    } catch (error) {
      if (error.name !== "AbortError") box.replaceChildren(h("p", { class: "problem" }, error.problem?.line ? `Line ${error.problem.line}: ` : "", error.message));
      else box.replaceChildren(h("p", { class: "empty" }, "Cancelled."));
    }
  }

  analyze() {
    this.comparison = undefined;
    this.fetchPlan(this.body.querySelector(".plan-box"), async () => (this.plan = await this.actions.explain(true)), drawPlan);
  }

  compare() {
    const device = this.actions.device();
    if (!device?.available) {
      this.body.querySelector(".plan-box").replaceChildren(h("p", { class: "empty" }, `This server has no usable GPU${device?.reason ? `: ${device.reason}` : ""}. The plan is the same on both; only the matching differs.`));
      return;
    }
    this.fetchPlan(this.body.querySelector(".plan-box"), async () => {
      const cpu = await this.actions.explain(true, "cpu");
      await this.actions.explain(true, "gpu"); // the first run copies partitions to the device
      return [cpu, await this.actions.explain(true, "gpu")];
    }, ([cpu, gpu]) => (this.comparison = drawComparison(cpu, gpu)));
  }

  drawSave() {
    const kind = this.answer?.kind;
    if (!kind || this.running) return this.save.replaceChildren();
    const list = formats[kind].map(([format, title]) => h("button", { onclick: () => this.download(format) }, title));
    this.save.replaceChildren(h("details", { class: "drop" }, h("summary", { class: "quiet" }, "Save"), h("div", {}, list)));
  }

  /** download fetches the whole answer in a format; with a token it cannot be a plain link. */
  async download(format) {
    this.save.querySelector("details")?.removeAttribute("open");
    const extension = { turtle: "ttl", ntriples: "nt", rdfxml: "rdf" }[format] ?? format;
    const parameters = new URLSearchParams({ query: this.ask.text, ...this.ask.settings, format });
    let href = `sparql?${parameters}`;
    if (token() || href.length > 60_000) {
      const response = await call("sparql", { method: "POST", body: parameters, headers: { Accept: "*/*" } });
      href = URL.createObjectURL(await response.blob());
    }
    h("a", { href, download: `answer.${extension}` }).click();
  }
}

/** spaced is a long IRI with its namespace stepping back. */
function spaced(iri) {
  const at = Math.max(iri.lastIndexOf("#"), iri.lastIndexOf("/"), iri.lastIndexOf(":")) + 1;
  if (at < 8 || at === iri.length) return cut(iri, 110);
  return [h("i", { class: "space" }, cut(iri.slice(0, at), 80)), cut(iri.slice(at), 60)];
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const isNumber = (t) => t.type === "literal" && /#(integer|decimal|double|float|int|long|short|byte|nonNegativeInteger|positiveInteger)$/.test(t.datatype ?? "");

const key = (t) => `${t.type} ${t.value} ${t["xml:lang"] ?? ""} ${t.datatype ?? ""}`;

/** triplesOf makes an answer a list of [subject, label, object]: its triples, its s-p-o columns, or the edges of the
 * query graph with each row's values. */
export function triplesOf(answer, graphs) {
  const { variables, rows } = answer;
  if (answer.kind === "triples") return rows.map((r) => [r.subject, name(r.predicate.value), r.object]);
  const columns = spo(variables);
  if (columns) return rows.flatMap((r) => (r[columns[0]] && r[columns[1]] && r[columns[2]] ? [[r[columns[0]], r[columns[1]].type === "uri" ? name(r[columns[1]].value) : r[columns[1]].value, r[columns[2]]]] : []));
  const edges = (graphs ?? []).flatMap((g) => connections(g, new Set(variables)));
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
      if (nodes.size >= graphNodes) return undefined;
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
