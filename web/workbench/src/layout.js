// Places for the nodes of a graph: forces from several beginnings, of which the drawing that reads best is taken.

/** layout sets x and y of nodes {w, h, textWidth, links}; edges have {from, to, width}. old holds earlier places. */
export function layout(nodes, edges, old, wide, spread) {
  const small = nodes.length <= 28;
  let best;
  const tries = nodes.length <= 14 ? 24 : small ? 12 : 1;
  for (let turn = 0; turn < tries; turn++) {
    begin(nodes, turn === 0 ? old : undefined, turn, wide);
    settle(nodes, edges, { rounds: small ? 320 : nodes.length > 120 ? 160 : 300, wide, spread, careful: small });
    const cost = small ? judge(nodes, edges, wide) + (turn === 0 && old.size ? -2.5 : 0) : 0;
    if (!best || cost < best.cost) best = { cost, places: nodes.map((n) => [n.x, n.y]) };
  }
  nodes.forEach((n, i) => ([n.x, n.y] = best?.places[i] ?? [0, 0]));
}

/** random numbers that are the same each time, so that a query is always drawn alike. */
function random(seed) {
  let state = seed * 2654435761 + 12345;
  return () => ((state = (state * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff);
}

function begin(nodes, old, turn, wide) {
  const next = random(turn + 1);
  nodes.forEach((n, i) => {
    const before = old?.get(n.key);
    const angle = turn < 2 ? i * 2.399963 : next() * 2 * Math.PI;
    const radius = turn < 2 ? 60 * Math.sqrt(i + 0.5) : 40 + 160 * next();
    n.x = before?.x ?? radius * Math.cos(angle) * Math.sqrt(wide);
    n.y = before?.y ?? (radius * Math.sin(angle)) / Math.sqrt(wide);
    n.vx = n.vy = 0;
  });
}

function settle(nodes, edges, { rounds, wide, spread, careful }) {
  const pullX = 0.02 / wide;
  const pullY = 0.02 * Math.sqrt(wide);
  for (let round = 0; round < rounds; round++) {
    const heat = 1 - round / rounds;
    for (let i = 0; i < nodes.length; i++) for (let j = i + 1; j < nodes.length; j++) repel(nodes[i], nodes[j], spread);
    for (const e of edges) if (e.from !== e.to) attract(e, spread);
    if (careful) for (const e of edges) if (e.from !== e.to) for (const n of nodes) if (n !== e.from && n !== e.to) clear(n, e);
    const most = 1.5 + 30 * heat;
    for (const n of nodes) {
      n.vx -= n.x * pullX;
      n.vy -= n.y * pullY;
      const speed = Math.hypot(n.vx, n.vy);
      const scale = speed > most ? most / speed : 1;
      n.x += n.vx * scale;
      n.y += n.vy * scale;
      n.vx *= 0.5;
      n.vy *= 0.5;
    }
  }
}

const widthOf = (n) => Math.max(n.w, n.textWidth + 6);
const heightOf = (n) => (n.round ? n.h + 34 : n.h);

function repel(a, b, spread) {
  let [dx, dy] = [b.x - a.x, b.y - a.y];
  if (!dx && !dy) [dx, dy] = [0.3, 0.2];
  const distance = Math.hypot(dx, dy);
  const push = Math.min((spread * 6400) / (distance * distance) + (spread * 60) / distance, 34);
  let [fx, fy] = [(dx / distance) * push, (dy / distance) * push];
  const overX = (widthOf(a) + widthOf(b)) / 2 + 14 - Math.abs(dx);
  const overY = (heightOf(a) + heightOf(b)) / 2 + 12 - Math.abs(dy);
  if (overX > 0 && overY > 0) {
    if (overY < overX) fy += 0.35 * overY * Math.sign(dy || 1);
    else fx += 0.35 * overX * Math.sign(dx || 1);
  }
  a.vx -= fx;
  a.vy -= fy;
  b.vx += fx;
  b.vy += fy;
}

/** attract pulls an edge to the length that its label needs, which is longer when it lies flat. */
function attract(e, spread) {
  const { from: a, to: b } = e;
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const distance = Math.hypot(dx, dy) || 1;
  const flat = Math.abs(dx) / distance;
  const wish = flat * ((a.round ? a.w : widthOf(a)) / 2 + (b.round ? b.w : widthOf(b)) / 2 + e.width + 30) + (1 - flat) * ((heightOf(a) + heightOf(b)) / 2 + 46) + 14 * spread;
  const pull = ((distance - wish) / distance) * (0.2 / Math.sqrt(Math.max(1, Math.min(a.links, b.links))));
  a.vx += dx * pull;
  a.vy += dy * pull;
  b.vx -= dx * pull;
  b.vy -= dy * pull;
}

/** nearest is the point of an edge's line that lies nearest to a node. */
function nearest(n, e) {
  const [dx, dy] = [e.to.x - e.from.x, e.to.y - e.from.y];
  const along = ((n.x - e.from.x) * dx + (n.y - e.from.y) * dy) / (dx * dx + dy * dy || 1);
  const t = Math.min(1, Math.max(0, along));
  return [e.from.x + t * dx, e.from.y + t * dy, along];
}

/** clear pushes a node off an edge that would pass behind it. */
function clear(n, e) {
  const [x, y, along] = nearest(n, e);
  if (along <= 0 || along >= 1) return;
  const label = Math.abs(along - 0.5) < 0.28 ? 8 : 0;
  const [dx, dy] = [n.x - x, n.y - y];
  const overX = widthOf(n) / 2 + 10 + (label ? e.width / 2 : 0) - Math.abs(dx);
  const overY = heightOf(n) / 2 + 8 + label - Math.abs(dy);
  if (overX <= 0 || overY <= 0) return;
  const distance = Math.hypot(dx, dy) || 1;
  const push = 0.16 * Math.min(overX, overY);
  n.vx += (dx / distance) * push;
  n.vy += (dy / distance) * push;
  for (const end of [e.from, e.to]) {
    end.vx -= (dx / distance) * push * 0.4;
    end.vy -= (dy / distance) * push * 0.4;
  }
}

/** judge counts what makes a drawing hard to read: crossings, lines behind nodes, labels on each other. */
function judge(nodes, edges, wide) {
  const plain = edges.filter((e) => e.from !== e.to);
  let cost = 0;
  const labels = plain.filter((e) => e.width).map((e) => ({ x: (e.from.x + e.to.x) / 2, y: (e.from.y + e.to.y) / 2, w: e.width + 8, h: 16 }));
  const boxes = nodes.map((n) => ({ x: n.x, y: n.y + (n.round ? 15 : 0), w: widthOf(n), h: heightOf(n) }));
  for (let i = 0; i < plain.length; i++) {
    for (let j = i + 1; j < plain.length; j++) if (cross(plain[i], plain[j])) cost += 4;
    for (const n of nodes) {
      if (n === plain[i].from || n === plain[i].to) continue;
      const [x, y, along] = nearest(n, plain[i]);
      if (along > 0 && along < 1 && Math.abs(n.x - x) < widthOf(n) / 2 && Math.abs(n.y - y) < heightOf(n) / 2) cost += 5;
    }
  }
  for (let i = 0; i < labels.length; i++) {
    for (let j = i + 1; j < labels.length; j++) if (touch(labels[i], labels[j])) cost += 2;
    for (const box of boxes) if (touch(labels[i], box)) cost += 2;
  }
  for (let i = 0; i < boxes.length; i++) for (let j = i + 1; j < boxes.length; j++) if (touch(boxes[i], boxes[j])) cost += 6;
  const width = Math.max(...boxes.map((b) => b.x + b.w / 2)) - Math.min(...boxes.map((b) => b.x - b.w / 2));
  const height = Math.max(...boxes.map((b) => b.y + b.h / 2)) - Math.min(...boxes.map((b) => b.y - b.h / 2));
  return cost + Math.max(width / wide, height) / 60; // how small it must be shown
}

const touch = (a, b) => Math.abs(a.x - b.x) < (a.w + b.w) / 2 && Math.abs(a.y - b.y) < (a.h + b.h) / 2;

function cross(e, f) {
  if (e.from === f.from || e.from === f.to || e.to === f.from || e.to === f.to) return false;
  const side = (a, b, c) => Math.sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x));
  return side(e.from, e.to, f.from) !== side(e.from, e.to, f.to) && side(f.from, f.to, e.from) !== side(f.from, f.to, e.to);
}
