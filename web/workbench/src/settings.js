// Settings that stay in the browser, and the keys.

import { h } from "./dom.js";
import { dialog } from "./dialog.js";
import { forgetLabels } from "./labels.js";

const keys = [["Ctrl ↵", "Run the query"], ["Esc", "Cancel it; leave the editor"], ["Ctrl Space", "Complete"], ["Shift Ctrl F", "Format"], ["Ctrl F", "Find and replace"], ["F2", "Rename the variable"], ["Ctrl S", "Keep the query"], ["Ctrl /", "Comment lines"],
  ["← ↑ → ↓", "Move in the table"], ["Shift ← ↑ → ↓", "Select cells"], ["Ctrl C", "Copy the selected cells"], ["↵", "What can be done with a cell"]];

/** setting reads one of the settings. */
export const setting = (name) => localStorage.getItem(`rdfgpu-${name}`) ?? "";

/** openSettings shows the settings and the keys. */
export async function openSettings() {
  const field = (name, label, placeholder) => h("label", { class: "setting" }, h("span", {}, label), h("input", { name, value: setting(name), placeholder }));
  const fields = [field("language", "Language of names", "such as de; empty: the browser's"), field("tiles", "Map tiles", "https://…/{z}/{x}/{y}.png; empty: none are fetched")];
  const done = await dialog("Settings", fields, h("h3", {}, "Keys"), h("dl", { class: "keys" }, keys.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))),
    h("div", { class: "row" }, h("button", { class: "run", value: "ok" }, "Save"), h("button", { class: "quiet", value: "" }, "Cancel")));
  if (done !== "ok") return;
  for (const label of fields) {
    const input = label.querySelector("input");
    if (input.value.trim()) localStorage.setItem(`rdfgpu-${input.name}`, input.value.trim());
    else localStorage.removeItem(`rdfgpu-${input.name}`);
  }
  forgetLabels();
}
