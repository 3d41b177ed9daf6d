// Find and replace in the editor, and renaming a variable wherever it stands.

import { h, count } from "./dom.js";
import { tokens } from "./lexer.js";

/** FindBar is a row above the text. */
export class FindBar {
  constructor(box, editor) {
    this.editor = editor;
    this.what = h("input", { type: "search", "aria-label": "Find", placeholder: "Find", oninput: () => this.look() });
    this.by = h("input", { "aria-label": "Replace by", placeholder: "Replace by" });
    this.found = h("span", { class: "found", role: "status" });
    const button = (text, label, f) => h("button", { class: "quiet", "aria-label": label, title: label, onclick: f }, text);
    this.bar = h("div", { class: "find", role: "search", "aria-label": "Find and replace", hidden: true }, this.what, button("↑", "Previous", () => this.step(-1)), button("↓", "Next", () => this.step(1)), this.by,
      button("Replace", "Replace this one", () => this.replace()), button("All", "Replace all", () => this.replaceAll()), this.found, button("✕", "Close", () => this.close()));
    this.bar.addEventListener("keydown", (event) => this.key(event));
    box.prepend(this.bar);
    this.marks = [];
  }

  open() {
    const selected = this.editor.yasqe.getDoc().getSelection();
    if (selected && !selected.includes("\n")) this.what.value = selected;
    this.bar.hidden = false;
    this.what.select();
    this.look();
    this.editor.refresh();
  }

  close() {
    this.bar.hidden = true;
    for (const mark of this.marks) mark.clear();
    this.marks = [];
    this.editor.refresh();
    this.editor.focus();
  }

  key(event) {
    event.stopPropagation();
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter") event.target === this.by ? this.replace() : this.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  }

  /** places are where the text is found, without regard to case. */
  places() {
    const wanted = this.what.value.toLowerCase();
    const text = this.editor.text.toLowerCase();
    const places = [];
    if (wanted) for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
    return places;
  }

  look() {
    for (const mark of this.marks) mark.clear();
    const doc = this.editor.yasqe.getDoc();
    const places = this.places();
    this.marks = places.slice(0, 500).map((at) => doc.markText(doc.posFromIndex(at), doc.posFromIndex(at + this.what.value.length), { className: "hit" }));
    this.found.textContent = this.what.value ? count(places.length) : "";
  }

  step(by) {
    const doc = this.editor.yasqe.getDoc();
    const places = this.places();
    if (!places.length) return;
    const here = doc.indexFromPos(doc.getCursor("from"));
    const next = by > 0 ? (places.find((p) => p > here) ?? places[0]) : (places.findLast((p) => p < here) ?? places.at(-1));
    doc.setSelection(doc.posFromIndex(next), doc.posFromIndex(next + this.what.value.length));
    this.editor.yasqe.scrollIntoView(null, 60);
  }

  replace() {
    const doc = this.editor.yasqe.getDoc();
    if (doc.getSelection().toLowerCase() === this.what.value.toLowerCase() && this.what.value) doc.replaceSelection(this.by.value, "end");
    this.step(1);
    this.look();
  }

  replaceAll() {
    let text = this.editor.text;
    for (const at of this.places().reverse()) text = text.slice(0, at) + this.by.value + text.slice(at + this.what.value.length);
    this.editor.change(text);
    this.look();
  }
}

/** renamed is a text with a variable, given without its mark, under another name. */
export function renamed(text, from, to) {
  return tokens(text).map((t) => (t.kind === "variable" && t.text.slice(1) === from ? t.text[0] + to : t.text)).join("");
}

/** variableAt is the variable at an offset, without its mark, or undefined. */
export const variableAt = (text, offset) => tokens(text).find((t) => t.kind === "variable" && t.from <= offset && t.to >= offset)?.text.slice(1);
