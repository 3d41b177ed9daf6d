// Numbers and dates on an axis.

/** steps are the sizes of ticks that read well, times a power of ten. */
const steps = [1, 2, 2.5, 5, 10];

/** ticks are about so many round numbers from low to high. */
export function ticks(low, high, wanted = 6) {
  const span = high - low || 1;
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * steps.find((s) => s * power >= raw * 0.999);
  const list = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9; n++) list.push(Number((n * step).toPrecision(12)));
  return list;
}

const numbers = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** plain writes a number for an axis. */
export const plain = (x) => (Math.abs(x) >= 1e6 ? numbers.format(x / 1e6) + " M" : numbers.format(x));

/** yearOf is a date as a year with a fraction, or NaN. It reads xsd:date, dateTime, gYear and gYearMonth, years before 1 too. */
export function yearOf(text) {
  const parts = /^\s*(-?\d{1,})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?)?)?/.exec(text);
  if (!parts) return NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1).map((p) => (p === undefined ? undefined : Number(p)));
  const date = new Date(Date.UTC(2001, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, 0));
  const share = (date - Date.UTC(2001, 0, 1) + (second ?? 0) * 1000) / (365 * 86_400_000);
  return year + Math.min(share, 0.999999);
}

/** dateText writes a year with a fraction: the year where a step is years, else the day. */
export function dateText(year, step) {
  const whole = Math.floor(year);
  if (step >= 1) return whole < 0 ? `${-whole} BC` : String(whole);
  const date = new Date(Date.UTC(2001, 0, 1) + (year - whole) * 365 * 86_400_000 + 1000);
  const text = date.toISOString();
  if (step >= 1 / 13) return `${whole}-${text.slice(5, 7)}`;
  return step >= 1 / 366 ? `${whole}-${text.slice(5, 10)}` : `${text.slice(5, 10)} ${text.slice(11, 16)}`;
}

/** Scale maps values to pixels. */
export class Scale {
  constructor(low, high, from, to) {
    if (low === high) [low, high] = [low - 1, high + 1];
    Object.assign(this, { low, high, from, to });
  }

  at(value) {
    return this.from + ((value - this.low) / (this.high - this.low)) * (this.to - this.from);
  }

  value(pixel) {
    return this.low + ((pixel - this.from) / (this.to - this.from)) * (this.high - this.low);
  }
}

/** extent is the least and the greatest of some numbers. */
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}
