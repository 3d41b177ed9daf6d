// Well-known text of places (OGC 06-103r4, section 7), as far as it can be drawn on a map.

/** read is the geometry of a WKT literal: {points: [[long, lat]], lines: [[…]], areas: [[ring, …]]}; undefined where it is none. */
export function read(text) {
  const found = /^\s*(?:<([^>]*)>\s*)?([A-Za-z]+)\s*(?:ZM|Z|M)?\s*(\(.*\))\s*$/s.exec(text);
  if (!found) return undefined;
  const [, reference, type, body] = found;
  const swap = /EPSG\/+(?:[\d.]+\/)?4326/.test(reference ?? ""); // there, latitude comes first
  const geometry = { points: [], lines: [], areas: [] };
  return add(geometry, type.toUpperCase(), body, swap) ? geometry : undefined;
}

const adders = {
  POINT: (g, body, swap) => g.points.push(...positions(body, swap)),
  MULTIPOINT: (g, body, swap) => g.points.push(...positions(body.replace(/[()]/g, " "), swap)),
  LINESTRING: (g, body, swap) => g.lines.push(positions(body, swap)),
  MULTILINESTRING: (g, body, swap) => g.lines.push(...parts(body).map((p) => positions(p, swap))),
  POLYGON: (g, body, swap) => g.areas.push(parts(body).map((p) => positions(p, swap))),
  MULTIPOLYGON: (g, body, swap) => parts(body).forEach((p) => adders.POLYGON(g, p, swap)),
  GEOMETRYCOLLECTION: (g, body, swap) => members(body).forEach(([type, part]) => add(g, type, part, swap)),
};

function add(geometry, type, body, swap) {
  const adder = adders[type];
  if (adder) adder(geometry, body, swap);
  return Boolean(adder);
}

function positions(body, swap) {
  return body.replace(/[()]/g, " ").split(",").map((p) => p.trim().split(/\s+/).map(Number)).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)).map(([x, y]) => (swap ? [y, x] : [x, y]));
}

/** parts are what stands in the brackets inside brackets. */
function parts(body) {
  const list = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < body.length; at++) {
    if (body[at] === "(" && ++depth === 2) from = at;
    if (body[at] === ")" && depth-- === 2) list.push(body.slice(from, at + 1));
  }
  return list;
}

/** members are the geometries of a collection: [type, body]. */
function members(body) {
  const list = [];
  let depth = 0;
  let from = 1;
  for (let at = 1; at < body.length; at++) {
    if (body[at] === "(") depth++;
    if (body[at] === ")" && --depth === 0) {
      const found = /([A-Za-z]+)\s*(?:ZM|Z|M)?\s*(\(.*\))/s.exec(body.slice(from, at + 1));
      if (found) list.push([found[1].toUpperCase(), found[2]]);
      from = at + 1;
    }
  }
  return list;
}
