// Which labels of a large drawing are shown: as many as do not cover each other, the best connected first.

const line = 16;

const apart = (a, b) => Math.abs(a.x - b.x) >= (a.w + b.w) / 2 || Math.abs(a.y - b.y) >= (a.h + b.h) / 2;

/** sizeText writes the labels of a round node, below or above it and so far aside, grow times as large: so they stay as large on the screen. */
function sizeText(node, grow, side, aside) {
  const away = side > 0 ? [13, 27] : node.sub ? [-27, -13] : [-13];
  [...node.group.querySelectorAll("text")].forEach((text, i) => {
    text.style.fontSize = `${(i ? 11 : 12.5) * grow}px`;
    text.setAttribute("x", aside);
    text.setAttribute("y", side * (node.w / 2) + away[i] * grow);
  });
}

/** aside is how far the name of a node that is in sight has to move so that the edge of the drawing, width wide, does not cut it. */
function aside(x, half, width) {
  if (x < 0 || x > width) return 0;
  return Math.max(half + 4 - x, 0) || Math.min(width - half - 4 - x, 0);
}

/** declutter hides the labels of nodes and edges {x, y, …} that would cover others at this view, width wide; text is grow times its size. */
export function declutter(nodes, edges, { k, x: origin }, grow, width) {
  const size = k * grow; // of text on the screen
  const small = k < 0.6; // there, a name may lie over the dots of things that hang on one edge
  const taken = nodes.filter((n) => !small || n.links > 2).map((n) => ({ x: n.x * k, y: n.y * k, w: n.w * k, h: n.h * k }));
  const free = (box) => taken.every((t) => apart(t, box));
  const name = (n) => {
    const w = (n.textWidth + 4) * size;
    const moved = aside(origin + n.x * k, w / 2, width);
    const boxes = [1, -1].map((side) => ({ side, x: n.x * k + moved, y: (n.y + side * (n.w / 2 + (n.sub ? 20 : 13) * grow)) * k, w, h: (n.sub ? 2 : 1) * line * size }));
    const box = boxes.find(free);
    for (const text of n.group.querySelectorAll("text")) text.classList.toggle("hid", !box);
    sizeText(n, grow, box?.side ?? 1, moved / k);
    if (box) taken.push(box);
  };
  const tell = (e) => {
    const box = { x: e.x * k, y: e.y * k, w: (e.width + 8) * size, h: line * size };
    const long = Math.hypot(e.to.x - e.from.x, e.to.y - e.from.y) * k;
    const shown = (e.from === e.to || long > box.w * 0.6) && free(box);
    e.text.classList.toggle("hid", !shown);
    if (shown) taken.push(box);
    return shown;
  };
  const round = nodes.filter((n) => n.round).sort((a, b) => Number(b.kept ?? 0) - Number(a.kept ?? 0) || b.links - a.links);
  const [hubs, leaves] = [round.filter((n) => n.kept || n.links > 2), round.filter((n) => !n.kept && n.links <= 2)];
  hubs.forEach(name);
  const told = onceEach(edges.filter((e) => e.text), tell);
  leaves.forEach(name);
  for (const e of edges) if (e.text && !told.has(e)) tell(e);
}

/** onceEach tells of each label one edge, so that no predicate goes unnamed where there is room for it. */
function onceEach(edges, tell) {
  const labels = new Set();
  return new Set(edges.filter((e) => !labels.has(e.label) && tell(e) && labels.add(e.label)));
}
