// The bar above the table: filter, language, columns, lines, pictures, and the place among the rows.

import { h, put, later } from "./dom.js";
import { menu, below } from "./menu.js";
import { cut } from "./names.js";

/** drawGridTools draws the bar of a Grid anew; what is being typed stays. */
export function drawGridTools(grid) {
  const old = grid.tools.querySelector("input[type=search]");
  const typing = old && document.activeElement === old ? old.value : undefined;
  put(grid.tools, filterField(grid, typing), chips(grid), h("span", { class: "spring" }), languages(grid), columns(grid), lines(grid), pictures(grid), names(grid), pager(grid));
  if (typing !== undefined) grid.tools.querySelector("input[type=search]").focus();
}

function filterField(grid, typing) {
  const column = grid.memory.aim;
  const field = h("input", { type: "search", placeholder: column ? `Filter ${column}` : "Filter rows", "aria-label": column ? `Filter rows by ${column}` : "Filter rows" });
  field.value = typing ?? typed(grid)?.text ?? "";
  field.addEventListener("input", later(() => {
    const rest = grid.rows.arrangement.filters.filter((f) => f.exact);
    grid.arrange({ filters: field.value ? [...rest, { column: grid.memory.aim, text: field.value }] : rest });
  }, 180));
  field.addEventListener("aim", (event) => {
    grid.memory.aim = event.detail;
    drawGridTools(grid);
    grid.tools.querySelector("input").focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    grid.memory.aim = undefined;
    field.value = "";
    field.dispatchEvent(new Event("input"));
    event.stopPropagation();
  });
  return field;
}

const typed = (grid) => grid.rows.arrangement.filters.find((f) => !f.exact);

/** chips are the values that rows must have. */
function chips(grid) {
  return grid.rows.arrangement.filters.filter((f) => f.exact).map((f) =>
    h("button", { class: "chip", "aria-label": `No longer keep to ${f.column} ${f.text}`, onclick: () => grid.arrange({ filters: grid.rows.arrangement.filters.filter((g) => g !== f) }) },
      `${f.column} = ${cut(f.text, 28)} ✕`));
}

function languages(grid) {
  const { languages } = grid.rows.state;
  if (languages.length < 2) return undefined;
  const choose = h("select", { "aria-label": "Language of literals", onchange: () => grid.arrange({ language: choose.value }) },
    h("option", { value: "" }, "All languages"), languages.map((l) => h("option", { value: l, selected: grid.rows.arrangement.language === l }, l)));
  return choose;
}

function columns(grid) {
  if (!grid.memory.hidden.size) return undefined;
  const show = (v) => [`Show ${v}`, () => { grid.memory.hidden.delete(v); grid.lay(); grid.drawTools(); }];
  return h("button", { class: "quiet", "aria-haspopup": "menu", onclick: (e) => menu(below(e.currentTarget), [...grid.memory.hidden].map(show)) }, `${grid.memory.hidden.size} hidden`);
}

function toggle(text, title, on, change) {
  return h("button", { class: "quiet", "aria-pressed": String(Boolean(on)), title, onclick: change }, text);
}

function lines(grid) {
  return toggle("Wrap", "Three lines a row", grid.memory.lines === 3, () => {
    grid.memory.lines = grid.memory.lines === 3 ? 1 : 3;
    grid.lay();
    grid.drawTools();
  });
}

/** pictures come from where the data says, so they are fetched only when asked for. */
function pictures(grid) {
  if (!grid.actions.hasImages()) return undefined;
  return toggle("Images", "Fetch and show images from their addresses", grid.memory.pictures, () => {
    grid.memory.pictures = !grid.memory.pictures;
    grid.lay();
    grid.drawTools();
  });
}

function names(grid) {
  if (!grid.actions.hasIris()) return undefined;
  return toggle("Names", "Show what things are called", grid.memory.names, () => {
    grid.memory.names = grid.memory.names ? undefined : new Map();
    grid.refresh();
    grid.drawTools();
  });
}

function pager(grid) {
  const go = h("input", { type: "number", min: 1, max: Math.max(1, grid.rows.size), "aria-label": "Go to row", placeholder: "Row", onchange: () => go.value && grid.go(Number(go.value) - 1, 0) });
  return h("span", { class: "pager" },
    h("button", { class: "quiet", "aria-label": "Previous page", onclick: () => grid.page(-1) }, "‹"),
    h("span", { class: "place" }),
    h("button", { class: "quiet", "aria-label": "Next page", onclick: () => grid.page(1) }, "›"), go);
}
