// A standing query: its rows as they are, the last changes, and the stream that tells of them, over as many connections as it takes.

import { subscribe, problemOf, Refusal } from "./api.js";
import { events } from "./eventstream.js";
import { tokens, firstWord } from "./lexer.js";
import { Multiset, keyOf } from "./multiset.js";
import { Pace } from "./pace.js";
import { count, later } from "./dom.js";

/** mostWatches is how many may be open in a page: browsers keep six connections to a server, and the page needs some for itself. */
export const mostWatches = 3;

/** mostChanges is how many of the last changes are kept, and mostOfEach how many rows that came and went of each. */
export const mostChanges = 100;
export const mostOfEach = 100;

/** Milliseconds: how long to wait before a server is asked again, and the silence after which it is taken for gone. */
const leastPause = 250;
const mostPause = 10_000;
const silence = 60_000;

/** mayPass are the statuses of refusals after which the server is asked again; 0 is no answer. */
const mayPass = new Set([0, 429, 502, 503]);

/** isWatchable reports whether a text has the form that can stand; whether its solutions depend on the data alone, the server says. */
export const isWatchable = (text) => firstWord(tokens(text)) === "select";

/**
 * Watch follows a query until it is cancelled; it shows itself as a Run does. phase is asking, watching, lost (the connection: it is asked
 * again), stopped (here) or ended (by the server); note says what became of the connection; told is how many changes there were.
 */
export class Watch {
  constructor(ask, changed) {
    Object.assign(this, { ask, changed, kind: "watch", running: false, profile: [], graphs: [], phase: "asking", note: "" });
    Object.assign(this, { variables: [], rows: new Multiset(), changes: [], told: 0, pace: new Pace() });
  }

  /** start follows the query to its end. */
  async start() {
    this.running = true;
    this.abort = new AbortController();
    this.pause = leastPause;
    for (let problem; (problem = await this.follow()); await this.rest(problem)) {
      if (!this.heard || !mayPass.has(problem.status)) {
        this.end(problem);
        break;
      }
    }
    this.running = false;
    this.changed(this);
  }

  /** follow hears the events of one connection, and returns why there are no more; undefined where it was cancelled here. */
  async follow() {
    const cut = new AbortController();
    try {
      const signal = AbortSignal.any([cut.signal, this.abort.signal]);
      const { body } = await subscribe(this.ask.text, this.ask.settings, this.last, signal).catch(broken);
      const alive = later(() => cut.abort(), silence);
      alive();
      const stream = events(body, alive);
      for (let next; !(next = await stream.next().catch(broken)).done; ) this.hear(next.value);
      return noAnswer;
    } catch (error) {
      return this.abort.signal.aborted ? undefined : problemOf(error);
    } finally {
      cut.abort();
    }
  }

  /** hear takes one event. */
  hear({ name, id, data }) {
    if (this.abort.signal.aborted) return;
    const told = JSON.parse(data);
    if (name === "end") throw new Refusal(told);
    if (!["snapshot", "change", "progress"].includes(name)) return;
    if (name === "snapshot") this.begin(told);
    if (name === "change") this.change(told);
    this.tellHow(name, told.sequence);
    Object.assign(this, { last: id, sequence: told.sequence, heard: true, phase: "watching", pause: leastPause });
    this.changed(this);
  }

  /** begin takes all rows in the place of those that were there. */
  begin({ added, sequence }) {
    this.variables = added.head.vars;
    this.rows = new Multiset();
    for (const row of added.results.bindings) this.rows.add(keyOf(row, this.variables));
    this.rows.settle();
    this.keep({ sequence, all: true, came: added.results.bindings.length, went: 0, added: [], removed: [] });
  }

  change({ added, removed, sequence, way }) {
    const keys = ({ results }) => results.bindings.map((row) => keyOf(row, this.variables));
    const [came, went] = [keys(added), keys(removed)];
    for (const key of went) this.rows.remove(key);
    for (const key of came) this.rows.add(key);
    this.pace.note();
    this.told++;
    this.keep({ sequence, way, came: came.length, went: went.length, added: came.slice(0, mostOfEach), removed: went.slice(0, mostOfEach) });
  }

  /** keep puts a change before those that came earlier. */
  keep(change) {
    this.changes.unshift({ ...change, at: new Date() });
    this.changes.splice(mostChanges);
  }

  /** tellHow says how it went on after a connection was lost. */
  tellHow(name, sequence) {
    if (this.phase !== "lost") return;
    if (name !== "snapshot") this.note = `The connection is back: went on after commit ${count(this.sequence)}, nothing was left out.`;
    else if (this.last) this.note = `The connection is back, but the server's log does not go back to commit ${count(this.sequence)}: began anew with all rows of commit ${count(sequence)}.`;
    else this.note = "The connection is back: began anew with all rows, as this store keeps no log to go on from.";
  }

  /** rest waits before the server is asked again, each time longer. */
  async rest({ status, detail }) {
    this.phase = "lost";
    this.note = `The connection is lost${status && detail ? ` (${detail})` : ""}. Asking again, to go on ${this.last ? `after commit ${count(this.sequence)}` : "with all rows"}…`;
    this.changed(this);
    await new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, this.pause * (0.75 + Math.random() / 2));
    });
    this.pause = Math.min(2 * this.pause, mostPause);
  }

  /** end says why there is no more. Before the first event, that is all there is to show. */
  end(problem) {
    this.phase = "ended";
    if (this.heard) this.ending = problem;
    else this.problem = [404, 405, 501].includes(problem.status) ? { title: "No subscriptions", detail: "This server has no address /subscribe: it, or a proxy before it, lets no query stand.", hint: "Run asks once." } : problem;
  }

  /** cancel stops the watching; what is there stays to be seen. */
  cancel() {
    if (!this.running) return;
    this.phase = "stopped";
    this.note = "";
    this.abort.abort();
    this.wake?.();
  }

  close() {
    this.cancel();
  }
}

const noAnswer = { status: 0, title: "No answer", detail: "The connection to the server broke before it told anything." };

/** broken makes one error of all that a connection may end with: browsers have a TypeError, or an AbortError after silence. */
const broken = (error) => {
  throw error instanceof TypeError || error.name === "AbortError" ? new Refusal(noAnswer) : error;
};
