// The result area: one run of a query as a table, a graph, pictures of other kinds, its plan, or as it came; or a query that stands.

import { h, put, capital, count, short, time, toast } from "./dom.js";
import { cut } from "./names.js";
import { menu, tablist } from "./menu.js";
import { Grid } from "./grid.js";
import { token, call } from "./api.js";
import { termActions } from "./cells.js";
import { called, fetchLabels } from "./labels.js";
import { coordinates, dates, numbers, categories } from "./shape.js";
import { drawChange } from "./change.js";

const formats = {
  solutions: [["json", "JSON"], ["xml", "XML"], ["csv", "CSV"], ["tsv", "TSV"]],
  triples: [["turtle", "Turtle"], ["ntriples", "N-Triples"], ["rdfxml", "RDF/XML"]],
};
formats.boolean = formats.solutions;

/** views are the ways to look at an answer: [id, title, whether this answer fits, the module that draws it]. */
const views = [
  ["table", "Table", () => true],
  ["graph", "Graph", () => true, () => import("./resultgraph.js")],
  ["map", "Map", (p) => coordinates(p).length > 0, () => import("./map.js")],
  ["chart", "Chart", (p) => p.length > 1 && (numbers(p).length > 0 || categories(p).length > 0), () => import("./chart.js")],
  ["timeline", "Timeline", (p) => dates(p).length > 0, () => import("./timeline.js")],
  ["pivot", "Pivot", (p) => p.length > 1 && categories(p).length > 0, () => import("./pivot.js")],
  ["plan", "Plan", () => true, () => import("./plan.js")],
  ["raw", "Raw", () => true],
];

/** withoutAnswer are the views that need no answer. */
const withoutAnswer = new Set(["overview", "plan"]);

export class Results {
  constructor(container, actions) {
    this.actions = actions;
    this.status = h("p", { class: "status", role: "status" });
    this.tabs = h("div", { class: "tabs" });
    this.save = h("div", { class: "save" });
    this.body = h("div", { class: "result-body", tabindex: -1, role: "tabpanel", "aria-label": "Answer" });
    container.append(h("div", { class: "result-bar" }, this.tabs, h("span", { class: "spring" }), this.status, this.save), this.body);
  }

  /** show draws a draft's run by the view that the draft is at. */
  show(draft) {
    const other = draft !== this.draft || draft.run !== this.run;
    this.draft = draft;
    this.run = draft.run;
    if (other || !this.run?.running) this.draw();
    this.tick();
  }

  get tab() {
    return this.draft.view ?? (this.run ? "table" : "overview");
  }

  /** changed hears that a run has more to show. */
  changed(run) {
    if (run !== this.run) return;
    if (run.view) return run.view.soon();
    if (run.kind === "watch") return this.tab === "overview" ? undefined : this.draw();
    if (!run.running) {
      this.suggest();
      this.settle();
    } else if (!this.grid && this.tab === "table" && run.rows.state.loaded) this.draw();
    else if (this.grid) this.grid.grow();
    this.report();
  }

  /** settle shows a run that has ended; a table that somebody is in stays where it is. */
  settle() {
    if (!this.grid || this.tab !== "table" || this.run.problem) return this.draw();
    this.drawTabs();
    this.drawSave();
    this.grid.drawTools();
    this.grid.refresh();
  }

  /** suggest picks the view that fits an answer best, unless one was chosen. */
  suggest() {
    const { run, draft } = this;
    if (draft.chosen || run.problem || !run.rows.state.loaded) return;
    draft.view = run.kind === "triples" ? "graph" : coordinates(run.profile).length ? "map" : "table";
  }

  tick() {
    if (!this.run?.running || this.run.kind === "watch" || this.ticking) return;
    this.ticking = true;
    setTimeout(() => {
      this.ticking = false;
      this.report();
      this.tick();
    }, 80);
  }

  choose(view) {
    this.draft.view = view;
    this.draft.chosen = view !== "overview";
    this.actions.chose();
    this.draw();
  }

  report() {
    put(this.status, this.summary());
  }

  summary() {
    const run = this.run;
    if (!run || run.kind === "watch" || (run.problem && !run.running)) return [];
    const { loaded, total = loaded, kind } = run.rows.state;
    const noun = (n) => (kind === "triples" ? (n === 1 ? " triple" : " triples") : n === 1 ? " row" : " rows");
    if (run.running) return [h("span", { class: "spinner", "aria-hidden": "true" }), loaded ? `${count(loaded)}${noun(loaded)}, counting… ` : "Running… ", h("span", { class: "clock", "aria-hidden": "true" }, time(performance.now() - run.began))];
    const server = /total;dur=([\d.]+)/.exec(run.rows.timing ?? "")?.[1];
    const clock = h("span", { class: "clock" }, server ? `${time(Number(server))} in the engine, ${time(run.elapsed)} in all` : time(run.elapsed));
    if (kind === "boolean" || run.report) return [clock];
    const more = total > loaded && [`, first ${count(loaded)} here`, loaded < 1_000_000 && h("button", { class: "quiet more-rows", onclick: () => this.actions.loadMore() }, `Load ${short(Math.min(total, 1_000_000))}`)];
    return [h("b", {}, count(total)), noun(total), more, " · ", clock];
  }

  drawTabs() {
    const fits = ([id, , fit]) => !this.run || withoutAnswer.has(id) || fit(this.run.profile) || id === this.tab;
    const only = { update: "Change", watch: "Watch" }[this.run?.kind];
    const shown = only ? [["overview", "Dataset"], ["table", only]] : [["overview", "Dataset"], ...views.filter((v) => (this.run ? fits(v) : ["table", "graph", "plan", "raw"].includes(v[0])))];
    tablist(this.tabs, shown.map(([id, title]) => [id, title]), this.tab, (id) => this.choose(id), "Ways to look at the answer");
    this.body.setAttribute("aria-labelledby", `tab-${this.tab}`);
  }

  draw() {
    const { run, tab } = this;
    this.grid = undefined;
    this.body.className = `result-body show-${tab}`;
    this.drawTabs();
    this.report();
    this.drawSave();
    if (tab === "overview") return this.actions.overview(this.body);
    if (tab === "plan") return this.drawLazily();
    if (!run) return this.drawNothing();
    if (run.problem) return this.drawProblem();
    if (run.kind === "watch") return this.drawWatch();
    if (run.running && !(tab === "table" && run.rows.state.loaded)) return this.drawWaiting();
    if (run.report) return drawChange(this.body, run);
    if (run.kind === "boolean") return this.drawBoolean();
    if (tab === "table") return this.drawTable();
    if (tab === "raw") return this.drawRaw();
    return this.drawLazily();
  }

  /** drawLazily draws a view whose module is fetched when it is first needed. */
  async drawLazily() {
    const { run, tab, draft } = this;
    const load = views.find(([id]) => id === tab)[3];
    this.body.replaceChildren(h("div", { class: "waiting" }, ghosts(5)));
    try {
      const view = await load();
      if (draft !== this.draft || tab !== this.tab || run !== this.run) return;
      await view.draw(this.body, run, this.actions, draft);
    } catch (error) {
      this.body.replaceChildren(h("p", { class: "problem" }, error.message));
    }
  }

  /** drawWatch shows a standing query, whose view goes on by itself from there. */
  async drawWatch() {
    const { run } = this;
    if (run.phase === "asking") return this.drawWaiting();
    const { WatchView } = await import("./watchview.js");
    if (run !== this.run || this.tab === "overview") return;
    run.view ??= new WatchView(run, this.actions);
    this.body.replaceChildren(run.view.element);
    run.view.draw();
  }

  drawNothing() {
    const link = this.draft.byLink && h("div", { class: "by-link" }, h("p", {}, "This query came by a link. Nothing has been run: look at it first."), h("button", { class: "run", onclick: () => this.actions.start() }, "Run it"));
    this.body.replaceChildren(link || h("p", { class: "empty" }, "Run a query to see its answer here.", h("kbd", {}, "Ctrl ↵")));
  }

  drawWaiting() {
    this.body.replaceChildren(h("div", { class: "waiting" }, ghosts(7)));
  }

  drawProblem() {
    const p = this.run.problem;
    this.body.replaceChildren(h("div", { class: "problem" },
      h("h2", {}, capital(p.title), p.line > 0 && h("small", {}, ` line ${p.line}, column ${p.column}`)),
      p.detail && h("p", {}, p.detail),
      p.expected?.length > 0 && h("p", {}, "Expected ", p.expected.slice(0, 12).map((e, i) => [i > 0 && ", ", h("code", {}, e)]), p.expected.length > 12 && " …"),
      p.hint && h("p", { class: "hint" }, p.hint),
      p.query && h("p", { class: "fine" }, `query ${p.query}`)));
  }

  drawBoolean() {
    const { boolean } = this.run.rows.state;
    this.body.replaceChildren(h("div", { class: "boolean" }, h("b", { class: boolean ? "yes" : "no" }, boolean ? "Yes" : "No"), h("span", {}, boolean ? "The pattern has a solution." : "The pattern has no solution.")));
  }

  async drawRaw() {
    const text = await this.run.rows.raw();
    const { bytes } = this.run.rows.state;
    this.body.replaceChildren(h("pre", { class: "raw", tabindex: 0 }, text), bytes > text.length ? h("p", { class: "more" }, `The first ${short(text.length)} characters of ${short(bytes)} bytes. Save the answer to see all of it.`) : "");
  }

  drawTable() {
    const { run } = this;
    if (!run.rows.state.loaded) {
      this.body.replaceChildren(h("div", { class: "empty" }, h("p", {}, "No solution. "), h("button", { class: "quiet", onclick: () => this.choose("plan") }, "See the plan")));
      return;
    }
    this.grid = new Grid(this.body, run.rows, {
      run: this.actions.run,
      arranged: () => this.report(),
      hasImages: () => run.profile.some((c) => c.image),
      hasIris: () => run.profile.some((c) => c.iri),
      captions: (list, grid) => this.fetchNames(list, grid),
    }, run.memory.grid);
    this.grid.begin();
  }

  /** fetchNames gets what the things in sight are called, where names are wanted. */
  async fetchNames(list, grid) {
    const { names } = grid.memory;
    if (!names) return;
    const missing = list.flatMap(({ row }) => Object.values(row)).filter((t) => t.type === "uri" && !names.has(t.value)).map((t) => t.value);
    if (!missing.length) return;
    for (const iri of missing) names.set(iri, undefined);
    try {
      await fetchLabels(missing);
    } catch (error) {
      return toast(error.message);
    }
    for (const iri of missing) names.set(iri, called(iri));
    if (missing.some(called)) grid.draw();
  }

  /** menu offers what can be done with a term. */
  menu(event, term) {
    menu({ x: event.clientX ?? 80, y: event.clientY ?? 200 }, termActions(term, this.actions), h("p", {}, cut(term.value, 300)));
  }

  /** know hears that the query graph of a text is there now; a result drawn without it can be drawn again. */
  know(text, graphs) {
    if (this.run?.ask.text !== text) return;
    this.run.graphs = graphs;
    if (this.tab === "graph" && this.run.kind === "solutions" && !this.run.running) this.drawLazily();
  }

  drawSave() {
    const kind = this.run?.kind;
    if (!formats[kind] || this.run.running || this.run.problem) return this.save.replaceChildren();
    const list = formats[kind].map(([format, title]) => h("button", { onclick: () => this.download(format) }, title));
    this.save.replaceChildren(h("details", { class: "drop" }, h("summary", { class: "quiet" }, "Save"), h("div", {}, list)));
  }

  /** download fetches the whole answer in a format; with a token it cannot be a plain link. */
  async download(format) {
    this.save.querySelector("details")?.removeAttribute("open");
    const extension = { turtle: "ttl", ntriples: "nt", rdfxml: "rdf" }[format] ?? format;
    const parameters = new URLSearchParams({ query: this.run.ask.text, ...this.run.ask.settings, format });
    let href = `sparql?${parameters}`;
    if (token() || href.length > 60_000) {
      const response = await call("sparql", { method: "POST", body: parameters, headers: { Accept: "*/*" } });
      href = URL.createObjectURL(await response.blob());
    }
    h("a", { href, download: `answer.${extension}` }).click();
  }
}

const ghosts = (n) => Array.from({ length: n }, (_, i) => h("div", { class: "ghost", style: `width:${92 - 9 * (i % 4)}%` }));
