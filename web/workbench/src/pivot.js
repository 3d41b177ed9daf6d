// A pivot: the values of one column against those of another, counted or summed.

import { h, put, count, copy } from "./dom.js";
import { plainText, drawTerm } from "./cells.js";
import { categories, numbers } from "./shape.js";
import { choice } from "./plot.js";
import { plain } from "./scale.js";

const mostRows = 300;
const mostColumns = 40;
const mostCells = 60_000;
const aggregates = [["count", "rows"], ["sum", "sum of"], ["average", "average of"], ["least", "least"], ["most", "most"]];

/** draw shows a run as a pivot; what was chosen is kept with the run. */
export function draw(box, run) {
  const chosen = (run.memory.pivot ??= usual(run.profile));
  const bar = h("div", { class: "view-bar" });
  const body = h("div", { class: "pivot-box", tabindex: 0, role: "region", "aria-label": "Pivot" });
  box.replaceChildren(h("div", { class: "view" }, bar, body));
  const names = run.profile.map((c) => [c.name, c.name]);
  const measures = numbers(run.profile).map((n) => [n, n]);
  const again = async (change) => {
    Object.assign(chosen, change);
    put(bar, choice("Rows", names, chosen.by, (by) => again({ by })), choice("Columns", [["", "—"], ...names], chosen.across ?? "", (across) => again({ across: across || undefined })),
      choice("show", measures.length ? aggregates : aggregates.slice(0, 1), chosen.aggregate, (aggregate) => again({ aggregate, value: aggregate === "count" ? undefined : (chosen.value ?? measures[0][0]) })),
      chosen.aggregate !== "count" && choice("value", measures, chosen.value, (value) => again({ value })), h("span", { class: "spring" }), h("button", { class: "quiet", onclick: () => copy(texts(body), "Pivot copied") }, "Copy"), h("button", { class: "quiet", onclick: () => save(texts(body)) }, "Save TSV"));
    body.replaceChildren(table(await run.rows.group(chosen, mostCells), chosen));
  };
  again({});
}

/** usual takes the two columns whose values repeat most. */
function usual(profile) {
  const repeating = categories(profile).map((c) => profile.find((p) => p.name === c)).sort((a, b) => a.distinct - b.distinct);
  const [across, by] = repeating.length > 1 && repeating[0].distinct <= mostColumns ? repeating : [undefined, repeating[0]];
  return { by: by.name, across: across?.name, aggregate: "count" };
}

function table(cells, { by, across, aggregate }) {
  const [rows, columns] = [totals(cells, "by"), totals(cells, "across")];
  const [shownRows, shownColumns] = [rows.slice(0, mostRows), columns.slice(0, mostColumns)];
  const values = new Map(cells.map((c) => [`${plainText(c.by)}\n${plainText(c.across)}`, c.value]));
  const most = Math.max(1e-9, ...cells.map((c) => Math.abs(c.value)));
  const summed = aggregate === "count" || aggregate === "sum";
  const cell = (r, c) => {
    const value = values.get(`${r.text}\n${c.text}`);
    return h("td", { style: value === undefined ? "" : `--heat:${Math.round((60 * Math.abs(value)) / most)}%` }, value === undefined ? "" : plain(value));
  };
  return h("table", { class: "pivot" },
    h("caption", {}, `${count(rows.length)} × ${count(columns.length)}${rows.length > mostRows || columns.length > mostColumns ? `, the ${count(shownRows.length)} × ${count(shownColumns.length)} largest` : ""}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, by), shownColumns.map((c) => h("th", { scope: "col", title: c.text }, across ? c.text || "(none)" : aggregate === "count" ? "rows" : aggregate)), across && summed && h("th", { scope: "col" }, "all"))),
    h("tbody", {}, shownRows.map((r) => h("tr", {}, h("th", { scope: "row" }, drawTerm(r.term) || "(none)"), shownColumns.map((c) => cell(r, c)), across && summed && h("td", { class: "all" }, plain(r.total))))));
}

/** totals are the values of one side, largest first. */
function totals(cells, side) {
  const met = new Map();
  for (const c of cells) {
    const text = plainText(c[side]);
    const entry = met.get(text) ?? { text, term: c[side], total: 0 };
    entry.total += c.value;
    met.set(text, entry);
  }
  return [...met.values()].sort((a, b) => b.total - a.total);
}

const texts = (body) => [...body.querySelectorAll("tr")].map((tr) => [...tr.children].map((c) => c.textContent.trim()).join("\t")).join("\n");

function save(text) {
  const href = URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" }));
  h("a", { href, download: "pivot.tsv" }).click();
}
