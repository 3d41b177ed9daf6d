// The frame of a chart: axes, grid lines and a legend, in an SVG.

import { h, s } from "./dom.js";
import { cut } from "./names.js";
import { ticks, plain, dateText, Scale } from "./scale.js";

/** colours tells eight series apart, also for those who see fewer colours; the rest are grey. */
export const colours = 8;
export const colour = (i) => `series series-${i < colours ? i : "rest"}`;

/** Plot is an SVG of the size of its box with room for axes. */
export class Plot {
  constructor(box, title, { left = 64, bottom = 46, top = 16, right = 18 } = {}) {
    const { width, height } = box.getBoundingClientRect();
    this.width = Math.max(260, width);
    this.height = Math.max(90, height);
    this.inner = { left, right: this.width - right, top, bottom: this.height - bottom };
    this.svg = s("svg", { class: "plot", role: "img", "aria-label": title, viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height });
    box.replaceChildren(this.svg);
  }

  add(...elements) {
    this.svg.append(...elements);
  }

  /** across is a scale from left to right. */
  across(low, high) {
    return new Scale(low, high, this.inner.left, this.inner.right);
  }

  /** up is a scale from bottom to top. */
  up(low, high) {
    return new Scale(low, high, this.inner.bottom, this.inner.top);
  }

  drawLeft(scale, title) {
    for (const value of ticks(scale.low, scale.high, Math.max(2, Math.round(this.height / 70)))) {
      const y = scale.at(value);
      this.add(s("line", { class: "grid-line", x1: this.inner.left, x2: this.inner.right, y1: y, y2: y }), s("text", { class: "tick", x: this.inner.left - 7, y, dy: ".35em", "text-anchor": "end" }, plain(value)));
    }
    this.add(s("text", { class: "axis-title", x: 6, y: 11 }, cut(title, 60)));
  }

  drawBelow(scale, title, dated) {
    const list = ticks(scale.low, scale.high, Math.max(2, Math.round(this.width / 110)));
    const step = list.length > 1 ? list[1] - list[0] : 1;
    for (const value of list) {
      const x = scale.at(value);
      this.add(s("line", { class: "grid-line faint", x1: x, x2: x, y1: this.inner.top, y2: this.inner.bottom }), s("text", { class: "tick", x, y: this.inner.bottom + 16, "text-anchor": "middle" }, dated ? dateText(value, step) : plain(value)));
    }
    this.drawBase();
    this.add(s("text", { class: "axis-title", x: this.inner.right, y: this.inner.bottom + 34, "text-anchor": "end" }, cut(title, 60)));
  }

  drawBase() {
    this.add(s("line", { class: "axis-line", x1: this.inner.left, x2: this.inner.right, y1: this.inner.bottom, y2: this.inner.bottom }));
  }
}

/** legend names the series. */
export const legend = (names) => names.length > 1 && h("ul", { class: "legend" }, names.map((name, i) => h("li", {}, h("i", { class: colour(i) }), cut(name, 40))));

/** choice is a labelled select; options are [value, text]. */
export function choice(label, options, chosen, change) {
  const select = h("select", { onchange: () => change(select.value) }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
  return h("label", { class: "field" }, h("span", {}, label), select);
}
