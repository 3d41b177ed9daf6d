// The lists at the side: what the store holds, and the queries that are at hand.

import { h, count, short, time } from "./dom.js";
import { display, name } from "./names.js";
import { tablist, menu, below } from "./menu.js";
import { toast } from "./dom.js";
import { members, uses } from "./dataset.js";

const groups = { Data: ["classes", "predicates"], Queries: ["examples", "saved", "history"] };
const titles = { classes: "Classes", predicates: "Predicates", examples: "Examples", saved: "Saved", history: "History" };
const mostShown = 400;

/** Sidebar draws one of the lists at a time. */
export class Sidebar {
  constructor(container, shelf, actions) {
    Object.assign(this, { shelf, actions, group: "Data", tab: "classes" });
    this.groups = h("div", { class: "segments groups" });
    this.tabs = h("div", { class: "tabs" });
    this.filter = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the list", oninput: () => this.list() });
    this.body = h("ul", { class: "entries" });
    this.foot = h("div", { class: "side-foot" });
    container.append(this.groups, this.tabs, this.filter, this.body, this.foot);
    this.body.append(...Array.from({ length: 9 }, (_, i) => h("li", { class: "ghost", style: `width:${88 - 6 * (i % 5)}%` })));
  }

  /** set hears what the store holds. */
  set(store) {
    this.store = store;
    if (!store.schema.classes.length) this.tab = "predicates";
    this.refresh();
  }

  refresh() {
    if (!this.store) return;
    this.groups.replaceChildren(...Object.keys(groups).map((g) => h("button", { "aria-pressed": String(g === this.group), onclick: () => this.turn(g, groups[g][0]) }, g)));
    const sizes = { classes: this.store.schema.classes.length, predicates: this.store.schema.predicates.length, examples: this.store.examples.length, saved: this.shelf.saved.length, history: this.shelf.runs.length };
    tablist(this.tabs, groups[this.group].map((tab) => [tab, titles[tab], this.tab === tab && h("span", {}, count(sizes[tab]))]), this.tab, (tab) => this.turn(this.group, tab), this.group);
    this.list();
    this.drawFoot();
  }

  turn(group, tab) {
    Object.assign(this, { group, tab });
    this.refresh();
  }

  list() {
    const wanted = this.filter.value.toLowerCase();
    const entries = this.entries().filter((e) => e.text.toLowerCase().includes(wanted) || (e.title ?? "").toLowerCase().includes(wanted));
    const most = Math.max(1, ...entries.map((e) => e.count ?? 0));
    this.body.replaceChildren(...entries.slice(0, mostShown).map((e) => this.entry(e, most)));
    if (!entries.length) this.body.append(h("li", { class: "none" }, wanted ? "Nothing by that name." : this.nothing()));
  }

  nothing() {
    return { saved: "Keep a query to find it here.", history: "What you run is listed here, in this browser only." }[this.tab] ?? `No ${this.tab} in this store.`;
  }

  entries() {
    const { schema, examples } = this.store;
    if (this.tab === "classes") return schema.classes.map((c) => ({ iri: c.iri, text: name(c.iri), title: c.iri, count: c.members, query: () => members(c.iri) }));
    if (this.tab === "predicates") return schema.predicates.map((p) => ({ iri: p.iri, text: name(p.iri), count: p.triples, query: () => uses(p.iri), title: `${p.iri}\n${count(p.triples)} triples, ${count(p.subjects)} subjects, ${count(p.objects)} objects` }));
    if (this.tab === "examples") return examples.map((e) => ({ text: e.name, title: e.text, query: () => e.text }));
    if (this.tab === "saved") return this.shelf.saved.map((q) => ({ text: q.name, title: q.text, query: () => q.text, remove: () => this.shelf.remove(q.name) }));
    return this.shelf.runs.map((r) => ({ text: firstLine(r.text), title: r.text, note: `${when(r.at)} · ${r.failed ? "failed" : `${count(r.rows ?? 0)} rows`} · ${time(r.milliseconds)}`, query: () => r.text }));
  }

  entry(e, most) {
    const parts = e.iri && display(e.iri);
    const show = parts ? [h("i", {}, `${parts[0]}:`), parts[1]] : [e.text];
    const remove = e.remove && h("button", { class: "try remove", title: "Remove", "aria-label": `Remove ${e.text}`, onclick: () => { e.remove(); this.refresh(); } });
    return h("li", { class: e.iri ? "" : "example" },
      h("button", { class: "entry", title: e.title, onclick: () => (e.iri ? this.actions.insert(e.iri) : this.actions.open(e.query())) }, h("span", { class: "what" }, show, e.note && h("small", {}, e.note)),
        e.count !== undefined && h("span", { class: "many" }, short(e.count)),
        e.count !== undefined && h("span", { class: "weight", style: `width:${Math.max(1.5, (100 * Math.sqrt(e.count)) / Math.sqrt(most))}%` })),
      e.iri && h("button", { class: "try", title: "Query it", "aria-label": `Query ${e.text}`, onclick: () => this.actions.run(e.query()) }), remove);
  }

  drawFoot() {
    const kept = this.tab === "saved" || this.tab === "history";
    this.foot.hidden = !kept;
    if (!kept) return;
    this.foot.replaceChildren(h("button", { class: "quiet", "aria-haspopup": "menu", onclick: (event) => menu(below(event.currentTarget), [
      ["Export to a file", () => this.write()], ["Import from a file", () => this.read()],
      this.tab === "history" && ["Forget the history", () => { this.shelf.forgetRuns(); this.refresh(); }],
    ]) }, "Export, import"));
  }

  write() {
    const href = URL.createObjectURL(new Blob([this.shelf.text()], { type: "application/json" }));
    h("a", { href, download: "rdfgpu-queries.json" }).click();
  }

  read() {
    const field = h("input", { type: "file", accept: "application/json,.json", hidden: true, id: "import" });
    field.addEventListener("change", async () => {
      try {
        toast(`${count(this.shelf.add(await field.files[0].text()))} queries taken over`);
      } catch (error) {
        toast(error.message);
      }
      field.remove();
      this.refresh();
    });
    document.body.append(field);
    field.click();
  }
}

const firstLine = (text) => text.split("\n").filter((l) => !/^\s*(PREFIX|BASE|$)/i.test(l)).join(" ").replace(/^\s*#\s*/, "").replace(/\s+/g, " ").slice(0, 90) || "(empty)";

/** when is a time of day, with the date unless it is today. */
function when(at) {
  const date = new Date(at);
  const clock = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return date.toDateString() === new Date().toDateString() ? clock : `${date.toLocaleDateString([], { month: "short", day: "numeric" })} ${clock}`;
}
