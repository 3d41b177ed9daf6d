// The page of the server: the queries under way, the store, the device, and the last hour.

import { h, s, put, count, short, time, toast } from "./dom.js";
import { json, call, problemOf } from "./api.js";
import { Plot } from "./plot.js";
import { ticks, plain } from "./scale.js";

/** How often what is looked at, in milliseconds. */
const often = 1000;
const seldom = 10_000;

/** draw shows the page and keeps it up to date until it is ended. */
export function draw(box, _, { actions }) {
  const page = new ServerPage(box, actions);
  const timers = [setInterval(() => page.queries(), often), setInterval(() => page.rest(), seldom)];
  page.queries();
  page.rest();
  return () => timers.forEach(clearInterval);
}

class ServerPage {
  constructor(box, actions) {
    this.actions = actions;
    const section = (title) => {
      const body = h("div", {});
      return [body, h("section", { "aria-label": title }, h("h2", {}, title), body)];
    };
    const parts = ["Queries under way", "The last hour", "Store", "Device and limits"].map(section);
    [this.running, this.hour, this.store, this.device] = parts.map(([body]) => body);
    this.hour.className = "hour";
    box.replaceChildren(h("div", { class: "server" }, h("h1", {}, "Server"), parts.map(([, element]) => element)));
  }

  /** queries lists what waits and runs, with the share of the time that it may take. */
  async queries() {
    if (document.hidden) return;
    try {
      const { queries } = await json("api/queries");
      this.running.replaceChildren(queries.length ? h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": "Queries" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, ["", "Query", "From", "State", "Time"].map((t) => h("th", { scope: "col" }, t || h("span", { class: "unseen" }, "Cancel"))))), h("tbody", {}, queries.map((q) => this.query(q))))) : h("p", { class: "none" }, "None at this moment."));
    } catch (error) {
      this.running.replaceChildren(h("p", { class: "problem" }, problemOf(error).title));
    }
  }

  query(q) {
    const limit = (this.limits?.timeoutSeconds ?? 0) * 1000;
    return h("tr", {}, h("td", {}, h("button", { class: "quiet", "aria-label": `Cancel query ${q.id}`, onclick: () => this.cancel(q.id) }, "Cancel")),
      h("td", {}, h("button", { class: "code-link", title: q.query, onclick: () => this.actions.open(q.query) }, q.query.replace(/\s+/g, " ").slice(0, 160))), h("td", {}, q.client), h("td", {}, q.state),
      h("td", { class: "n" }, time(q.elapsedMilliseconds), limit > 0 && h("progress", { max: limit, value: Math.min(limit, q.elapsedMilliseconds), "aria-label": `of the ${count(limit / 1000)} s that it may take` })));
  }

  async cancel(id) {
    try {
      await call(`api/queries/${encodeURIComponent(id)}`, { method: "DELETE" });
    } catch (error) {
      toast(problemOf(error).detail ?? problemOf(error).title);
    }
    this.queries();
  }

  async rest() {
    if (document.hidden) return;
    try {
      const [info, history] = await Promise.all([json("api/info"), json("api/history")]);
      this.limits = info.limits;
      this.drawStore(info);
      this.drawDevice(info);
      this.drawHour(history);
    } catch (error) {
      this.store.replaceChildren(h("p", { class: "problem" }, problemOf(error).title));
    }
  }

  drawStore({ store, integrity, live }) {
    const tile = (value, what) => h("div", { class: "tile" }, h("b", {}, value), h("span", {}, what));
    const parts = Object.entries(store.bytes).sort((a, b) => b[1] - a[1]);
    put(this.store, h("div", { class: "tiles" }, tile(count(store.triples), "triples"), tile(count(store.terms), "terms"), tile(bytes(store.totalBytes), "on disk"), tile((store.totalBytes / Math.max(1, store.triples)).toFixed(1), "bytes a triple")),
      store.advice && h("p", { class: "advice" }, store.advice),
      table(["Segment", "Created", "Triples", "Terms", "Bytes"], store.segments.map((g) => [g.folder || "base", new Date(g.created).toLocaleString(), count(g.triples), count(g.terms), bytes(g.bytes)])),
      table(["Part", "Bytes", "Share"], parts.map(([part, size]) => [part, bytes(size), `${((100 * size) / store.totalBytes).toFixed(1)} %`])),
      live && h("p", { class: live.failed ? "problem" : "none" }, live.failed ?? liveText(live)),
      integrity && h("p", { class: "none" }, integrityText(integrity)));
  }

  drawDevice({ device, limits, version }) {
    const rows = device.available
      ? [["GPU", device.name], ["Memory", bytes(device.memory)], ["Free", bytes(device.free)], ["Taken by this server", bytes(device.used ?? 0)], ["of it the store", bytes(device.resident ?? 0)], ["of it running queries", bytes(device.working ?? 0)]]
      : [["GPU", `none: ${device.reason ?? "queries run on the CPU"}`]];
    rows.push(["A query may take", `${limits.timeoutSeconds} s`], ["and return", limits.maxRows ? `${count(limits.maxRows)} rows` : "any number of rows"], ["Queries at once", count(limits.maxConcurrent)], ["Version", version]);
    this.device.replaceChildren(h("dl", { class: "pairs" }, rows.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])));
  }

  drawHour({ intervalSeconds, samples }) {
    const charts = [["Queries a second", (x) => x.queries / intervalSeconds, plain], ["Failed queries", (x) => x.failed, plain], ["Half of the queries took (ms)", (x) => x.medianMilliseconds, plain], ["95 % of them took (ms)", (x) => x.slowMilliseconds, plain],
      ["Rows a second", (x) => x.rows / intervalSeconds, short], ["Memory of the server", (x) => x.memoryBytes, bytes]];
    if (samples.some((x) => x.deviceBytes > 0)) charts.push(["Memory of the GPU", (x) => x.deviceBytes, bytes]);
    if (this.hour.children.length !== charts.length) this.hour.replaceChildren(...charts.map(([title]) => h("figure", {}, h("figcaption", {}, title), h("div", { class: "spark" }))));
    charts.forEach(([title, of, text], i) => drawSpark(this.hour.children[i], title, samples, of, text));
  }
}

const integrityText = (i) => (typeof i === "string" ? i : Object.entries(i).map(([k, v]) => `${k}: ${typeof v === "object" ? JSON.stringify(v) : v}`).join(" · "));

const liveText = (l) => `Commit ${count(l.sequence)}: ${count(l.added)} triples added and ${count(l.removed)} removed since the files were written, ${bytes(l.deltaBytes)} in memory, ${bytes(l.logBytes)} of log.`;

/** drawSpark is a line over the last hour; the newest value stands beside the title. */
function drawSpark(figure, title, samples, of, text) {
  const values = samples.map(of);
  const newest = values.at(-1) ?? 0;
  figure.querySelector("figcaption").replaceChildren(title, h("b", {}, text(newest)));
  const plot = new Plot(figure.querySelector(".spark"), `${title}: now ${text(newest)}`, { left: 46, right: 8, top: 8, bottom: 20 });
  const x = plot.across(-60, 0);
  const most = Math.max(...values, 0) || 1;
  const y = plot.up(0, most);
  for (const value of ticks(0, most, 2)) plot.add(s("line", { class: "grid-line", x1: plot.inner.left, x2: plot.inner.right, y1: y.at(value), y2: y.at(value) }), s("text", { class: "tick", x: plot.inner.left - 6, y: y.at(value), dy: ".35em", "text-anchor": "end" }, text(value)));
  for (const minute of [-60, -30, 0]) plot.add(s("text", { class: "tick", x: x.at(minute), y: plot.height - 5, "text-anchor": minute ? (minute < -50 ? "start" : "middle") : "end" }, minute ? `${-minute} min ago` : "now"));
  const now = samples.at(-1)?.at ?? 0;
  const points = samples.map((sample, i) => `${x.at((sample.at - now) / 60_000).toFixed(1)} ${y.at(values[i]).toFixed(1)}`);
  if (points.length > 1) plot.add(s("path", { class: "series series-0 line", d: `M${points.join("L")}` }));
  else if (points.length) plot.add(s("circle", { class: "series series-0", r: 3, cx: points[0].split(" ")[0], cy: points[0].split(" ")[1] }));
}

const table = (head, rows) => h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": head[0] }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, head.map((t, i) => h("th", { scope: "col", class: i ? "n" : "" }, t)))), h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: i ? "n" : "" }, cell)))))));

/** bytes writes a size with three digits. */
function bytes(n) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) if (n >= size) return `${(n / size).toPrecision(3)} ${unit}`;
  return `${Math.round(n)} B`;
}
