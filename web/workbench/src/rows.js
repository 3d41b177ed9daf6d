// An answer on its way and after: the page's side of the worker that keeps it.

/** Rows is one answer. The page holds no rows but those it asked for. */
export class Rows {
  constructor() {
    this.worker = new Worker(new URL("./rows.worker.js", import.meta.url), { type: "module" });
    this.state = { kind: undefined, variables: [], loaded: 0, total: undefined, bytes: 0, languages: [], done: false };
    this.arrangement = { sort: [], filters: [], language: "" };
    this.size = 0;
    this.waiting = new Map();
    this.asked = 0;
    this.worker.onmessage = ({ data }) => (data.op === "grown" ? this.grow(data) : this.settle(data));
  }

  /** read sends a response's bytes to the worker; grown is called each time there is more of the answer. */
  async read(response, grown) {
    this.grown = grown;
    const triples = (response.headers.get("Content-Type") ?? "").startsWith("application/n-triples");
    this.worker.postMessage({ op: "begin", triples });
    this.timing = response.headers.get("Server-Timing");
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const buffer = value.byteLength === value.buffer.byteLength ? value.buffer : value.slice().buffer;
      this.worker.postMessage({ op: "chunk", buffer }, [buffer]);
    }
    const finished = new Promise((resolve) => (this.finished = resolve));
    this.worker.postMessage({ op: "end" });
    await finished;
  }

  grow(state) {
    this.state = state;
    if (!this.arranged) this.size = state.loaded;
    if (state.done) this.finished();
    else this.grown(this);
  }

  settle({ id, value, error }) {
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) reject(new Error(error));
    else resolve(value);
  }

  call(method, ...given) {
    const id = ++this.asked;
    this.worker.postMessage({ op: "call", id, method, given });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** arrange sorts and filters what is loaded. */
  async arrange(change) {
    Object.assign(this.arrangement, change);
    this.size = await this.call("arrange", this.arrangement);
    this.arranged = this.arrangement.sort.length > 0 || this.arrangement.filters.length > 0 || this.arrangement.language !== "";
  }

  window(from, to) {
    return this.call("window", from, to);
  }

  /** head is the first rows of the view as {variable: term}. */
  async head(limit) {
    return (await this.window(0, limit)).map((r) => r.row);
  }

  text(from, to, variables, head) {
    return this.call("text", from, to, variables, head);
  }

  series(variables, limit) {
    return this.call("series", variables, limit);
  }

  group(how, limit) {
    return this.call("group", how, limit);
  }

  profile() {
    return this.call("profile");
  }

  raw() {
    return this.call("raw");
  }

  close() {
    this.worker.terminate();
  }
}
