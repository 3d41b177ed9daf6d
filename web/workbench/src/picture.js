// Pictures to take away: a drawing in the page as an SVG or PNG file.

import { h, toast } from "./dom.js";
import { menu, below } from "./menu.js";

/** carried are the properties that a drawing needs where the page's style is not. */
const carried = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "visibility", "display"];

/** standalone is a copy of an SVG element with its style written into it. */
function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of carried) to[i].style.setProperty(property, style.getPropertyValue(property));
  });
  const { width, height } = svg.getBoundingClientRect();
  const paper = getComputedStyle(document.documentElement).getPropertyValue("--panel").trim();
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", Math.round(width));
  copy.setAttribute("height", Math.round(height));
  if (!copy.getAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${Math.round(width)} ${Math.round(height)}`);
  copy.style.background = paper;
  for (const image of copy.querySelectorAll("image")) image.remove(); // tiles are not ours to give away
  return { text: new XMLSerializer().serializeToString(copy), width, height, paper };
}

function save(blob, file) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: file }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** saveSVG gives a drawing as a file. */
export function saveSVG(svg, name) {
  save(new Blob([standalone(svg).text], { type: "image/svg+xml" }), `${name}.svg`);
}

/** savePNG gives a drawing as pixels, two for each of the screen's. */
export async function savePNG(svg, name) {
  const { text, width, height, paper } = standalone(svg);
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = h("canvas", { width: Math.round(width * 2), height: Math.round(height * 2) });
  const context = canvas.getContext("2d");
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => save(blob, `${name}.png`));
}

/** pictureMenu is a button that saves the drawing which get returns. */
export function pictureMenu(get, name) {
  const by = (way) => () => Promise.resolve(way(get(), name)).catch((error) => toast(error.message));
  return h("button", { class: "quiet", "aria-haspopup": "menu", onclick: (e) => menu(below(e.currentTarget), [["As SVG", by(saveSVG)], ["As PNG", by(savePNG)]]) }, "Save picture");
}
