// The rows of a standing query as they are: each with how often it is there.

/** Multiset counts rows by their keys (see keyOf). size is how many rows there are, with repetitions. */
export class Multiset {
  constructor() {
    this.counts = new Map();
    this.recent = []; // keys as they came, the newest last
    this.size = 0;
  }

  add(key) {
    const times = this.counts.get(key) ?? 0;
    this.counts.set(key, times + 1);
    this.size++;
    if (!times) this.recent.push(key);
    if (this.recent.length > 4096) this.recent.splice(0, 2048);
  }

  remove(key) {
    const times = this.counts.get(key);
    if (!times) return;
    this.size--;
    if (times > 1) this.counts.set(key, times - 1);
    else this.counts.delete(key);
  }

  /** times is how often a row is there. */
  times(key) {
    return this.counts.get(key) ?? 0;
  }

  /** newest are at most n different rows, those that came last first; then those that were there from the beginning. */
  newest(n) {
    const found = new Set();
    for (let i = this.recent.length - 1; i >= 0 && found.size < n; i--) if (this.counts.has(this.recent[i])) found.add(this.recent[i]);
    for (const key of this.counts.keys()) {
      if (found.size >= n) break;
      found.add(key);
    }
    return found;
  }

  /** settle takes the rows for those from the beginning. */
  settle() {
    this.recent = [];
  }
}

/** keyOf is a row as one text, from which rowOf makes it again: what is kept of many rows must be small. */
export const keyOf = (binding, variables) => JSON.stringify(variables.map((v) => binding[v] ?? null));

/** rowOf are the terms of a row in the order of the variables; null where one is unbound. */
export const rowOf = (key) => JSON.parse(key);
