// Dialogs that ask for one thing.

import { h } from "./dom.js";

/** dialog shows a box of content; it resolves with the value of the button that closed it. */
export function dialog(title, ...content) {
  return new Promise((resolve) => {
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    const box = h("dialog", { class: "ask", "aria-labelledby": id }, h("form", { method: "dialog" }, h("h2", { id }, title), content));
    box.addEventListener("keydown", (event) => event.stopPropagation());
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue);
    });
    document.body.append(box);
    box.showModal();
  });
}

/** ask asks for a line of text: the text, or undefined. */
export async function ask(title, label, value, type = "text") {
  const field = h("input", { type, "aria-label": label, placeholder: label, value, autocomplete: type === "password" ? "current-password" : "off" });
  const closed = dialog(title, field, h("div", { class: "row" }, h("button", { class: "run", value: "ok" }, "OK"), h("button", { class: "quiet", value: "" }, "Cancel")));
  field.select();
  return (await closed) === "ok" ? field.value.trim() || undefined : undefined;
}
