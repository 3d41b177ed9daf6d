// The pages beside the query: each is fetched when it is first opened.

import { $ } from "./dom.js";

/** loads are the modules of the pages; a module's draw(box, value, context) returns a function that ends it, or nothing. */
const loads = {
  resource: () => import("./resource.js"),
  explore: () => import("./explore.js"),
  schema: () => import("./schema.js"),
  mine: () => import("./mine.js"),
  server: () => import("./server.js"),
};

/** Pages shows the query page or one of the others, as the address says. */
export class Pages {
  constructor(store, actions) {
    this.context = { store, actions };
    this.end = () => {};
    this.known = new Promise((resolve) => (this.know = resolve));
  }

  /** go shows the page that the parts of an address name. */
  async go(parts) {
    const name = Object.keys(loads).find((n) => parts.has(n));
    const ticket = (this.ticket = {});
    this.end();
    this.end = () => {};
    this.mark(name);
    document.title = "rdfgpu workbench";
    $("query-page").hidden = Boolean(name);
    $("page").hidden = !name;
    if (!name) return dispatchEvent(new Event("resize"));
    $("page").replaceChildren();
    $("page").className = `page page-${name}`;
    const [module] = await Promise.all([loads[name](), this.known]);
    if (ticket !== this.ticket) return;
    this.end = module.draw($("page"), parts.get(name), this.context) ?? (() => {});
    $("page").focus({ preventScroll: true });
  }

  mark(name) {
    const current = { resource: "explore" }[name] ?? name ?? "query";
    for (const link of document.querySelectorAll("[data-page]")) {
      if (link.dataset.page === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}
