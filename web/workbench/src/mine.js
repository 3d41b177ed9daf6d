// The page of mining: what a graph consists of, before anybody asks a query.

import { h, put, count, short } from "./dom.js";
import { mine, problemOf } from "./api.js";
import { events } from "./eventstream.js";
import { cut, name } from "./names.js";
import { GraphView } from "./graph.js";
import { pictureMenu } from "./picture.js";

/** kinds are what can be looked for, and which fields that has. */
const kinds = [
  ["frequent", "Frequent patterns", ["support", "edges-most", "measure", "bins", "bounds", "undirected", "no-classes"]],
  ["motifs", "Motifs", ["vertices-motif", "induced"]],
  ["triangles", "Triangles", []],
  ["cliques", "Cliques", ["vertices", "maximal"]],
  ["cores", "Cores", []],
  ["trusses", "Trusses", []],
  ["components", "Components", []],
];

/** rdfType is no edge. */
const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** draw shows the page; what runs when it is left is stopped. */
export function draw(box, _, { store, actions }) {
  const page = new MinePage(box, store, actions);
  return () => page.stop();
}

class MinePage {
  constructor(box, store, actions) {
    this.actions = actions;
    const { schema } = store;
    const number = (id, text, value, least, most) => h("label", { "data-field": id }, text, h("input", { type: "number", name: id.replace(/-.*/, "") === "support" ? "support" : "size", value, min: least, max: most }));
    const tick = (id, text) => h("label", { class: "tick", "data-field": id }, h("input", { type: "checkbox", name: id }), text);
    this.what = h("select", { name: "what", onchange: () => this.fields() }, kinds.map(([value, text]) => h("option", { value }, text)));
    const enough = Math.max(2, Math.round((store.info?.store.triples ?? 0) / 500));
    const predicates = schema.predicates.filter((p) => p.iri !== rdfType);
    this.form = h("form", { class: "mine-form", onsubmit: (event) => (event.preventDefault(), this.run()) },
      h("label", {}, "Look for", this.what), number("support", "Support at least", enough, 1), number("edges-most", "Edges at most", 2, 1, 7), number("vertices-motif", "Vertices", 4, 2, 5), number("vertices", "Vertices", 4, 2, 32),
      h("label", { "data-field": "measure" }, "Measured by", h("select", { name: "measure" }, h("option", { value: "mni" }, "images (MNI)"), h("option", { value: "instances" }, "instances"))),
      h("label", { "data-field": "bins" }, "Literals in ranges", h("input", { type: "number", name: "bins", min: 1, max: 64, placeholder: "none", title: "Numbers and dates of each predicate in so many ranges, texts by language, and what has few values by value. Empty: literals are left out." })),
      h("label", { "data-field": "bounds" }, "Cut at", h("input", { type: "text", name: "bounds", placeholder: ":born=1900,1950; :size=10", title: "Where the numbers, dates or years of a predicate are cut instead; several are parted by ;" })),
      tick("undirected", "without directions"), tick("no-classes", "without classes"), tick("induced", "induced"), tick("maximal", "maximal, of all sizes"),
      (this.go = h("button", { class: "run" }, "Mine")), (this.halt = h("button", { class: "quiet", type: "button", hidden: true, onclick: () => this.stop() }, "Stop")),
      h("details", { class: "mine-choice" }, h("summary", {}, "Edges: ", (this.chosen = h("span", {}, "all predicates but rdf:type"))),
        h("ul", { tabindex: 0, "aria-label": "Predicates" }, predicates.map((p) => h("li", {}, h("label", { title: p.iri }, h("input", { type: "checkbox", name: "edges", value: p.iri, onchange: () => this.choice() }), name(p.iri), h("small", {}, short(p.triples ?? p.count ?? 0))))))));
    this.says = h("p", { class: "mine-says", role: "status" });
    this.found = h("div", {});
    put(box, h("div", { class: "mine" }, h("h1", {}, "Mine"), h("p", { class: "lead" }, "What the graph consists of: structures that are frequent, dense or hang together. No query is needed; each pattern can be opened as one."), this.form, this.says, this.found));
    this.fields();
  }

  /** fields shows those that belong to what is looked for. */
  fields() {
    const [, , wanted] = kinds.find(([value]) => value === this.what.value);
    for (const field of this.form.querySelectorAll("[data-field]")) field.hidden = !wanted.includes(field.dataset.field);
  }

  choice() {
    const names = [...this.form.querySelectorAll("[name=edges]:checked")].map((input) => name(input.value));
    this.chosen.textContent = names.length ? cut(names.join(", "), 90) : "all predicates but rdf:type";
  }

  /** parameters are what the fields in sight say. */
  parameters() {
    const all = new URLSearchParams({ what: this.what.value });
    for (const input of this.form.querySelectorAll("[name]")) {
      if (input === this.what || input.closest("[hidden]")) continue;
      if (input.type === "checkbox") {
        if (input.checked) all.append(input.name, input.name === "edges" ? input.value : "true");
      } else if (input.name === "bounds") for (const one of input.value.split(";").map((b) => b.trim()).filter(Boolean)) all.append("bounds", one);
      else if (input.value) all.set(input.name, input.value);
    }
    if (["frequent", "motifs", "triangles", "cliques"].includes(this.what.value) && !all.has("maximal") && !(Number(all.get("size")) > 8)) all.set("sparql", "true");
    return all;
  }

  async run() {
    this.stop();
    const control = (this.control = new AbortController());
    this.working(true);
    put(this.says, h("progress", { "aria-label": "Mining" }), "Reading the graph …");
    try {
      const response = await mine(this.parameters(), control.signal);
      for await (const event of events(response.body, () => {})) this.take(event.name, JSON.parse(event.data));
    } catch (error) {
      if (control === this.control) this.fail(control.signal.aborted ? { title: "Stopped" } : problemOf(error));
    }
    if (control === this.control) this.working(false);
  }

  stop() {
    this.control?.abort();
  }

  working(on) {
    this.halt.hidden = !on;
    this.go.disabled = on;
  }

  /** take shows an event. */
  take(event, data) {
    if (event === "progress") put(this.says, h("progress", { max: data.all, value: data.begun, "aria-label": "Mining" }), `${count(data.begun)} of ${count(data.all)} ${data.unit}`);
    else if (event === "problem") this.fail(data);
    else if (event === "result") this.show(data);
  }

  fail(problem) {
    put(this.says, h("span", { class: "problem" }, [problem.title, problem.detail].filter(Boolean).join(": ")));
  }

  show(report) {
    put(this.says, `${count(report.patterns?.length ?? report.by?.length ?? 0)} rows, in a graph of ${count(report.vertices)} vertices and ${count(report.edges)} edges (${count(report.literals)} triples to literals left out), ${(report.elapsedNanoseconds / 1e9).toFixed(2)} s`);
    if (report.patterns?.length) return this.patterns(report);
    if (report.by?.length) return put(this.found, numbers(report));
    put(this.found, h("p", { class: "none" }, report.what === "frequent" ? "No pattern has that support. Try less of it." : "There are none."));
  }

  /** patterns lists what was found, beside a picture of the one that is chosen. */
  patterns(report) {
    const frequent = report.what === "frequent";
    const drawing = h("div", { class: "drawing" });
    const about = h("p", { class: "address" });
    const open = h("button", { class: "run", onclick: () => this.actions.open(this.pattern.sparql) }, "Open as a query");
    const rows = report.patterns.map((p) => h("tr", { "aria-selected": "false" }, h("td", { class: "n" }, count(frequent ? p.support : (p.count ?? 0)), p.error ? ` ± ${count(p.error)}` : ""),
      h("td", {}, h("button", { class: "code-link", title: p.pattern, onclick: () => choose(p) }, frequent ? text(p) : [p.name, ...(p.classes ?? []).filter(Boolean).map(name)].join(" · ")))));
    put(this.found, h("div", { class: "mine-found" }, h("div", { class: "table-box mine-list", tabindex: 0, role: "region", "aria-label": "Patterns" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "n" }, frequent ? "Support" : "Count"), h("th", { scope: "col" }, "Pattern"))), h("tbody", {}, rows))),
      h("div", { class: "mine-picture" }, drawing, about, h("div", { class: "row" }, open, pictureMenu(() => view.svg, "pattern")))));
    const view = new GraphView(drawing, { calm: true, title: "The chosen pattern", largest: 1.3 });
    const choose = (p) => {
      this.pattern = p;
      rows.forEach((row, i) => row.setAttribute("aria-selected", String(report.patterns[i] === p)));
      view.set(...picture(p));
      put(about, `${count(p.automorphisms)} solution${p.automorphisms > 1 ? "s" : ""} of the query for each instance`);
      open.disabled = !p.sparql;
    };
    choose(report.patterns[0]);
  }
}

/** variable names a vertex as the query does. */
const variable = (i) => `?${String.fromCharCode(97 + i)}`;

/** value is what a vertex has for a literal, in short: itself, its language or its range. */
function value(condition) {
  const plain = (term) => term.replace(/\^\^<[^>]*>$/, "").replace(/^"(.*)"$/, "$1");
  const [, same, language] = condition.match(/^sameTerm\(\?\w, (.*)\)$|^lang\(\?\w\) = "(.*)"$/) ?? [];
  if (language) return `@${language}`;
  if (same) return same;
  const signs = { ">=": "≥ ", "<": "< ", "=": "" };
  return condition.split(" && ").map((part) => part.match(/^\?\w (>=|<|=) (.*)$/)).map(([, sign, term]) => signs[sign] + plain(term)).join(", ");
}

/** text is a frequent pattern in one line, its classes in place of its variables where each is of one, and what literals have. */
function text(p) {
  const title = (i) => (p.values?.[i] ? value(p.values[i]) : p.classes?.[i] ? `${name(p.classes[i])} ${variable(i)}` : variable(i));
  return p.arcs.map((a) => `${title(a.from)} → ${name(a.predicate)} → ${title(a.to)}`).join(", ");
}

/** picture is a pattern as nodes and edges. */
function picture(p) {
  const vertices = 1 + Math.max(...p.arcs.flatMap((a) => [a.from, a.to]));
  const node = (i) => (p.values?.[i] ? { label: cut(value(p.values[i]), 40), kind: "constant literal", title: p.values[i] } : { label: variable(i), kind: "variable", sub: p.classes?.[i] ? cut(name(p.classes[i]), 34) : undefined, title: p.classes?.[i] || variable(i) });
  const nodes = Array.from({ length: vertices }, (_, i) => ({ key: String(i), ...node(i) }));
  return [nodes, p.arcs.map((a) => ({ from: String(a.from), to: String(a.to), label: a.predicate && cut(name(a.predicate), 30), kind: a.predicate ? "" : "plain", title: a.predicate ?? "" }))];
}

/** numbers is a table of how many there are of each size or number. */
function numbers(report) {
  const title = { cores: "Core", trusses: "Truss" }[report.what] ?? "Vertices";
  return h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": title }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, title), h("th", { scope: "col", class: "n" }, { cores: "vertices", trusses: "edges" }[report.what] ?? "how many"))),
    h("tbody", {}, report.by.map((row) => h("tr", {}, h("td", {}, count(row.value)), h("td", { class: "n" }, count(row.count)))))));
}
