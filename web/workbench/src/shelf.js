// Queries that are kept: those saved under a name, and those that were run. All of it stays in the browser.

const key = "rdfgpu-shelf";
const mostRuns = 300;

/** Shelf keeps {saved: [{name, text, settings}], runs: [{text, settings, at, rows, milliseconds, failed}]}. */
export class Shelf {
  constructor() {
    this.content = { saved: [], runs: [] };
    try {
      this.take(JSON.parse(localStorage.getItem(key)));
    } catch {
      // nothing kept yet, or not by us
    }
  }

  get saved() {
    return this.content.saved;
  }

  get runs() {
    return this.content.runs;
  }

  write() {
    try {
      localStorage.setItem(key, JSON.stringify(this.content));
    } catch {
      this.content.runs.splice(mostRuns / 4); // full: let go of the oldest
    }
  }

  /** ran notes a run; one of the same text right before it is replaced. */
  ran(run) {
    const { text, settings } = run.ask;
    if (this.runs[0]?.text === text) this.runs.shift();
    this.runs.unshift({ text, settings, at: Date.now(), rows: run.rows.state.total, milliseconds: Math.round(run.elapsed), failed: Boolean(run.problem) });
    this.runs.splice(mostRuns);
    this.write();
  }

  /** save keeps a query under a name; the name's old query goes. */
  save(name, text, settings) {
    this.content.saved = [{ name, text, settings }, ...this.saved.filter((q) => q.name !== name)];
    this.write();
  }

  remove(name) {
    this.content.saved = this.saved.filter((q) => q.name !== name);
    this.write();
  }

  forgetRuns() {
    this.content.runs = [];
    this.write();
  }

  /** text is all of it as JSON, for a file. */
  text() {
    return JSON.stringify({ kind: "rdfgpu queries", version: 1, ...this.content }, undefined, 2);
  }

  /** add takes what a file holds; a saved query of a name that is there replaces it. The number of queries is returned. */
  add(text) {
    const given = JSON.parse(text);
    const saved = list(given?.saved, "name");
    for (const query of saved.toReversed()) this.save(query.name, query.text, query.settings);
    const runs = list(given?.runs, "at").filter((r) => !this.runs.some((old) => old.at === r.at));
    this.content.runs = [...this.runs, ...runs].sort((a, b) => b.at - a.at).slice(0, mostRuns);
    this.write();
    if (!saved.length && !runs.length) throw new Error("The file holds no queries of this workbench.");
    return saved.length + runs.length;
  }

  take(content) {
    this.content = { saved: list(content?.saved, "name"), runs: list(content?.runs, "at") };
  }
}

/** list is what is well-formed of a list of queries. */
const list = (given, needed) => (Array.isArray(given) ? given.filter((q) => typeof q?.text === "string" && q[needed]) : []);
