// Small helpers for building the page.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "style") element.style.cssText = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** h makes an HTML element: h("p", {class: "x", onclick: f}, "text", child). */
export const h = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

/** s makes an SVG element. */
export const s = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/** put replaces what is in an element; what is missing is left out, as in h. */
export const put = (element, ...children) => {
  element.replaceChildren();
  return fill(element, undefined, children);
};

export const $ = (id) => document.getElementById(id);

/** capital begins a text with a capital letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const numbers = new Intl.NumberFormat("en");

/** count writes a whole number with separators. */
export const count = (n) => numbers.format(Math.round(n));

/** short writes a number in four or five characters: 12.3 M. */
export function short(n) {
  if (!Number.isFinite(n) || n < 0) return "–";
  for (const [unit, size] of [["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (n >= size * 0.9995) return `${(n / size).toPrecision(3).replace(/\.?0+$/, "")} ${unit}`;
  }
  return n < 10 && n % 1 ? n.toFixed(1) : String(Math.round(n));
}

/** time writes milliseconds so that three digits count. */
export function time(ms) {
  if (!Number.isFinite(ms)) return "–";
  if (ms >= 1000) return `${(ms / 1000).toPrecision(3)} s`;
  if (ms >= 1) return `${ms.toPrecision(3)} ms`;
  return `${(ms * 1000).toFixed(0)} µs`;
}

/** later calls f once nothing has asked for it for a while. */
export function later(f, wait) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...given), wait);
  };
}

let toastTimer;

/** toast shows a line for a moment. */
export function toast(text) {
  const element = $("toast");
  element.textContent = text;
  element.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (element.hidden = true), 2200);
}

/** copy puts text on the clipboard, also where the page is not in a secure context. */
export async function copy(text, said = "Copied") {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(said);
}
