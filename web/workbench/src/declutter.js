// Which labels of a large drawing are shown: as many as do not cover each other, the best connected first.

const line = 16;

const apart = (a, b) => Math.abs(a.x - b.x) >= (a.w + b.w) / 2 || Math.abs(a.y - b.y) >= (a.h + b.h) / 2;

/** declutter hides the labels of nodes and edges {x, y, …} that would cover others at this view; text is grow times its size. */
export function declutter(nodes, edges, { k }, grow) {
  const size = k * grow; // of text on the screen
  const taken = nodes.map((n) => ({ x: n.x * k, y: n.y * k, w: n.w * k, h: n.h * k }));
  const free = (box) => taken.every((t) => apart(t, box));
  for (const n of nodes.toSorted((a, b) => Number(b.kept ?? 0) - Number(a.kept ?? 0) || b.links - a.links)) {
    if (!n.round) continue;
    const box = { x: n.x * k, y: (n.y + n.w / 2 + 13 * grow + (n.sub ? 7 * grow : 0)) * k, w: (n.textWidth + 4) * size, h: (n.sub ? 2 : 1) * line * size };
    const shown = free(box);
    for (const text of n.group.querySelectorAll("text")) text.classList.toggle("hid", !shown);
    if (shown) taken.push(box);
  }
  for (const e of edges) {
    if (!e.text) continue;
    const box = { x: e.x * k, y: e.y * k, w: (e.width + 8) * size, h: line * size };
    const long = Math.hypot(e.to.x - e.from.x, e.to.y - e.from.y) * k;
    const shown = (e.from === e.to || long > box.w * 0.6) && free(box);
    e.text.classList.toggle("hid", !shown);
    if (shown) taken.push(box);
  }
}
