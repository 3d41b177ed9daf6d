// The page about one thing: what it says and what says it, by predicate, with names.

import { h, count, copy } from "./dom.js";
import { name, display } from "./names.js";
import { drawTerm, exploreLink, resourceLink } from "./cells.js";
import { called, fetchLabels, pickName } from "./labels.js";
import { Things, isSafe } from "./things.js";
import { problemOf } from "./api.js";
import { isImage } from "./columns.js";
import { searchField } from "./search.js";

const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const mostValues = 3000;
const fewValues = 12;
const subjectsAtOnce = 20;

/** draw shows the page about an IRI, and returns what ends its requests. */
export function draw(box, iri, { store, actions }) {
  const abort = new AbortController();
  const page = new ResourcePage(box, iri, new Things(store), abort.signal);
  const open = /^https?:/.test(iri) && h("a", { class: "quiet", href: iri, target: "_blank", rel: "noopener noreferrer" }, "Open ↗");
  page.title = h("h1", {}, name(iri));
  page.types = h("p", { class: "types" });
  page.pictures = h("div", { class: "pictures" });
  page.says = h("section", { "aria-label": "What it says" }, h("h2", {}, "What it says"), h("div", { class: "waiting" }, h("div", { class: "ghost" })));
  page.saidBy = h("section", { "aria-label": "What says it" }, h("h2", {}, "What says it"), h("div", { class: "waiting" }, h("div", { class: "ghost" })));
  box.replaceChildren(h("div", { class: "resource" }, searchField(store, resourceLink),
    h("header", {}, page.title, h("p", { class: "address" }, iri), page.types,
      h("div", { class: "row" }, h("a", { class: "quiet", href: exploreLink(iri) }, "Explore as a graph"), h("button", { class: "quiet", onclick: () => actions.run(`SELECT ?predicate ?object WHERE {\n  <${iri}> ?predicate ?object .\n}`) }, "Query"), h("button", { class: "quiet", onclick: () => copy(iri) }, "Copy IRI"), open), page.pictures),
    h("div", { class: "sides" }, page.says, page.saidBy)));
  if (isSafe(iri)) page.load();
  else page.fail(page.says, new Error("This is no IRI that a query could hold."));
  return () => abort.abort();
}

class ResourcePage {
  constructor(box, iri, things, signal) {
    Object.assign(this, { box, iri, things, signal });
  }

  load() {
    this.loadSays().catch((error) => this.fail(this.says, error));
    this.loadSaidBy().catch((error) => this.fail(this.saidBy, error));
  }

  fail(section, error) {
    if (error.name !== "AbortError") section.replaceChildren(section.firstChild, h("p", { class: "problem" }, problemOf(error).detail ?? problemOf(error).title));
  }

  async loadSays() {
    const pairs = await this.things.says(this.iri, mostValues, this.signal);
    const groups = grouped(pairs);
    this.drawSays(groups);
    const iris = pairs.flatMap(([p, o]) => (o.type === "uri" && !isImage(o.value) ? [p, o.value] : [p])).slice(0, 600);
    const title = pickName(pairs);
    if (title) this.title.textContent = document.title = title;
    await fetchLabels([this.iri, ...iris], this.signal);
    this.drawSays(groups);
  }

  drawSays(groups) {
    const types = groups.get(rdfType) ?? [];
    this.types.replaceChildren(...types.map((t) => drawTerm(t, { caption: called(t.value) })));
    this.drawPictures([...groups.values()].flat().filter((t) => isImage(t.value)));
    const rows = [...groups].filter(([p]) => p !== rdfType).map(([p, values]) => this.predicate(p, values, values.length));
    this.says.replaceChildren(h("h2", {}, "What it says"), rows.length ? h("dl", { class: "facts-list" }, rows) : h("p", { class: "none" }, types.length ? "Nothing but its class." : "Nothing in this store."));
  }

  /** drawPictures offers images; they come from elsewhere, so they are fetched when asked for. */
  drawPictures(images) {
    if (!images.length || this.pictures.querySelector("img")) return;
    this.pictures.replaceChildren(h("button", { class: "quiet", onclick: () => this.pictures.replaceChildren(...images.slice(0, 8).map((t) => drawTerm(t, { pictures: true }))) }, images.length === 1 ? "Show the image" : `Show ${count(images.length)} images`));
  }

  /** predicate is one group: its name and its values, the first of them at once. */
  predicate(p, values, total, more) {
    const rest = values.slice(fewValues);
    const list = h("ul", {}, values.slice(0, fewValues).map(value));
    const button = (rest.length || more) && h("button", { class: "quiet more-values", onclick: () => (rest.length ? (list.append(...rest.splice(0).map(value)), more || button.remove()) : more(list, button)) }, rest.length ? `${count(rest.length)} more` : "More");
    return [h("dt", {}, predicateLink(p), total > 1 && h("span", { class: "many" }, count(total))), h("dd", {}, list, button)];
  }

  async loadSaidBy() {
    const groups = await this.things.saidBy(this.iri, this.signal);
    if (!groups.length) return this.saidBy.replaceChildren(h("h2", {}, "What says it"), h("p", { class: "none" }, "Nothing in this store."));
    const rows = await Promise.all(groups.map(async ([p, n], i) => [p, n, i < 12 ? await this.things.subjects(this.iri, p, subjectsAtOnce, 0, this.signal) : []]));
    const show = () => this.saidBy.replaceChildren(h("h2", {}, "What says it"), h("dl", { class: "facts-list" }, rows.map(([p, n, subjects]) => this.predicate(p, subjects, n, n > subjects.length ? (list, button) => this.moreSubjects(p, n, list, button) : undefined))));
    show();
    await fetchLabels(rows.flatMap(([p, , subjects]) => [p, ...subjects.filter((s) => s.type === "uri").map((s) => s.value)]), this.signal);
    show();
  }

  async moreSubjects(p, total, list, button) {
    const more = await this.things.subjects(this.iri, p, 100, list.children.length, this.signal);
    await fetchLabels(more.filter((s) => s.type === "uri").map((s) => s.value), this.signal);
    list.append(...more.map(value));
    if (list.children.length >= total || !more.length) button.remove();
  }
}

const value = (term) => h("li", {}, drawTerm(term, { caption: term.type === "uri" ? called(term.value) : undefined }));

function predicateLink(iri) {
  const parts = display(iri);
  return h("a", { class: "iri", href: resourceLink(iri), title: iri }, called(iri) ?? (parts ? [h("i", {}, `${parts[0]}:`), parts[1]] : name(iri)));
}

function grouped(pairs) {
  const groups = new Map();
  for (const [p, o] of pairs) groups.set(p, [...(groups.get(p) ?? []), o]);
  return groups;
}
