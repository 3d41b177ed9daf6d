// Menus and lists of tabs, by pointer and by keyboard.

import { h } from "./dom.js";

let close = () => {};

/** menu opens a list of [text, action] at a place {x, y}; what is falsy is left out. head stands above it. */
export function menu(place, items, head) {
  close();
  const from = document.activeElement;
  const entries = items.filter(Boolean).map(([text, action]) => h("button", { role: "menuitem", tabindex: -1, onclick: () => { close(); action(); } }, text));
  const box = h("div", { class: "menu-box" }, head && h("div", { class: "menu-head" }, head), h("div", { class: "menu", role: "menu", "aria-label": "Actions" }, entries));
  const outside = (e) => !box.contains(e.target) && close();
  const key = (e) => {
    const at = entries.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[e.key];
    if (to !== undefined) entries.at(to % entries.length)?.focus();
    else if (e.key !== "Escape" && e.key !== "Tab") return;
    else close(true);
    e.preventDefault();
    e.stopPropagation();
  };
  close = (back) => {
    close = () => {};
    box.remove();
    removeEventListener("pointerdown", outside, true);
    removeEventListener("keydown", key, true);
    if (back) from?.focus?.();
  };
  document.body.append(box);
  const { width, height } = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(place.x, innerWidth - width - 8))}px`;
  box.style.top = `${Math.max(8, Math.min(place.y, innerHeight - height - 8))}px`;
  addEventListener("pointerdown", outside, true);
  addEventListener("keydown", key, true);
  entries[0]?.focus();
}

/** below is the place under an element, for menu. */
export const below = (element) => {
  const box = element.getBoundingClientRect();
  return { x: box.left, y: box.bottom + 4 };
};

/** closeMenu closes the open menu, if any. */
export const closeMenu = () => close();

/** tablist fills a box with tabs [id, title, extra]; arrows go from one to the next. */
export function tablist(box, tabs, selected, choose, label) {
  const held = box.contains(document.activeElement);
  box.setAttribute("role", "tablist");
  if (label) box.setAttribute("aria-label", label);
  box.replaceChildren(...tabs.map(([id, title, extra]) =>
    h("button", { role: "tab", id: `tab-${id}`, "aria-selected": String(id === selected), tabindex: id === selected ? 0 : -1, onclick: () => choose(id) }, title, extra)));
  box.onkeydown = (event) => {
    const at = tabs.findIndex(([id]) => id === selected);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tabs[to % tabs.length][0]);
  };
  const chosen = box.querySelector('[aria-selected="true"]');
  if (held) chosen?.focus();
  if (chosen && box.scrollWidth > box.clientWidth) box.scrollLeft = chosen.offsetLeft - 40;
}
