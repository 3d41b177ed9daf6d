// One run of a query: its text and settings, its answer as it arrives, and how it ended.

import { query, answerTypes, problemOf } from "./api.js";
import { Rows } from "./rows.js";

/** Run begins with nothing; start asks. changed is called whenever there is something new to show. */
export class Run {
  constructor(ask, changed) {
    Object.assign(this, { ask, changed, running: false, profile: [], graphs: [] });
    this.memory = { grid: {} };
  }

  get kind() {
    return this.rows?.state.kind;
  }

  /** start runs the query; at most send rows are loaded, all are counted. */
  async start(send) {
    this.running = true;
    this.began = performance.now();
    this.abort = new AbortController();
    this.rows = new Rows();
    try {
      const response = await query(this.ask.text, { ...this.ask.settings, send }, answerTypes, this.abort.signal);
      await this.rows.read(response, () => this.changed(this));
      this.profile = this.kind === "boolean" ? [] : await this.rows.profile();
    } catch (error) {
      this.problem = problemOf(error);
    }
    this.running = false;
    this.elapsed = performance.now() - this.began;
    this.changed(this);
  }

  cancel() {
    this.abort?.abort();
  }

  close() {
    this.cancel();
    this.rows?.close();
  }
}
