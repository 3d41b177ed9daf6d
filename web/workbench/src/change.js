// An update: tried first, asked about with what it would change, then done.

import { h, count, time } from "./dom.js";
import { json, problemOf } from "./api.js";
import { dialog } from "./dialog.js";
import { tokens, firstWord } from "./lexer.js";
import { cut } from "./names.js";

const operations = /^(insert|delete|load|clear|drop|create|add|move|copy|with)$/i;
const mostGraphs = 12;

/** isUpdate reports whether a text is an update: whether its first word behind the prologue begins an operation. */
export const isUpdate = (text) => operations.test(firstWord(tokens(text)));

/** Change is one update; it shows itself as a Run does. */
export class Change {
  constructor(ask, changed) {
    Object.assign(this, { ask, changed, kind: "update", running: false, profile: [], graphs: [], memory: { grid: {} } });
    this.rows = { state: { loaded: 0 } };
  }

  /** start tries the update, and does it if somebody says so. */
  async start() {
    this.running = true;
    this.began = performance.now();
    this.abort = new AbortController();
    try {
      const trial = await this.send({ "dry-run": "true" });
      if (!trial.added && !trial.removed) this.report = trial;
      else if (await agreed(trial)) {
        this.began = performance.now(); // without the time to think
        this.report = await this.send({});
        this.done = true;
      } else this.problem = { title: "Not changed", detail: "The update was only tried: the store is as it was." };
      this.rows.state.total = (this.report?.added ?? 0) + (this.report?.removed ?? 0);
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.running = false;
    this.elapsed = performance.now() - this.began;
    this.changed(this);
  }

  send(settings) {
    const body = new URLSearchParams({ update: this.ask.text, ...this.ask.settings, ...settings });
    return json("update", { method: "POST", body, signal: this.abort.signal });
  }

  cancel() {
    this.abort?.abort();
  }

  close() {
    this.cancel();
  }
}

/** agreed asks whether to do what a trial has told. */
async function agreed(trial) {
  const answer = await dialog("Change the store?", h("p", {}, `${sum(trial)}.`), byGraph(trial),
    h("div", { class: "row" }, h("button", { class: "run", value: "ok" }, "Change it"), h("button", { class: "quiet", value: "" }, "Cancel")));
  return answer === "ok";
}

const triples = (n) => `${count(n)} ${n === 1 ? "triple" : "triples"}`;
const sum = ({ added, removed }) => `${triples(added)} added, ${count(removed)} removed`;

/** byGraph tells what changed where, when that is more than the default graph. */
function byGraph({ graphs = [] }) {
  if (!graphs.some((g) => g.graph)) return "";
  const rows = graphs.slice(0, mostGraphs).map((g) => h("tr", {}, h("td", {}, g.graph ? cut(g.graph, 80) : "default graph"), h("td", { class: "n" }, `+${count(g.added)}`), h("td", { class: "n" }, `−${count(g.removed)}`)));
  return [h("table", { class: "plain" }, h("tbody", {}, rows)), graphs.length > mostGraphs && h("p", {}, `and ${count(graphs.length - mostGraphs)} graphs more`)];
}

/** drawChange shows what an update did. */
export function drawChange(box, { report, done, elapsed }) {
  box.replaceChildren(h("div", { class: "change" }, h("h2", {}, done ? sum(report) : "Nothing to change"), byGraph(report), h("p", { class: "fine" }, `sequence ${count(report.sequence)} · ${time(elapsed)}`)));
}
