// How often something happens, over the last minute.

export const seconds = 60;

/** Pace counts what happens in each second of the last minute. */
export class Pace {
  constructor() {
    this.counts = new Array(seconds).fill(0);
    this.newest = now();
  }

  note() {
    this.turn();
    this.counts[seconds - 1]++;
  }

  /** series is how many there were in each of the last seconds, the present one last. */
  get series() {
    this.turn();
    return this.counts;
  }

  /** rate is how many there were a second, over the last ten. */
  get rate() {
    return this.series.slice(-10).reduce((sum, n) => sum + n, 0) / 10;
  }

  /** turn takes off the seconds that are over. */
  turn() {
    const passed = Math.min(seconds, now() - this.newest);
    this.newest = now();
    this.counts = [...this.counts.slice(passed), ...new Array(passed).fill(0)];
  }
}

const now = () => Math.floor(performance.now() / 1000);
