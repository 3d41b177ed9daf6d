// A map of an answer, by the Mercator projection, over an outline of the land that comes with the workbench.

import { h, s, put, count } from "./dom.js";
import { cut } from "./names.js";
import { plainText, drawTerm } from "./cells.js";
import { coordinates, categories, nameColumn } from "./shape.js";
import { colour, colours, legend, choice } from "./plot.js";
import { extent } from "./scale.js";
import { read } from "./wkt.js";
import { setting } from "./settings.js";
import { pictureMenu } from "./picture.js";

const mostPlaces = 50_000;
/** cell is the size in pixels within which places are drawn as one. */
const cell = 36;
const mostLabels = 60;
const world = 1000;

/** draw shows a run as a map; what was chosen is kept with the run. */
export async function draw(box, run, actions) {
  const ways = coordinates(run.profile);
  const used = ways.flatMap(Object.values);
  const chosen = (run.memory.map ??= { label: nameColumn(run.profile, used) });
  const bar = h("div", { class: "view-bar" });
  const inner = h("div", { class: "map-box" });
  const note = h("div", { class: "plot-note" });
  box.replaceChildren(h("div", { class: "view" }, bar, note, inner));
  const view = new MapView(inner, run, actions, run.memory);
  view.drawLand();
  const few = categories(run.profile).filter((c) => !used.includes(c));
  const again = async (change) => {
    Object.assign(chosen, change);
    bar.replaceChildren(choice("Name", run.profile.map((c) => [c.name, c.name]), chosen.label, (label) => again({ label })), choice("colour", [["", "—"], ...few.map((c) => [c, c])], chosen.by ?? "", (by) => again({ by: by || undefined })),
      h("span", { class: "spring" }), h("button", { class: "quiet", "aria-label": "Zoom in", onclick: () => view.zoom(1.7) }, "+"), h("button", { class: "quiet", "aria-label": "Zoom out", onclick: () => view.zoom(1 / 1.7) }, "−"), h("button", { class: "quiet", onclick: () => view.fit() }, "All"), pictureMenu(() => view.svg, "map"));
    const { places, names, left } = await collect(run, ways, chosen);
    put(note, legend(names), left > 0 && h("p", {}, `${count(left)} rows have no place that can be drawn.`), run.rows.size > mostPlaces && h("p", {}, `The first ${count(mostPlaces)} of ${count(run.rows.size)} rows.`));
    view.set(places);
  };
  await again({});
}

/** collect makes places of rows: {x, y, label, series, row} in the unit of the world, and shapes of WKT. */
async function collect(run, ways, { label, by }) {
  const variables = [...new Set([...ways.flatMap(Object.values), label, ...(by ? [by] : [])])];
  const rows = await run.rows.series(variables, mostPlaces);
  const at = Object.fromEntries(variables.map((v, i) => [v, i]));
  const sizes = new Map();
  const places = rows.flatMap((row, place) => {
    const group = by ? plainText(row[at[by]]) : "";
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
    return ways.flatMap((way) => geometries(way, row, at)).map((g) => ({ ...g, place, label: plainText(row[at[label]]), group }));
  });
  const names = [...sizes].sort((a, b) => b[1] - a[1]).map(([n]) => n);
  for (const p of places) p.series = Math.min(colours, names.indexOf(p.group));
  return { places, names: names.length > colours ? [...names.slice(0, colours), `${names.length - colours} others`] : names, left: rows.length - new Set(places.map((p) => p.place)).size };
}

function geometries(way, row, at) {
  if (way.wkt) {
    const g = row[at[way.wkt]] && read(row[at[way.wkt]].value);
    if (!g) return [];
    const lines = [...g.lines, ...g.areas.flat()];
    const path = lines.map((line) => line.map((p, i) => `${i ? "L" : "M"}${project(p).map((n) => n.toFixed(3)).join(" ")}`).join("")).join("");
    const first = g.points[0] ?? lines[0]?.[0];
    if (!first) return [];
    const middle = path ? center(lines.flat()) : first;
    const corners = path ? [extent(lines.flat().map((p) => project(p)[0])), extent(lines.flat().map((p) => project(p)[1]))] : [];
    return [...(path ? [{ ...xy(middle), path, corners, area: g.areas.length > 0 }] : []), ...g.points.map(xy)];
  }
  const [lat, long] = [row[at[way.lat]], row[at[way.long]]];
  const position = [Number(long?.value), Number(lat?.value)];
  return lat && long && position.every(Number.isFinite) && Math.abs(position[1]) <= 90 ? [xy(position)] : [];
}

const center = (points) => [0, 1].map((i) => (Math.min(...points.map((p) => p[i])) + Math.max(...points.map((p) => p[i]))) / 2);

function xy(position) {
  const [x, y] = project(position);
  return { x, y };
}

/** project is Mercator, cut off at 85 degrees: the world is a square of 1000. */
function project([long, lat]) {
  const phi = (Math.max(-85, Math.min(85, lat)) * Math.PI) / 180;
  return [((long + 180) / 360) * world, (0.5 - Math.log(Math.tan(Math.PI / 4 + phi / 2)) / (2 * Math.PI)) * world];
}

/** unrolled is a ring that may cross 180 degrees as rings that go on beyond them: one for each edge of the map. The ring
 * around the pole is closed along the map's lower edge. */
function unrolled(ring) {
  let shift = 0;
  const whole = ring.map(([long, lat], i) => {
    const step = i ? long - ring[i - 1][0] : 0;
    if (Math.abs(step) > 180) shift -= 360 * Math.sign(step);
    return [long + shift, lat];
  });
  if (shift) whole.push([whole.at(-1)[0], -85], [whole[0][0], -85]);
  const longs = whole.map(([long]) => long);
  const moved = (by) => whole.map(([long, lat]) => [long + by, lat]);
  return [whole, ...(Math.max(...longs) > 180 ? [moved(-360)] : []), ...(Math.min(...longs) < -180 ? [moved(360)] : [])];
}

class MapView {
  constructor(box, run, actions, memory) {
    Object.assign(this, { box, run, actions, memory });
    this.places = [];
    this.view = { x: 0, y: 0, k: 1 };
    this.tiles = s("g", { class: "tiles" });
    this.land = s("g", { class: "land" });
    this.lines = s("g", { class: "graticule" });
    this.shapes = s("g", { class: "shapes" });
    this.marks = s("g", { class: "marks" });
    this.svg = s("svg", { class: "map", role: "application", tabindex: 0, "aria-label": "Map: plus and minus zoom, arrows move. The table has the same rows." }, this.tiles, this.land, this.lines, this.shapes, this.marks);
    this.card = h("div", { class: "map-card", hidden: true });
    box.append(this.svg, this.card);
    this.listen();
    this.sizes = new ResizeObserver(() => this.box.isConnected && (this.memory.mapView ? this.draw() : this.fit()));
    this.sizes.observe(box);
  }

  /** drawLand fetches the outline when a map is first drawn. */
  async drawLand() {
    const [{ feature }, { default: atlas }] = await Promise.all([import("topojson-client"), import("world-atlas/land-110m.json")]);
    const rings = feature(atlas, atlas.objects.land).features.flatMap((f) => f.geometry.coordinates).flat().flatMap(unrolled);
    const d = rings.map((ring) => ring.map((p, i) => `${i ? "L" : "M"}${project(p).map((n) => n.toFixed(2)).join(" ")}`).join("") + "Z").join("");
    this.land.replaceChildren(s("path", { d, "vector-effect": "non-scaling-stroke" }));
    this.box.dataset.land = "";
  }

  set(places) {
    this.places = places;
    this.shapes.replaceChildren(...places.filter((p) => p.path).map((p) => s("path", { d: p.path + (p.area ? "Z" : ""), class: `${colour(p.series)} ${p.area ? "area" : "line"}`, "vector-effect": "non-scaling-stroke" }, s("title", {}, p.label))));
    if (this.memory.mapView) this.draw();
    else this.fit();
  }

  get size() {
    return this.box.getBoundingClientRect();
  }

  /** fit shows all places, but no closer than a country. */
  fit() {
    const { width, height } = this.size;
    if (!width || !height) return;
    const [left, right] = this.places.length ? extent(this.places.flatMap((p) => p.corners?.[0] ?? p.x)) : [0, world];
    const [top, bottom] = this.places.length ? extent(this.places.flatMap((p) => p.corners?.[1] ?? p.y)) : [150, 700];
    const k = Math.min((width - 60) / Math.max(right - left, 12), (height - 60) / Math.max(bottom - top, 12));
    this.memory.mapView = undefined;
    this.look({ k, x: width / 2 - (k * (left + right)) / 2, y: height / 2 - (k * (top + bottom)) / 2 });
  }

  look(view) {
    this.view = { ...view, k: Math.max(0.2, Math.min(20_000, view.k)) };
    this.draw();
  }

  zoom(factor, px = this.size.width / 2, py = this.size.height / 2) {
    const { x, y, k } = this.view;
    const next = Math.max(0.2, Math.min(20_000, k * factor));
    this.memory.mapView = this.view;
    this.look({ k: next, x: px - ((px - x) * next) / k, y: py - ((py - y) * next) / k });
  }

  draw() {
    const { x, y, k } = this.view;
    const at = `translate(${x},${y}) scale(${k})`;
    this.land.setAttribute("transform", at);
    this.shapes.setAttribute("transform", at);
    this.drawGraticule();
    this.drawTiles();
    this.drawMarks();
  }

  drawGraticule() {
    const { width, height } = this.size;
    const { x, y, k } = this.view;
    const degree = (world * k) / 360;
    const step = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1].filter((d) => d * degree > 70).at(-1) ?? 30;
    const lines = [];
    for (let long = -180; long <= 180; long += step) {
      const px = x + k * project([long, 0])[0];
      if (px > 0 && px < width) lines.push(s("line", { x1: px, x2: px, y1: 0, y2: height }), s("text", { x: px + 3, y: height - 5 }, `${Number(Math.abs(long).toFixed(1))}°${long < 0 ? "W" : long > 0 ? "E" : ""}`));
    }
    for (let lat = -80; lat <= 80; lat += step) {
      const py = y + k * project([0, lat])[1];
      if (py > 0 && py < height) lines.push(s("line", { x1: 0, x2: width, y1: py, y2: py }), s("text", { x: 4, y: py - 3 }, `${Number(Math.abs(lat).toFixed(1))}°${lat < 0 ? "S" : lat > 0 ? "N" : ""}`));
    }
    this.lines.replaceChildren(...lines);
  }

  /** drawTiles asks a tile server, where one has been set; none is by default. */
  drawTiles() {
    const address = setting("tiles");
    if (!address) return this.tiles.replaceChildren();
    const { width, height } = this.size;
    const { x, y, k } = this.view;
    const level = Math.max(0, Math.min(18, Math.round(Math.log2((world * k) / 256))));
    const side = (world * k) / 2 ** level;
    const images = [];
    for (let tx = Math.max(0, Math.floor(-x / side)); tx < Math.min(2 ** level, (width - x) / side); tx++) {
      for (let ty = Math.max(0, Math.floor(-y / side)); ty < Math.min(2 ** level, (height - y) / side); ty++) {
        const href = address.replace("{z}", level).replace("{x}", tx).replace("{y}", ty);
        images.push(s("image", { href, x: x + tx * side, y: y + ty * side, width: side + 0.5, height: side + 0.5 }));
      }
    }
    this.tiles.replaceChildren(...images);
  }

  /** drawMarks draws places that lie close together as one, as large as their number says. */
  drawMarks() {
    const { width, height } = this.size;
    const { x, y, k } = this.view;
    const cells = new Map();
    for (const p of this.places) {
      const [px, py] = [x + k * p.x, y + k * p.y];
      if (px < -20 || py < -20 || px > width + 20 || py > height + 20 || p.path) continue;
      const key = `${Math.floor(px / cell)} ${Math.floor(py / cell)}`;
      const known = cells.get(key);
      if (known) known.push(p);
      else cells.set(key, [p]);
    }
    const list = [...cells.values()].sort((a, b) => b.length - a.length);
    const taken = list.map((group) => ({ x: x + k * mean(group, "x"), y: y + k * mean(group, "y"), w: 26, h: 22 }));
    this.marks.replaceChildren(...list.map((group, i) => this.mark(group, list.length <= mostLabels && this.named(group, taken, i))));
  }

  /** named says that there is room for a place's name beside it, and takes that room. */
  named(group, taken, i) {
    const width = cut(group[0].label, 28).length * 7;
    const box = { x: taken[i].x + 8 + width / 2, y: taken[i].y, w: width, h: 16 };
    const free = group.length === 1 && taken.every((t, j) => j === i || Math.abs(t.x - box.x) >= (t.w + box.w) / 2 || Math.abs(t.y - box.y) >= (t.h + box.h) / 2);
    if (free) taken.push(box);
    return free;
  }

  mark(group, named) {
    const { x, y, k } = this.view;
    const [px, py] = [x + k * mean(group, "x"), y + k * mean(group, "y")];
    const r = group.length === 1 ? 4.5 : Math.min(15, 5 + 1.5 * Math.log2(group.length));
    const same = group.every((p) => p.series === group[0].series);
    return s("g", { class: "mark", transform: `translate(${px.toFixed(1)},${py.toFixed(1)})`, onclick: () => this.open(group) },
      s("circle", { class: same ? colour(group[0].series) : colour(colours), r }),
      group.length > 9 && s("text", { class: "mark-count", "text-anchor": "middle", dy: ".35em" }, group.length > 999 ? `${Math.round(group.length / 1000)}k` : group.length),
      named && s("text", { class: "mark-name", x: r + 3, dy: ".35em" }, cut(group[0].label, 28)),
      s("title", {}, group.slice(0, 12).map((p) => p.label).join("\n") + (group.length > 12 ? `\nand ${count(group.length - 12)} more` : "")));
  }

  /** open shows a place's row, or goes closer to several. */
  async open(group) {
    if (this.dragged) return;
    const spread = Math.max(...["x", "y"].map((c) => Math.max(...group.map((p) => p[c])) - Math.min(...group.map((p) => p[c]))));
    if (group.length > 1 && spread * this.view.k > 0.5) return this.closer(group, spread);
    const rows = await Promise.all(group.slice(0, 8).map((p) => this.run.rows.window(p.place, p.place + 1)));
    this.card.hidden = false;
    put(this.card, h("button", { class: "icon small", "aria-label": "Close", onclick: () => (this.card.hidden = true) }, "✕"),
      ...rows.flat().map(({ row }) => h("dl", {}, Object.entries(row).map(([v, term]) => [h("dt", {}, v), h("dd", {}, drawTerm(term))]))), group.length > 8 && h("p", {}, `and ${count(group.length - 8)} more`));
  }

  closer(group, spread) {
    const { width, height } = this.size;
    const k = Math.min(this.view.k * 12, (Math.min(width, height) * 0.7) / spread);
    this.memory.mapView = this.view;
    this.look({ k, x: width / 2 - k * mean(group, "x"), y: height / 2 - k * mean(group, "y") });
  }

  listen() {
    const fingers = new Map();
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.size;
      this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    this.svg.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, event);
      this.dragged = false;
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      if (fingers.size === 2) this.pinch(fingers, event);
      else if (this.dragged || Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) > 3) this.pan(event.clientX - before.clientX, event.clientY - before.clientY);
      else return;
      fingers.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) this.svg.addEventListener(end, (event) => fingers.delete(event.pointerId));
    this.svg.addEventListener("keydown", (event) => this.key(event));
  }

  pan(dx, dy) {
    this.dragged = true;
    this.memory.mapView = this.view;
    this.look({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  pinch(fingers, event) {
    const [other] = [...fingers.values()].filter((f) => f.pointerId !== event.pointerId);
    const before = fingers.get(event.pointerId);
    const distance = (e) => Math.hypot(e.clientX - other.clientX, e.clientY - other.clientY) || 1;
    const box = this.size;
    this.dragged = true;
    this.zoom(distance(event) / distance(before), (event.clientX + other.clientX) / 2 - box.left, (event.clientY + other.clientY) / 2 - box.top);
  }

  key(event) {
    const pans = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 80], ArrowDown: [0, -80] };
    if (event.key === "+" || event.key === "=") this.zoom(1.7);
    else if (event.key === "-") this.zoom(1 / 1.7);
    else if (event.key === "0") this.fit();
    else if (pans[event.key]) this.pan(...pans[event.key]);
    else return;
    this.dragged = false;
    event.preventDefault();
  }
}

const mean = (group, c) => group.reduce((sum, p) => sum + p[c], 0) / group.length;
