// A timeline: what has dates, in lanes under how much there is at each time.

import { h, s, count } from "./dom.js";
import { cut } from "./names.js";
import { plainText } from "./cells.js";
import { dates, nameColumn } from "./shape.js";
import { Plot, choice } from "./plot.js";
import { yearOf, dateText, ticks, extent } from "./scale.js";
import { pictureMenu } from "./picture.js";

const mostItems = 50_000;
const histogram = 54;
const lane = 22;

/** draw shows a run as a timeline; what was chosen is kept with the run. */
export async function draw(box, run) {
  const all = dates(run.profile);
  const names = run.profile.map((c) => [c.name, c.name]);
  const chosen = (run.memory.timeline ??= { start: all[0], end: all.find((d) => /end|until|to$|bis|ende/i.test(d) && d !== all[0]), label: nameColumn(run.profile, all) });
  const bar = h("div", { class: "view-bar" });
  const plot = h("div", { class: "plot-box", tabindex: 0, role: "application", "aria-label": "Timeline: plus and minus zoom, arrows move" });
  box.replaceChildren(h("div", { class: "view" }, bar, plot));
  const time = new Timeline(plot);
  const again = async (change) => {
    Object.assign(chosen, change);
    bar.replaceChildren(choice("From", all.map((d) => [d, d]), chosen.start, (start) => again({ start })), choice("to", [["", "—"], ...all.map((d) => [d, d])], chosen.end ?? "", (end) => again({ end: end || undefined })),
      choice("name", names, chosen.label, (label) => again({ label })), h("span", { class: "spring" }),
      h("button", { class: "quiet", "aria-label": "Zoom in", onclick: () => time.zoom(0.6) }, "+"), h("button", { class: "quiet", "aria-label": "Zoom out", onclick: () => time.zoom(1 / 0.6) }, "−"),
      h("button", { class: "quiet", onclick: () => time.whole() }, "All"), pictureMenu(() => plot.querySelector("svg"), "timeline"));
    time.set(items(await run.rows.series([chosen.start, chosen.end ?? chosen.start, chosen.label], mostItems)), run.rows.size);
  };
  again({});
}

const items = (rows) => rows.flatMap(([start, end, label]) => {
  const [from, to] = [start ? yearOf(start.value) : NaN, end ? yearOf(end.value) : NaN];
  return Number.isFinite(from) ? [{ from, to: to >= from ? to : from, label: plainText(label), title: `${plainText(label)} · ${start.value}${end && end.value !== start.value ? ` – ${end.value}` : ""}` }] : [];
}).sort((a, b) => a.from - b.from);

class Timeline {
  constructor(box) {
    this.box = box;
    this.items = [];
    box.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), event.offsetX);
    }, { passive: false });
    box.addEventListener("pointerdown", (event) => this.grab(event));
    box.addEventListener("keydown", (event) => this.key(event));
    this.sizes = new ResizeObserver(() => this.box.isConnected && this.draw());
    this.sizes.observe(box);
  }

  set(list, rows) {
    this.items = list;
    this.rows = rows;
    this.whole();
  }

  whole() {
    const [low, high] = extent(this.items.flatMap((i) => [i.from, i.to]));
    const margin = (high - low) * 0.03 || 1;
    this.look(low - margin, high + margin);
  }

  look(low, high) {
    Object.assign(this, { low, high });
    this.draw();
  }

  zoom(factor, pixel) {
    const share = pixel === undefined ? 0.5 : pixel / this.box.clientWidth;
    const middle = this.low + share * (this.high - this.low);
    this.look(middle - (middle - this.low) * factor, middle + (this.high - middle) * factor);
  }

  key(event) {
    const step = (this.high - this.low) / 6;
    if (event.key === "+" || event.key === "=") this.zoom(0.6);
    else if (event.key === "-") this.zoom(1 / 0.6);
    else if (event.key === "ArrowLeft") this.look(this.low - step, this.high - step);
    else if (event.key === "ArrowRight") this.look(this.low + step, this.high + step);
    else return;
    event.preventDefault();
  }

  grab(event) {
    const [start, low, high] = [event.clientX, this.low, this.high];
    const move = (e) => {
      const shift = ((e.clientX - start) / this.box.clientWidth) * (high - low);
      this.look(low - shift, high - shift);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  draw() {
    if (!this.items.length) return this.box.replaceChildren(h("p", { class: "empty" }, "No dates that could be read."));
    const plot = new Plot(this.box, "Timeline", { left: 12, right: 12, top: 6, bottom: 30 });
    const x = plot.across(this.low, this.high);
    const list = ticks(this.low, this.high, Math.max(2, Math.round(plot.width / 110)));
    const step = list.length > 1 ? list[1] - list[0] : 1;
    for (const value of list) plot.add(s("line", { class: "grid-line faint", x1: x.at(value), x2: x.at(value), y1: plot.inner.top, y2: plot.inner.bottom }), s("text", { class: "tick", x: x.at(value), y: plot.inner.bottom + 17, "text-anchor": "middle" }, dateText(value, step)));
    plot.drawBase();
    const inside = this.items.filter((i) => i.to >= this.low && i.from <= this.high);
    this.drawDensity(plot, x, inside);
    this.drawLanes(plot, x, inside);
  }

  /** drawDensity is how many there are at each time. */
  drawDensity(plot, x, inside) {
    const bins = new Array(Math.max(12, Math.round(plot.width / 9))).fill(0);
    const width = (plot.inner.right - plot.inner.left) / bins.length;
    for (const i of inside) bins[Math.min(bins.length - 1, Math.max(0, Math.floor((x.at(i.from) - plot.inner.left) / width)))]++;
    const most = Math.max(...bins);
    bins.forEach((n, i) => n && plot.add(s("rect", { class: "density", x: plot.inner.left + i * width, width: width - 1, y: plot.inner.top + histogram * (1 - n / most), height: (histogram * n) / most }, s("title", {}, `${count(n)}`))));
  }

  /** drawLanes puts each item where there is room for it and its name; those without room are counted. */
  drawLanes(plot, x, inside) {
    const top = plot.inner.top + histogram + 8;
    const lanes = new Array(Math.max(1, Math.floor((plot.inner.bottom - top) / lane))).fill(-Infinity);
    let left = 0;
    for (const i of inside) {
      const [a, b] = [Math.max(plot.inner.left, x.at(i.from)), Math.min(plot.inner.right, x.at(i.to))];
      const at = lanes.findIndex((end) => end < a - 6);
      if (at < 0) {
        left++;
        continue;
      }
      const from = Math.max(b, a + 3) + 7;
      const text = cut(i.label, Math.max(0, Math.min(30, Math.floor((plot.inner.right - from) / 6.6))));
      const y = top + at * lane;
      lanes[at] = from + 8 + text.length * 6.6;
      plot.add(s("g", {}, s("rect", { class: "span", x: a - (b - a < 6 ? 3 : 0), y: y + 5, width: Math.max(6, b - a), height: 8, rx: 4 }), s("text", { class: "span-name", x: from, y: y + 13 }, text), s("title", {}, i.title)));
    }
    const note = [left && `${count(left)} more: zoom in`, this.rows > mostItems && `the first ${count(mostItems)} of ${count(this.rows)} rows`].filter(Boolean).join(" · ");
    if (note) plot.add(s("text", { class: "axis-title", x: plot.inner.right, y: plot.inner.bottom - 6, "text-anchor": "end" }, note));
  }
}
