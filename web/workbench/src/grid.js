// The table of an answer: it draws the rows in sight, whatever their number.

import { h, count, copy } from "./dom.js";
import { menu, below } from "./menu.js";
import { drawTerm, plainText, termActions } from "./cells.js";
import { drawGridTools } from "./gridtools.js";

/** tallest is a height in pixels that every browser can scroll; longer tables scroll faster than their rows pass. */
const tallest = 8_000_000;
const around = 24;
const heights = { 1: 29, 3: 65 };
const pictureHeight = 112;
const rowNumberWidth = 62;
/** headHeight is as in the style. */
const headHeight = 34;

/** Grid draws Rows in a box. memory keeps widths and the like while the answer is shown elsewhere. */
export class Grid {
  constructor(box, rows, actions, memory) {
    Object.assign(this, { rows, actions, memory });
    memory.lines ??= 1;
    memory.hidden ??= new Set();
    this.drawn = { from: 0, list: [] };
    this.ticket = 0;
    this.tools = h("div", { class: "grid-tools" });
    this.table = h("table", { class: "answer", role: "grid", tabindex: 0, "aria-label": "Answer" });
    this.scroller = h("div", { class: "grid-scroll", tabindex: -1, onscroll: () => this.look() }, this.table);
    box.replaceChildren(this.tools, this.scroller);
    this.listen();
    this.sizes = new ResizeObserver(() => this.scroller.isConnected && this.fitted !== this.scroller.clientWidth && this.lay());
    this.sizes.observe(this.scroller);
  }

  get columns() {
    return this.rows.state.variables.filter((v) => !this.memory.hidden.has(v));
  }

  get height() {
    return this.memory.pictures ? pictureHeight : heights[this.memory.lines];
  }

  /** begin draws the first rows; widths come from them. */
  async begin() {
    this.memory.widths ??= measured(this.rows.state.variables, await this.rows.window(0, 200));
    this.lay();
    this.drawTools();
  }

  /** lay draws the head and the frame anew. */
  lay() {
    if (!this.memory.widths) return;
    const widths = this.widths();
    this.fitted = this.scroller.clientWidth;
    this.group = h("colgroup", {}, h("col", { style: `width:${rowNumberWidth}px` }), this.columns.map((v) => h("col", { style: `width:${widths[v]}px` })));
    this.table.style.width = `${rowNumberWidth + this.columns.reduce((sum, v) => sum + widths[v], 0)}px`;
    this.body = h("tbody");
    this.before = h("tbody", { "aria-hidden": "true" }, h("tr", {}, h("td")));
    this.after = h("tbody", { "aria-hidden": "true" }, h("tr", {}, h("td")));
    this.table.replaceChildren(this.group, this.head(), this.before, this.body, this.after);
    this.table.style.setProperty("--row", `${this.height}px`);
    this.table.style.setProperty("--lines", this.memory.lines);
    this.frame();
    this.refresh();
  }

  /** widths are the measured ones, stretched where there is room. */
  widths() {
    const wanted = this.columns.map((v) => this.memory.widths[v]);
    const room = this.scroller.clientWidth - rowNumberWidth - 2;
    const stretch = this.memory.dragged ? 1 : Math.max(1, Math.min(2.4, room / wanted.reduce((a, b) => a + b, 1)));
    return Object.fromEntries(this.columns.map((v, i) => [v, Math.floor(wanted[i] * stretch)]));
  }

  head() {
    const sort = this.rows.arrangement.sort;
    const cell = (v) => {
      const key = sort.find((k) => k.column === v);
      return h("th", { scope: "col", "aria-sort": key ? (key.down ? "descending" : "ascending") : "none", "data-column": v },
        h("div", { class: "th" },
          h("button", { class: "sort", title: `Sort by ${v}; with Shift, also by it`, onclick: (e) => this.sortBy(v, e.shiftKey) }, v, key && h("i", { "aria-hidden": "true" }, key.down ? " ↓" : " ↑")),
          h("button", { class: "column-menu", "aria-label": `Column ${v}`, "aria-haspopup": "menu", onclick: (e) => this.columnMenu(v, e.currentTarget) }, "⋯")),
        h("span", { class: "grip", onpointerdown: (e) => this.drag(e, v), ondblclick: () => this.widen(v, undefined) }));
    };
    return h("thead", {}, h("tr", { "aria-rowindex": 1 }, h("th", { class: "n" }, h("span", { class: "unseen" }, "Row")), this.columns.map(cell)));
  }

  sortBy(column, add) {
    const { sort } = this.rows.arrangement;
    const old = sort.find((k) => k.column === column);
    const rest = add ? sort.filter((k) => k.column !== column) : [];
    return this.arrange({ sort: old?.down ? rest : [...rest, { column, down: Boolean(old) }] });
  }

  columnMenu(v, anchor) {
    const set = (down) => () => this.arrange({ sort: [{ column: v, down }] });
    menu(below(anchor), [
      ["Sort ascending", set(false)], ["Sort descending", set(true)],
      ["Filter this column", () => this.tools.querySelector("input")?.dispatchEvent(new CustomEvent("aim", { detail: v }))],
      ["Copy column", async () => copy(await this.rows.text(0, this.rows.size, [v], false), `${count(this.rows.size)} values copied`)],
      ["Wider", () => this.widen(v, 1.35)], ["Narrower", () => this.widen(v, 0.74)], ["Fit width", () => this.widen(v, undefined)],
      this.columns.length > 1 && ["Hide column", () => { this.memory.hidden.add(v); this.lay(); this.drawTools(); }],
    ], v);
  }

  /** widen changes a width by a factor; without one it fits the rows in sight. */
  widen(v, factor) {
    const now = this.widths()[v];
    Object.assign(this.memory.widths, this.widths());
    this.memory.dragged = true;
    this.memory.widths[v] = factor ? Math.max(48, now * factor) : measured([v], this.drawn.list, 1400)[v];
    this.lay();
  }

  drag(event, v) {
    event.preventDefault();
    Object.assign(this.memory.widths, this.widths());
    this.memory.dragged = true;
    const [start, width] = [event.clientX, this.memory.widths[v]];
    const move = (e) => {
      this.memory.widths[v] = Math.max(48, width + e.clientX - start);
      this.lay();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  async arrange(change) {
    this.memory.active = undefined;
    this.scroller.setAttribute("aria-busy", "true");
    await this.rows.arrange(change);
    this.scroller.removeAttribute("aria-busy");
    this.scroller.scrollTop = 0;
    this.lay();
    this.drawTools();
    this.actions.arranged();
  }

  drawTools() {
    drawGridTools(this);
    this.showPlace();
  }

  /** geometry says which row is at the top and where the drawn rows begin. */
  geometry() {
    const all = this.rows.size * this.height;
    const tall = Math.min(all, tallest);
    const view = Math.max(this.scroller.clientHeight - headHeight, this.height);
    const share = this.scroller.scrollTop / Math.max(1, tall + headHeight - this.scroller.clientHeight);
    const top = all <= tallest ? this.scroller.scrollTop / this.height : Math.min(1, share) * Math.max(0, this.rows.size - view / this.height);
    return { tall, top: Math.min(top, this.rows.size), shown: Math.ceil(view / this.height) };
  }

  /** look draws what has come into sight. */
  look() {
    const { top, shown } = this.geometry();
    const [from, to] = [Math.floor(top), Math.min(this.rows.size, Math.ceil(top) + shown)];
    this.showPlace();
    if (from >= this.drawn.from && to <= this.drawn.from + this.drawn.list.length && this.rows.size * this.height <= tallest) return;
    this.refresh();
  }

  async refresh() {
    const ticket = ++this.ticket;
    const { top, shown } = this.geometry();
    const from = Math.max(0, Math.floor(top) - around);
    const list = await this.rows.window(from, Math.floor(top) + shown + around);
    if (ticket !== this.ticket || !this.scroller.isConnected) return;
    this.drawn = { from, list };
    this.draw();
  }

  draw() {
    const { from, list } = this.drawn;
    this.body.replaceChildren(...list.map(({ at, row }, i) => this.drawRow(from + i, at, row)));
    this.frame();
    this.mark();
    this.actions.captions?.(list, this);
  }

  /** frame gives the rows that are not drawn their height. */
  frame() {
    const { from, list } = this.drawn;
    const { tall, top } = this.geometry();
    const wanted = tall < tallest ? from * this.height : this.scroller.scrollTop - (top - from) * this.height;
    const start = Math.max(0, Math.min(wanted, tall - list.length * this.height));
    this.before.firstChild.firstChild.style.height = `${start}px`;
    this.after.firstChild.firstChild.style.height = `${Math.max(0, tall - start - list.length * this.height)}px`;
    this.table.setAttribute("aria-rowcount", this.rows.size + 1);
    this.table.setAttribute("aria-colcount", this.columns.length + 1);
  }

  drawRow(place, at, row) {
    const cells = this.columns.map((v, c) => {
      const term = row[v];
      return h("td", { role: "gridcell", class: term?.datatype && Number.isFinite(Number(term.value)) ? "number" : "", id: `cell-${place}-${c}`, "data-place": place, "data-column": c },
        h("div", { class: "cell" }, drawTerm(term, { pictures: this.memory.pictures, caption: this.memory.names?.get(term?.value), tabindex: -1 })));
    });
    return h("tr", { "aria-rowindex": place + 2 }, h("th", { scope: "row", class: "n" }, count(at + 1)), cells);
  }

  // The active cell and the selection.

  mark() {
    const { active, anchor = active } = this.memory;
    for (const cell of this.body.querySelectorAll(".chosen, .active")) cell.classList.remove("chosen", "active");
    if (!active) return this.table.removeAttribute("aria-activedescendant");
    const [r0, r1, c0, c1] = [Math.min(active.row, anchor.row), Math.max(active.row, anchor.row), Math.min(active.column, anchor.column), Math.max(active.column, anchor.column)];
    for (const cell of this.body.querySelectorAll("td")) {
      const [r, c] = [Number(cell.dataset.place), Number(cell.dataset.column)];
      if (r >= r0 && r <= r1 && c >= c0 && c <= c1) cell.classList.add("chosen");
    }
    const cell = this.body.querySelector(`#cell-${active.row}-${active.column}`);
    cell?.classList.add("active");
    if (cell) this.table.setAttribute("aria-activedescendant", cell.id);
  }

  go(row, column, extend) {
    const { active } = this.memory;
    const to = { row: Math.max(0, Math.min(this.rows.size - 1, row)), column: Math.max(0, Math.min(this.columns.length - 1, column)) };
    this.memory.anchor = extend ? (this.memory.anchor ?? active ?? to) : to;
    this.memory.active = to;
    this.reveal(to);
    this.mark();
  }

  reveal({ row, column }) {
    const { top, shown, tall } = this.geometry();
    if (row < top || row >= top + shown - 1) {
      const first = row < top ? row : row - shown + 2;
      const share = Math.max(0, first) / Math.max(1, this.rows.size - shown + 1);
      this.scroller.scrollTop = this.rows.size * this.height <= tallest ? first * this.height : share * tall;
    }
    const cell = this.table.querySelector(`th[data-column="${CSS.escape(this.columns[column])}"]`);
    const [left, right] = [cell.offsetLeft - rowNumberWidth, cell.offsetLeft + cell.offsetWidth];
    if (left < this.scroller.scrollLeft) this.scroller.scrollLeft = left;
    else if (right > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = right - this.scroller.clientWidth;
  }

  page(step) {
    const { top, shown } = this.geometry();
    this.go(Math.max(0, Math.round(top) + step * (shown - 1)), this.memory.active?.column ?? 0);
    this.scroller.scrollTop += this.rows.size * this.height <= tallest && step > 0 ? (shown - 2) * this.height : 0;
  }

  listen() {
    const cellOf = (event) => event.target.closest?.("td[data-place]");
    const placeOf = (cell) => [Number(cell.dataset.place), Number(cell.dataset.column)];
    this.table.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event);
      if (!cell || event.button !== 0 || event.target.closest("a")) return;
      const again = event.pointerType === "touch" && cell.classList.contains("active");
      this.go(...placeOf(cell), event.shiftKey);
      if (event.shiftKey) event.preventDefault();
      if (again) this.cellMenu(event.clientX, event.clientY);
    });
    this.table.addEventListener("contextmenu", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      event.preventDefault();
      this.go(...placeOf(cell));
      this.cellMenu(event.clientX, event.clientY);
    });
    this.table.addEventListener("dblclick", (event) => cellOf(event) && this.cellMenu(event.clientX, event.clientY));
    this.table.addEventListener("keydown", (event) => event.target === this.table && this.key(event));
    this.table.addEventListener("focus", () => this.memory.active || !this.rows.size || !this.columns.length || this.table.matches(":focus-visible") === false || this.go(Math.ceil(this.geometry().top), 0));
  }

  key(event) {
    const { row, column } = this.memory.active ?? { row: 0, column: 0 };
    const { shown } = this.geometry();
    const far = event.ctrlKey || event.metaKey;
    const steps = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
      PageDown: [row + shown - 1, column], PageUp: [row - shown + 1, column],
      Home: far ? [0, 0] : [row, 0], End: far ? [this.rows.size - 1, this.columns.length - 1] : [row, this.columns.length - 1],
    };
    if (steps[event.key]) this.go(...steps[event.key], event.shiftKey);
    else if (event.key === "Enter" && !far || event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) this.cellMenu();
    else if (event.key === "c" && far) this.copySelection();
    else if (event.key === "a" && far) this.selectAll();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  selectAll() {
    this.memory.anchor = { row: 0, column: 0 };
    this.memory.active = { row: this.rows.size - 1, column: this.columns.length - 1 };
    this.mark();
  }

  async copySelection() {
    const { active, anchor = active } = this.memory;
    if (!active) return;
    const [from, to] = [Math.min(active.row, anchor.row), Math.max(active.row, anchor.row)];
    const [c0, c1] = [Math.min(active.column, anchor.column), Math.max(active.column, anchor.column)];
    const cells = (to - from + 1) * (c1 - c0 + 1);
    copy(await this.rows.text(from, to + 1, this.columns.slice(c0, c1 + 1), false), cells === 1 ? "Copied" : `${count(cells)} cells copied`);
  }

  /** cellMenu shows the whole value of the active cell and what can be done with it. */
  async cellMenu(x, y) {
    const { row, column } = this.memory.active ?? {};
    if (row === undefined) return;
    const variable = this.columns[column];
    const term = (await this.rows.window(row, row + 1))[0]?.row[variable];
    if (!term) return;
    const cell = this.body.querySelector(`#cell-${row}-${column}`);
    menu(x === undefined ? below(cell) : { x, y }, [
      ...termActions(term, this.actions),
      ["Keep rows with this value", () => this.arrange({ filters: [...this.rows.arrangement.filters, { column: variable, text: term.value, exact: true }] })],
      ["Copy the selection", () => this.copySelection()],
    ], h("p", {}, term.value, term["xml:lang"] && h("sup", {}, ` ${term["xml:lang"]}`), term.datatype && h("sup", {}, ` ${plainText({ type: "uri", value: term.datatype })}`)));
  }

  showPlace() {
    const { top, shown } = this.geometry();
    const last = Math.min(this.rows.size, Math.floor(top) + shown);
    const place = this.tools.querySelector(".place");
    if (place) place.textContent = this.rows.size ? `${count(Math.min(last, Math.floor(top) + 1))}–${count(last)} of ${count(this.rows.size)}` : "no row";
  }

  /** grow hears that more rows have arrived. */
  grow() {
    if (!this.scroller.isConnected || !this.body) return;
    const { top, shown } = this.geometry();
    if (this.drawn.from + this.drawn.list.length < Math.min(this.rows.size, top + shown)) this.refresh();
    else this.frame();
    this.showPlace();
  }
}

const context = document.createElement("canvas").getContext("2d");

/** measured are widths that show most of the values of these columns. */
function measured(variables, list, most = 380) {
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const width = (text) => context.measureText(text.slice(0, 200)).width;
  return Object.fromEntries(variables.map((v) => {
    const lengths = list.map(({ row }) => (row[v] ? width(plainText(row[v])) + (row[v]["xml:lang"] ? 18 : row[v].datatype && Number.isNaN(Number(row[v].value)) ? 64 : 0) : 0)).sort((a, b) => a - b);
    const usual = lengths[Math.floor(lengths.length * 0.95)] ?? 0;
    return [v, Math.ceil(Math.min(most, Math.max(usual, width(v) + 44, 70)) + 26)];
  }));
}
