// An answer as columns of term numbers: what the worker keeps, sorts, filters and groups.

/** Fixed tags of terms; every language and datatype met gets one above them. */
export const tag = { none: 0, uri: 1, bnode: 2, plain: 3 };

const firstSize = 4096;

/** Terms numbers each distinct term once, from 1; 0 is unbound. */
export class Terms {
  constructor() {
    this.texts = [""];
    this.tags = new Uint16Array(firstSize);
    this.kinds = [{}, { type: "uri" }, { type: "bnode" }, { type: "literal" }];
    this.numbers = this.kinds.map(() => new Map());
    this.kindOf = new Map();
  }

  /** add is the number of a term in the JSON results form. */
  add(term) {
    if (!term) return 0;
    const kind = this.kind(term);
    const known = this.numbers[kind].get(term.value);
    if (known !== undefined) return known;
    const number = this.texts.push(term.value) - 1;
    if (number >= this.tags.length) this.tags = grown(this.tags);
    this.tags[number] = kind;
    this.numbers[kind].set(term.value, number);
    return number;
  }

  kind({ type, datatype, "xml:lang": language }) {
    if (type === "uri") return tag.uri;
    if (type === "bnode") return tag.bnode;
    const key = language ? `@${language}` : datatype ? `^${datatype}` : "";
    if (!key) return tag.plain;
    let kind = this.kindOf.get(key);
    if (kind === undefined) {
      kind = this.kinds.push(language ? { type, "xml:lang": language } : { type, datatype }) - 1;
      this.numbers.push(new Map());
      this.kindOf.set(key, kind);
    }
    return kind;
  }

  /** term is a number's term, or undefined. */
  term(number) {
    return number ? { ...this.kinds[this.tags[number]], value: this.texts[number] } : undefined;
  }

  /** languages are the language tags met. */
  languages() {
    return this.kinds.flatMap((k) => k["xml:lang"] ?? []).sort();
  }
}

const grown = (array) => {
  const more = new array.constructor(array.length * 2);
  more.set(array);
  return more;
};

const numeric = /#(integer|decimal|double|float|int|long|short|byte|nonNegativeInteger|positiveInteger|unsignedInt|unsignedLong|unsignedShort)$/;

export const isNumeric = (term) => term.type === "literal" && numeric.test(term.datatype ?? "");

/** Columns is an answer: named columns of term numbers, and a view of them that is sorted and filtered. */
export class Columns {
  constructor(variables) {
    this.variables = variables;
    this.terms = new Terms();
    this.length = 0;
    this.columns = variables.map(() => new Uint32Array(firstSize));
    this.order = undefined;
    this.arrangement = { sort: [], filters: [], language: "" };
  }

  /** push adds a row of the JSON results form. */
  push(row) {
    const at = this.length++;
    for (let c = 0; c < this.columns.length; c++) {
      if (at >= this.columns[c].length) this.columns[c] = grown(this.columns[c]);
      this.columns[c][at] = this.terms.add(row[this.variables[c]]);
    }
  }

  /** size is the number of rows in the view. */
  get size() {
    return this.order ? this.order.length : this.length;
  }

  /** rowAt is a place in the view as a place in the answer. */
  rowAt(place) {
    return this.order ? this.order[place] : place;
  }

  /** window is the rows of the view from one place up to another, as {variable: term} with their place in the answer. */
  window(from, to) {
    const rows = [];
    for (let place = from; place < Math.min(to, this.size); place++) rows.push(this.row(this.rowAt(place)));
    return rows;
  }

  row(at) {
    const row = {};
    this.columns.forEach((column, c) => {
      const term = this.terms.term(column[at]);
      if (term) row[this.variables[c]] = term;
    });
    return { at, row };
  }

  /** arrange filters and sorts the view. sort: [{column, down}]; filters: [{column?, text, exact?}]; language: a tag or "". */
  arrange(arrangement) {
    this.arrangement = arrangement;
    const { sort, filters, language } = arrangement;
    const tests = [...filters.map((f) => this.test(f)), ...(language ? [this.languageTest(language)] : [])];
    if (!tests.length && !sort.length) this.order = undefined;
    else {
      this.order = this.passing(tests);
      if (sort.length) this.sort(sort);
    }
    return this.size;
  }

  passing(tests) {
    const order = new Uint32Array(this.length);
    let n = 0;
    for (let at = 0; at < this.length; at++) if (tests.every((test) => test(at))) order[n++] = at;
    return order.subarray(0, n);
  }

  /** test is a filter as a function of a row; each distinct term is looked at once. */
  test({ column, text, exact }) {
    const columns = column === undefined ? this.columns : [this.columns[this.variables.indexOf(column)]];
    const wanted = text.toLowerCase();
    const verdicts = new Uint8Array(this.terms.texts.length); // 0 not looked at, 1 no, 2 yes
    const matches = (number) => {
      if (!number) return false;
      verdicts[number] ||= 1 + Number(exact ? this.terms.texts[number] === text : this.terms.texts[number].toLowerCase().includes(wanted));
      return verdicts[number] === 2;
    };
    return (at) => columns.some((c) => matches(c[at]));
  }

  /** languageTest keeps rows none of whose literals is in another language. */
  languageTest(language) {
    const other = this.terms.kinds.map((k) => Boolean(k["xml:lang"]) && k["xml:lang"] !== language);
    return (at) => this.columns.every((c) => !other[this.terms.tags[c[at]]]);
  }

  sort(keys) {
    const ranks = keys.map(({ column, down }) => [this.columns[this.variables.indexOf(column)], this.ranks(this.variables.indexOf(column)), down ? -1 : 1]);
    this.order.sort((a, b) => {
      for (const [column, rank, sign] of ranks) {
        const difference = rank[column[a]] - rank[column[b]];
        if (difference) return sign * difference;
      }
      return a - b;
    });
  }

  /** ranks gives each term of a column its place: unbound first, then numbers by value, then text by its characters. */
  ranks(c) {
    const { texts, tags, kinds } = this.terms;
    const met = new Uint8Array(texts.length);
    for (let at = 0; at < this.length; at++) met[this.columns[c][at]] = 1;
    const distinct = [];
    for (let n = 1; n < met.length; n++) if (met[n]) distinct.push(n);
    const isNumber = kinds.map(isNumeric);
    const value = new Float64Array(texts.length);
    for (const n of distinct) value[n] = isNumber[tags[n]] ? Number(texts[n]) : NaN;
    const collator = distinct.length < 60_000 ? new Intl.Collator(undefined, { numeric: true }) : undefined;
    const byText = collator ? (a, b) => collator.compare(texts[a], texts[b]) : (a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0);
    distinct.sort((a, b) => {
      const [x, y] = [value[a], value[b]];
      if (x === x && y === y) return x - y;
      if (x === x || y === y) return x === x ? -1 : 1;
      return byText(a, b);
    });
    const ranks = new Uint32Array(texts.length);
    distinct.forEach((n, i) => (ranks[n] = i > 0 && value[n] === value[distinct[i - 1]] ? ranks[distinct[i - 1]] : i + 1));
    return ranks;
  }

  /** text is a part of the view as tab-separated lines. */
  text(from, to, variables, head) {
    const columns = variables.map((v) => this.columns[this.variables.indexOf(v)]);
    const lines = head ? [variables.join("\t")] : [];
    for (let place = from; place < Math.min(to, this.size); place++) {
      const at = this.rowAt(place);
      lines.push(columns.map((c) => this.terms.texts[c[at]].replace(/[\t\r\n]+/g, " ")).join("\t"));
    }
    return lines.join("\n");
  }

  /** series is columns of the view as terms, up to a number of rows. */
  series(variables, limit) {
    const columns = variables.map((v) => this.columns[this.variables.indexOf(v)]);
    const rows = [];
    for (let place = 0; place < Math.min(limit, this.size); place++) {
      const at = this.rowAt(place);
      rows.push(columns.map((c) => this.terms.term(c[at])));
    }
    return rows;
  }

  /** group counts, sums or averages a column by one or two others: [{by, across, value, rows}], largest first. */
  group({ by, across, value, aggregate }, limit) {
    const [b, a, v] = [by, across, value].map((name) => (name === undefined ? undefined : this.columns[this.variables.indexOf(name)]));
    const cells = new Map();
    const width = this.terms.texts.length;
    for (let place = 0; place < this.size; place++) {
      const at = this.rowAt(place);
      const key = b[at] * width + (a ? a[at] : 0);
      let cell = cells.get(key);
      if (!cell) cells.set(key, (cell = { by: b[at], across: a ? a[at] : 0, rows: 0, numbers: 0, sum: 0, min: Infinity, max: -Infinity }));
      cell.rows++;
      const x = v && v[at] ? Number(this.terms.texts[v[at]]) : NaN;
      if (x === x) take(cell, x);
    }
    const all = [...cells.values()].map((cell) => ({ by: this.terms.term(cell.by), across: this.terms.term(cell.across), rows: cell.rows, value: outcome(cell, aggregate) }));
    return all.sort((x, y) => y.value - x.value).slice(0, limit);
  }

  /** profile says of each column what its terms are, from the first rows. */
  profile(limit = 2000) {
    const n = Math.min(limit, this.length);
    return this.variables.map((name, c) => {
      const seen = new Set();
      for (let at = 0; at < n; at++) if (this.columns[c][at]) seen.add(this.columns[c][at]);
      return { name, rows: n, distinct: seen.size, ...traits([...seen].slice(0, 400).map((number) => this.terms.term(number))) };
    });
  }
}

function take(cell, x) {
  cell.numbers++;
  cell.sum += x;
  cell.min = Math.min(cell.min, x);
  cell.max = Math.max(cell.max, x);
}

function outcome(cell, aggregate) {
  if (aggregate === "count") return cell.rows;
  if (!cell.numbers) return 0;
  return { sum: cell.sum, average: cell.sum / cell.numbers, least: cell.min, most: cell.max }[aggregate];
}

const dateTypes = /#(date|dateTime|dateTimeStamp|gYear|gYearMonth)$/;
const imageEnd = /^https?:\/\/\S+\.(png|jpe?g|gif|svg|webp|avif)(\?\S*)?$/i;
const wktText = /^\s*(<[^>]*>\s*)?(POINT|LINESTRING|POLYGON|MULTI(POINT|LINESTRING|POLYGON)|GEOMETRYCOLLECTION)\s*(Z|M|ZM)?\s*\(/i;

export const isImage = (text) => imageEnd.test(text);
export const isWkt = (text) => wktText.test(text);

/** traits are what nearly all of some terms have in common. */
function traits(terms) {
  const share = (test) => terms.length > 0 && terms.filter(test).length >= 0.9 * terms.length;
  const number = (t) => t.type === "literal" && t.value.trim() !== "" && Number.isFinite(Number(t.value));
  const within = (most) => share((t) => number(t) && Math.abs(Number(t.value)) <= most);
  const date = share((t) => dateTypes.test(t.datatype ?? "") || /^-?\d{4,}-\d\d(-\d\d)?(T|$)/.test(t.value));
  return {
    date,
    number: !date && share((t) => isNumeric(t) || (number(t) && !t["xml:lang"])),
    iri: share((t) => t.type === "uri"),
    wkt: share((t) => t.type === "literal" && isWkt(t.value)),
    image: terms.some((t) => isImage(t.value)),
    latitude: within(90),
    longitude: within(180),
  };
}
