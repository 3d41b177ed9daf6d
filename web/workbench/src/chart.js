// Charts of an answer: bars by category, lines over time or numbers, points of two numbers.

import { h, s, put, count } from "./dom.js";
import { name, cut } from "./names.js";
import { plainText } from "./cells.js";
import { numbers, dates, categories, nameColumn, coordinates } from "./shape.js";
import { Plot, colour, colours, legend, choice } from "./plot.js";
import { extent, yearOf, plain } from "./scale.js";
import { pictureMenu } from "./picture.js";

/** Limits of what is drawn: a bar, a line's point and a dot must be seen apart. */
const mostBars = 40;
const mostPoints = 20_000;
const mostDots = 4000;

const kinds = [["bar", "Bars"], ["line", "Line"], ["scatter", "Points"]];
const aggregates = [["count", "rows"], ["sum", "sum of"], ["average", "average of"], ["least", "least"], ["most", "most"]];

/** draw shows a run as a chart; what was chosen is kept with the run. */
export function draw(box, run) {
  const chosen = (run.memory.chart ??= usual(run.profile));
  const bar = h("div", { class: "view-bar" });
  const plot = h("div", { class: "plot-box" });
  const note = h("div", { class: "plot-note" });
  box.replaceChildren(h("div", { class: "view" }, bar, note, plot));
  const again = (change) => {
    Object.assign(chosen, change);
    drawControls();
    drawChart(plot, note, run, chosen);
  };
  const drawControls = () => bar.replaceChildren(...controls(run, chosen, again), h("span", { class: "spring" }), pictureMenu(() => plot.querySelector("svg"), "chart"));
  again({});
  new ResizeObserver((_, o) => (plot.isConnected ? drawChart(plot, note, run, chosen) : o.disconnect())).observe(plot);
}

/** usual is a chart that says something about most answers with these columns. */
function usual(profile) {
  const [time] = dates(profile);
  const places = coordinates(profile).flatMap(Object.values);
  const plainNumbers = numbers(profile).filter((n) => !places.includes(n));
  const words = categories(profile).filter((c) => c !== time);
  if (time && (plainNumbers.length || !words.length)) return { kind: "line", x: time, y: plainNumbers[0], aggregate: plainNumbers[0] ? "average" : "count" };
  if (plainNumbers.length > 1 && profile.every((c) => !c.name.match(/count|triples|members|number/i)) && !words.some((w) => profile.find((c) => c.name === w).distinct === profile[0].rows)) return { kind: "scatter", x: plainNumbers[0], y: plainNumbers[1], aggregate: "average" };
  const best = words.map((w) => profile.find((c) => c.name === w)).sort((a, b) => Number(b.distinct <= mostBars) - Number(a.distinct <= mostBars))[0];
  const repeats = best && best.distinct < best.rows;
  return { kind: "bar", x: best?.name ?? profile[0].name, y: repeats ? undefined : plainNumbers[0], aggregate: repeats || !plainNumbers[0] ? "count" : "sum" };
}

/** pair is two columns of numbers or dates for points, those that are chosen where they fit. */
function pair(profile, { x, y }) {
  const fit = [...dates(profile), ...numbers(profile)];
  const across = fit.includes(x) ? x : (fit.find((c) => c !== y) ?? x);
  return { x: across, y: y && y !== across ? y : numbers(profile).find((n) => n !== across) };
}

function controls(run, chosen, again) {
  const { profile } = run;
  const columns = profile.map((c) => [c.name, c.name]);
  const measures = [["", "—"], ...numbers(profile).map((n) => [n, n])];
  const few = [["", "—"], ...profile.filter((c) => c.name !== chosen.x && c.distinct > 1).map((c) => [c.name, c.name])];
  const list = [choice("Chart", kinds, chosen.kind, (kind) => again({ kind, ...(kind === "scatter" && pair(profile, chosen)) })), choice(chosen.kind === "bar" ? "by" : "across", columns, chosen.x, (x) => again({ x }))];
  if (chosen.kind !== "scatter") list.push(choice("show", aggregates, chosen.aggregate, (aggregate) => again({ aggregate, y: aggregate === "count" ? undefined : (chosen.y ?? numbers(profile)[0]) })));
  if (chosen.kind === "scatter" || chosen.aggregate !== "count") list.push(choice("value", measures, chosen.y ?? "", (y) => again({ y: y || undefined })));
  return [...list, choice("colour", few, chosen.by ?? "", (by) => again({ by: by || undefined }))];
}

async function drawChart(box, note, run, chosen) {
  const ticket = (box.ticket = {});
  const data = await (chosen.kind === "scatter" ? dots(run, chosen) : groups(run, chosen));
  if (ticket !== box.ticket || !box.isConnected) return;
  put(note, legend(data.names), data.note && h("p", {}, data.note));
  if (!data.points.length) return box.replaceChildren(h("p", { class: "empty" }, "These columns have no values that a chart could show. Choose others."));
  drawers[chosen.kind](new Plot(box, titleOf(chosen), { left: chosen.kind === "bar" ? labelRoom(box, data) : 64 }), data, chosen);
}

const titleOf = ({ kind, x, y, aggregate }) => `${kinds.find(([k]) => k === kind)[1]}: ${aggregate === "count" && kind !== "scatter" ? "rows" : y} by ${x}`;

/** series numbers the values of the colour column, most frequent first. */
function series(points) {
  const sizes = new Map();
  for (const p of points) sizes.set(p.by, (sizes.get(p.by) ?? 0) + 1);
  const names = [...sizes].sort((a, b) => b[1] - a[1]).map(([n]) => n);
  const index = new Map(names.map((n, i) => [n, i]));
  for (const p of points) p.series = index.get(p.by);
  return names.length > colours ? [...names.slice(0, colours), `${names.length - colours} others`] : names;
}

async function groups(run, { kind, x, y, by, aggregate }) {
  const found = await run.rows.group({ by: x, across: by, value: y, aggregate: y ? aggregate : "count" }, mostPoints);
  const isDate = dates(run.profile).includes(x);
  const isNumber = numbers(run.profile).includes(x);
  const points = found.filter((g) => g.by && Number.isFinite(g.value)).map((g) => ({ label: plainText(g.by), position: isDate ? yearOf(g.by.value) : isNumber ? Number(g.by.value) : NaN, value: g.value, by: by ? plainText(g.across) : "" }));
  const names = series(points);
  return { points, names, isDate, ordered: isDate || isNumber, note: found.length === mostPoints ? `The first ${count(mostPoints)} values.` : "" };
}

async function dots(run, { x, y, by }) {
  if (!y) return { points: [], names: [] };
  const label = nameColumn(run.profile, [x, y]);
  const rows = await run.rows.series([x, y, ...(by ? [by] : []), label], mostDots);
  const isDate = dates(run.profile).includes(x);
  const points = rows.map((r) => ({ position: r[0] ? (isDate ? yearOf(r[0].value) : Number(r[0].value)) : NaN, value: r[1] ? Number(r[1].value) : NaN, by: by ? plainText(r[2]) : "", label: plainText(r.at(-1)) })).filter((p) => Number.isFinite(p.position) && Number.isFinite(p.value));
  return { points, names: series(points), isDate, note: run.rows.size > mostDots ? `The first ${count(mostDots)} of ${count(run.rows.size)} rows.` : "" };
}

/** labelRoom is the width that the names of bars need. */
const labelRoom = (box, { points }) => Math.min(box.clientWidth * 0.38, 24 + 7.2 * Math.min(26, Math.max(3, ...points.slice(0, 400).map((p) => p.label.length))));

const drawers = {
  /** Bars lie, because names of things are long. */
  bar(plot, data, chosen) {
    const totals = new Map();
    for (const p of data.points) totals.set(p.label, [...(totals.get(p.label) ?? []), p]);
    let bars = [...totals].map(([label, parts]) => ({ label, parts: parts.sort((a, b) => a.series - b.series), position: parts[0].position, value: parts.reduce((sum, p) => sum + p.value, 0) }));
    bars = data.ordered && bars.length <= mostBars ? bars.sort((a, b) => a.position - b.position) : bars.sort((a, b) => b.value - a.value);
    const shown = bars.slice(0, mostBars);
    const scale = plot.across(Math.min(0, ...shown.map((b) => b.value)), Math.max(0, ...shown.map((b) => b.value)));
    plot.drawBelow(scale, `${chosen.y ? `${aggregates.find(([a]) => a === chosen.aggregate)[1]} ${chosen.y}` : "rows"}${bars.length > mostBars ? ` · ${mostBars} of ${count(bars.length)}` : ""}`);
    const step = (plot.inner.bottom - plot.inner.top) / shown.length;
    shown.forEach((bar, i) => {
      const y = plot.inner.top + i * step;
      if (step >= 9 || i % Math.ceil(9 / step) === 0) plot.add(s("text", { class: "tick", x: plot.inner.left - 7, y: y + step / 2, dy: ".35em", "text-anchor": "end", style: step < 12 ? "font-size:9px" : "" }, cut(bar.label, 26)));
      let from = 0;
      for (const part of bar.parts) {
        const [a, b] = [scale.at(from), scale.at(from + part.value)];
        plot.add(s("rect", { class: colour(part.series), x: Math.min(a, b), y: y + step * 0.12, width: Math.max(0.5, Math.abs(b - a)), height: step * 0.76 }, s("title", {}, `${bar.label}${part.by && ` · ${part.by}`}: ${plain(part.value)}`)));
        from += part.value;
      }
    });
  },

  line(plot, data, chosen) {
    const lines = new Map();
    const placed = data.ordered ? data.points.filter((p) => Number.isFinite(p.position)) : data.points.sort((a, b) => (a.label < b.label ? -1 : 1)).map((p, i) => ({ ...p, position: i }));
    for (const p of placed) lines.set(p.by, [...(lines.get(p.by) ?? []), p]);
    const x = plot.across(...extent(placed.map((p) => p.position)));
    const [low, high] = extent(placed.map((p) => p.value));
    const y = plot.up(Math.min(0, low), high);
    plot.drawLeft(y, chosen.y ?? "rows");
    plot.drawBelow(x, chosen.x, data.isDate);
    for (const points of lines.values()) {
      points.sort((a, b) => a.position - b.position);
      const i = points[0].series;
      plot.add(s("path", { class: `${colour(i)} line`, d: points.map((p, n) => `${n ? "L" : "M"}${x.at(p.position).toFixed(1)} ${y.at(p.value).toFixed(1)}`).join("") }));
      if (placed.length <= 300) for (const p of points) plot.add(s("circle", { class: colour(i), r: 2.6, cx: x.at(p.position), cy: y.at(p.value) }, s("title", {}, `${p.label}${p.by && ` · ${p.by}`}: ${plain(p.value)}`)));
    }
  },

  scatter(plot, data, chosen) {
    const x = plot.across(...extent(data.points.map((p) => p.position)));
    const y = plot.up(...extent(data.points.map((p) => p.value)));
    plot.drawLeft(y, name(chosen.y));
    plot.drawBelow(x, chosen.x, data.isDate);
    for (const p of data.points) plot.add(s("circle", { class: `${colour(p.series)} dot`, r: 3, cx: x.at(p.position).toFixed(1), cy: y.at(p.value).toFixed(1) }, s("title", {}, `${p.label}: ${plain(p.position)}, ${plain(p.value)}`)));
  },
};
