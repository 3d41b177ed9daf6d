// The field that finds a thing by its name, or goes to an IRI.

import { h, later } from "./dom.js";
import { name, namespaceOf } from "./names.js";
import { naming } from "./labels.js";
import { Things, isSafe } from "./things.js";
import { problemOf } from "./api.js";

/** searchField is the field with its list of what was found; link makes the address of an IRI. */
export function searchField(store, link, focus) {
  const list = h("ul", { class: "found-list", "aria-label": "Found" });
  const status = h("p", { class: "found-status", role: "status" });
  const field = h("input", { type: "search", placeholder: "Find a thing by its name, or give its IRI", "aria-label": "Find a thing by its name, or give its IRI" });
  let abort;
  const look = later(async () => {
    abort?.abort();
    abort = new AbortController();
    const words = field.value.trim();
    list.replaceChildren();
    status.textContent = "";
    if (words.length < 2 || iriOf(words)) return;
    status.textContent = "Looking…";
    try {
      const found = await new Things(store).search(words, naming, abort.signal);
      status.textContent = found.length ? "" : "Nothing by that name.";
      list.replaceChildren(...found.slice(0, 12).map((f) => h("li", {}, h("a", { href: link(f.iri) }, h("b", {}, f.name), h("small", {}, name(f.iri))))));
    } catch (error) {
      if (error.name !== "AbortError") status.textContent = problemOf(error).detail ?? problemOf(error).title;
    }
  }, 300);
  field.addEventListener("input", look);
  const form = h("form", { class: "thing-search", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const iri = iriOf(field.value.trim());
    const first = iri ? link(iri) : list.querySelector("a")?.getAttribute("href");
    if (first) location.hash = first;
  } }, field, status, list);
  if (focus) setTimeout(() => field.focus());
  return form;
}

/** iriOf reads an IRI, in angle brackets or not, or a short name. */
function iriOf(text) {
  const bare = text.replace(/^<|>$/g, "");
  if (/^(https?|urn|mailto|file|tag|info):/.test(bare) && isSafe(bare)) return bare;
  const parts = /^([\w-]*):(\S+)$/.exec(text);
  const namespace = parts && namespaceOf(parts[1]);
  return namespace && isSafe(namespace + parts[2]) ? namespace + parts[2] : undefined;
}
