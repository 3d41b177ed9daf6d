// How a standing query is shown: its rows as they come and go, how fast that is, and the last changes.

import { h, s, put, capital, count } from "./dom.js";
import { drawTerm } from "./cells.js";
import { rowOf } from "./multiset.js";
import { mostChanges, mostOfEach } from "./watch.js";

/** mostShown is how many rows are on the screen. */
const mostShown = 200;

/** Milliseconds: how often the rows are drawn at the most, how long it is seen that a row came or went, how often it is said aloud. */
const often = 100;
const seen = 1600;
const aloud = 5000;

const ways = { incremental: "found from the changed triples alone", evaluated: "found by evaluating the query again" };

/** WatchView draws a Watch into its element; soon says that there is something new. */
export class WatchView {
  constructor(run, actions) {
    Object.assign(this, { run, actions, drawn: new Map(), came: 0, went: 0 });
    this.pause = h("button", { class: "quiet", onclick: () => this.hold(!this.held) }, "Pause");
    this.stop = h("button", { class: "quiet", onclick: () => this.end() }, "Stop");
    this.state = h("p", { class: "watch-state" });
    this.spark = h("span", { class: "watch-spark" });
    this.rate = h("span", { class: "watch-rate" });
    this.note = h("p", { class: "watch-note", role: "status" });
    this.heard = h("p", { class: "unseen", role: "status" });
    this.head = h("thead");
    this.body = h("tbody");
    this.more = h("p", { class: "more" });
    this.present = h("div", { class: "watch-rows", tabindex: 0, role: "region", "aria-label": "Rows that are there" }, h("table", { class: "plain" }, this.head, this.body), this.more);
    this.past = h("div", { class: "watch-rows", tabindex: 0, role: "region", "aria-label": "Rows of a change", hidden: true });
    this.list = h("ol", {});
    this.element = h("div", { class: "watch" },
      h("div", { class: "watch-bar" }, this.pause, this.stop, this.state, h("span", { class: "spring" }), this.spark, this.rate), this.note, this.heard,
      h("div", { class: "watch-body" }, this.present, this.past, h("section", { class: "watch-changes", "aria-label": "Last changes" }, h("h2", {}, "Last changes"), this.list)));
  }

  /** soon draws what is new, once for all that comes within a moment. */
  soon() {
    this.drawing ??= setTimeout(() => this.draw(), often);
  }

  draw() {
    clearTimeout(this.drawing);
    this.drawing = undefined;
    if (!this.element.isConnected) return;
    this.drawState();
    this.drawNote();
    this.drawPace();
    if (this.held) return;
    this.drawRows();
    this.drawChanges();
    this.sayAloud();
  }

  /** hold keeps what is on the screen as it is, while changes go on to be taken in. */
  hold(on) {
    this.held = on ? { told: this.run.told } : undefined;
    this.pause.textContent = on ? "Go on" : "Pause";
    this.draw();
  }

  end() {
    if (!this.run.running) return this.actions.watch();
    this.run.cancel();
  }

  drawState() {
    const { run } = this;
    const words = { watching: "Watching", lost: "Connection lost", stopped: "Stopped", ended: "Ended" };
    this.element.dataset.phase = this.held && run.running ? "held" : run.phase;
    put(this.state, h("span", { class: "live", "aria-hidden": "true" }), h("span", {}, this.held && run.running ? `Paused, ${many(this.run.told - this.held.told, "change")} to come` : words[run.phase]), " · ", h("b", {}, count(run.rows.size)), run.rows.size === 1 ? " row" : " rows", ` · commit ${count(run.sequence)}`);
    this.stop.textContent = run.running ? "Stop" : "Watch again";
    this.pause.hidden = !run.running && !this.held;
  }

  /** drawNote says what is not as usual. */
  drawNote() {
    const { ending, note } = this.run;
    const text = ending ? `${capital(ending.title)}: ${ending.detail ?? ""} ${ending.hint ?? ""}`.trim() : note || (this.actions.writable() === false ? "This server takes no updates: rows come and go only when its store is loaded anew or changed by another process." : "");
    this.note.classList.toggle("bad", Boolean(ending));
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  // Rows.

  /** drawRows brings the table to the rows that are there. Those that have gone stay for a moment; those before all that were drawn came now. */
  drawRows() {
    const { run, drawn } = this;
    let fresh = Boolean(this.head.firstChild);
    if (!fresh) put(this.head, header(run.variables));
    for (const [key, row] of drawn) if (!run.rows.times(key)) this.depart(key, row);
    const wanted = run.rows.newest(mostShown);
    for (const [key, row] of drawn) if (!wanted.has(key)) this.forget(key, row);
    let place = this.body.firstChild;
    for (const key of wanted) {
      while (place?.classList.contains("gone")) place = place.nextSibling;
      fresh &&= !drawn.has(key);
      const row = drawn.get(key) ?? this.arrive(key, fresh);
      if (row === place) place = place.nextSibling;
      else this.body.insertBefore(row, place);
      mark(row, run.rows.times(key));
    }
    this.drawMore(wanted.size);
  }

  arrive(key, fresh) {
    const row = line(key);
    this.drawn.set(key, row);
    if (fresh) flash(row);
    return row;
  }

  /** depart lets a row fade; should it come again meanwhile, that is another one. */
  depart(key, row) {
    this.drawn.delete(key);
    row.classList.remove("came");
    row.classList.add("gone");
    mark(row, 0);
    setTimeout(() => row.remove(), seen);
  }

  forget(key, row) {
    this.drawn.delete(key);
    row.remove();
  }

  drawMore(shown) {
    const { counts, size } = this.run.rows;
    put(this.more, !size ? "No row is there now." : counts.size > shown ? `The newest ${count(shown)} of ${count(counts.size)} different rows.` : "");
  }

  // Changes.

  drawChanges() {
    const listed = new Set([...this.list.children].map((item) => item.change));
    const fresh = this.run.changes.filter((change) => !listed.has(change));
    if (listed.size) this.tally(fresh);
    this.list.prepend(...fresh.map((change) => this.entry(change)));
    while (this.list.children.length > mostChanges) this.list.lastChild.remove();
  }

  entry(change) {
    const time = change.at.toLocaleTimeString();
    const what = change.all ? [h("span", { class: "all" }, many(change.came, "row"))] : [change.came > 0 && h("span", { class: "plus" }, `+${count(change.came)}`), change.went > 0 && h("span", { class: "minus" }, `−${count(change.went)}`)];
    const text = [h("b", {}, count(change.sequence)), h("time", { datetime: change.at.toISOString() }, time), what];
    const item = h("li", {}, change.all ? h("span", { class: "watch-change" }, text) : h("button", { class: "watch-change", "aria-pressed": "false", "aria-label": `Commit ${count(change.sequence)} at ${time}: ${told(change)}`, onclick: () => this.choose(change === this.chosen ? undefined : change) }, text));
    item.change = change;
    return item;
  }

  /** choose shows the rows of a change in the place of those that are there; of none, these again. */
  choose(change) {
    this.chosen = change;
    for (const item of this.list.children) item.querySelector("button")?.setAttribute("aria-pressed", String(item.change === change));
    this.present.hidden = Boolean(change);
    this.past.hidden = !change;
    if (!change) return;
    const rows = [["went", change.removed, change.went], ["came", change.added, change.came]];
    const left = rows.flatMap(([way, list, n]) => (n > list.length ? [`${count(n - mostOfEach)} more that ${way}`] : []));
    put(this.past, h("div", { class: "watch-head" }, h("h2", {}, `Commit ${count(change.sequence)}: ${told(change)}`), h("p", {}, ways[change.way]), h("button", { class: "quiet", onclick: () => this.back() }, "Back to all rows")),
      h("table", { class: "plain" }, h("thead", {}, header(this.run.variables)), h("tbody", {}, rows.flatMap(([way, list]) => list.map((key) => past(key, way))))), left.length > 0 && h("p", { class: "more" }, `and ${left.join(", ")}.`));
  }

  /** back leaves a change for the rows that are there, with the focus on its entry. */
  back() {
    const entry = [...this.list.children].find((item) => item.change === this.chosen)?.querySelector("button");
    this.choose();
    (entry ?? this.present).focus();
  }

  // How fast it is, and what is said of it.

  /** drawPace draws the rate and the changes of the last minute, again each second while there may be any. */
  drawPace() {
    const { rate, series } = this.run.pace;
    put(this.rate, `${rate < 10 ? rate.toFixed(1) : count(rate)} changes/s`);
    put(this.spark, sparkline(series));
    clearTimeout(this.ticking);
    if (this.run.running) this.ticking = setTimeout(() => this.element.isConnected && this.drawPace(), 1000);
  }

  tally(changes) {
    for (const { all, came, went } of changes) if (!all) [this.came, this.went] = [this.came + came, this.went + went];
  }

  /** sayAloud tells those who do not see the screen what came and went, in one sentence every few seconds. */
  sayAloud() {
    if (!this.came && !this.went) return;
    this.speaking ??= setTimeout(() => {
      this.speaking = undefined;
      this.heard.textContent = `${told(this)}; ${many(this.run.rows.size, "row")} now.`;
      [this.came, this.went] = [0, 0];
    }, this.heard.textContent ? aloud : 0);
  }
}

const many = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

/** told is what came and went, in words. */
const told = ({ came, went }) => `${many(came, "row")} came, ${count(went)} went`;

const header = (variables) => h("tr", {}, h("th", { scope: "col", class: "sign" }, h("span", { class: "unseen" }, "Change")), variables.map((v) => h("th", { scope: "col" }, v)));

/** line is a row of the table, whose first cell says what happens to it and how often it is there. */
const line = (key) => h("tr", {}, h("td", { class: "sign" }), rowOf(key).map((term) => h("td", {}, drawTerm(term))));

const past = (key, way) => {
  const row = line(key);
  row.className = way === "came" ? "plus" : "minus";
  row.firstChild.textContent = way === "came" ? "+" : "−";
  return row;
};

/** mark writes into a row how often it is there; 0 is a row that has gone. */
function mark(row, times) {
  const sign = times === 0 ? "−" : row.classList.contains("came") ? "+" : "";
  const text = times > 1 ? `${sign}×${count(times)}` : sign;
  if (row.firstChild.textContent !== text) row.firstChild.textContent = text;
}

function flash(row) {
  row.classList.add("came");
  setTimeout(() => {
    row.classList.remove("came");
    if (!row.classList.contains("gone")) row.firstChild.textContent = row.firstChild.textContent.replace("+", "");
  }, seen);
}

/** sparkline has a bar for each second that had changes. */
function sparkline(series) {
  const most = Math.max(...series, 1);
  const bars = series.map((n, i) => n > 0 && s("rect", { x: 2 * i, y: 22 - (20 * n) / most, width: 1.6, height: (20 * n) / most }));
  return s("svg", { viewBox: "0 0 120 24", width: 120, height: 24, role: "img", "aria-label": `Changes in each second of the last minute: ${count(Math.max(...series))} at the most` }, s("line", { x1: 0, x2: 120, y1: 22.5, y2: 22.5 }), bars);
}
