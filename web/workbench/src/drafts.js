// The queries that are open, each in a tab with a name; kept in the browser.

import { h } from "./dom.js";
import { tablist, menu } from "./menu.js";

const key = "rdfgpu-drafts";

/** Drafts is the list of open queries: {id, name, text, view, settings, run}. Runs are not kept. */
export class Drafts {
  constructor(box, { open, closed }) {
    Object.assign(this, { box, open, closed });
    this.tabs = h("div", { class: "tabs draft-tabs" });
    this.box.append(this.tabs, h("button", { class: "icon small", "aria-label": "New query", title: "New query", onclick: () => this.add({ text: "" }, true) }, "+"),
      h("button", { class: "icon small", "aria-label": "This query: rename, duplicate, close", title: "This query", "aria-haspopup": "menu", onclick: (e) => this.menu(e.currentTarget) }, "⋯"));
    this.tabs.addEventListener("dblclick", () => this.rename());
    this.tabs.addEventListener("auxclick", (e) => e.button === 1 && e.target.closest("[data-draft]") && this.close(e.target.closest("[data-draft]").dataset.draft));
    this.load();
  }

  load() {
    try {
      const { list, active } = JSON.parse(localStorage.getItem(key));
      this.list = list.filter((d) => typeof d.text === "string" && typeof d.name === "string").map((d) => ({ ...d, settings: d.settings ?? {} }));
      this.active = this.list.find((d) => d.id === active) ?? this.list[0];
    } catch {
      this.list = [];
    }
  }

  save() {
    const list = this.list.map(({ id, name, text, view, chosen, settings, byLink }) => ({ id, name, text, view, chosen, settings, byLink }));
    try {
      localStorage.setItem(key, JSON.stringify({ list, active: this.active?.id }));
    } catch {
      // the browser keeps no more: the queries are still in the page
    }
  }

  /** add opens a query in a tab of its own. */
  add({ text, name, settings = {}, view, byLink }, focus) {
    const draft = { id: crypto.randomUUID?.() ?? String(Date.now() + Math.random()), name: name ?? this.unused(), text, settings, view: view ?? (text ? undefined : "overview"), byLink };
    this.list.push(draft);
    this.choose(draft, focus);
    return draft;
  }

  unused() {
    const names = new Set(this.list.map((d) => d.name));
    for (let n = 1; ; n++) if (!names.has(`Query ${n}`)) return `Query ${n}`;
  }

  choose(draft, focus = false) {
    this.active = draft;
    this.save();
    this.draw();
    this.open(draft, focus);
  }

  draw() {
    if (this.tabs.querySelector(".rename")) return; // its name is being written
    tablist(this.tabs, this.list.map((d) => [`draft-${d.id}`, d.name, d.run?.running && h("span", d.run.kind === "watch" ? { class: "live", role: "img", "aria-label": "watching" } : { class: "spinner", "aria-label": "running" })]),
      `draft-${this.active.id}`, (id) => this.choose(this.list.find((d) => `draft-${d.id}` === id)), "Open queries");
    [...this.tabs.children].forEach((tab, i) => (tab.dataset.draft = this.list[i].id));
  }

  menu(anchor) {
    const box = anchor.getBoundingClientRect();
    menu({ x: box.right, y: box.bottom + 4 }, [
      ["Rename", () => this.rename()],
      ["Duplicate", () => this.add({ text: this.active.text, settings: this.active.settings, name: `${this.active.name} copy` }, true)],
      this.list.length > 1 && ["Close", () => this.close(this.active.id)],
      this.list.length > 2 && ["Close the others", () => this.list.filter((d) => d !== this.active).forEach((d) => this.close(d.id))],
    ]);
  }

  rename() {
    const tab = this.tabs.querySelector('[aria-selected="true"]');
    const field = h("input", { class: "rename", "aria-label": "Name of the query", value: this.active.name, size: 16 });
    let over = false; // taking the field away blurs it
    const done = (keep) => {
      if (over) return;
      over = true;
      if (keep && field.value.trim()) this.active.name = field.value.trim().slice(0, 80);
      field.replaceWith(tab);
      this.save();
      this.draw();
    };
    field.addEventListener("keydown", (e) => {
      e.stopPropagation();
      if (e.key === "Enter" || e.key === "Escape") done(e.key === "Enter");
    });
    field.addEventListener("blur", () => done(true));
    tab.replaceWith(field);
    field.focus();
    field.select();
  }

  close(id) {
    const at = this.list.findIndex((d) => d.id === id);
    if (at < 0 || this.list.length === 1) return;
    const [draft] = this.list.splice(at, 1);
    this.closed(draft);
    if (draft === this.active) this.choose(this.list[Math.max(0, at - 1)]);
    this.save();
    this.draw();
  }
}
