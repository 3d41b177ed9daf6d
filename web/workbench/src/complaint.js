// The line under the editor: what is wrong with the query, where, and how to mend it.

import { h, put } from "./dom.js";
import { slips } from "./slips.js";

/** complain shows a problem that the server found and the slips that can be seen in the text. */
export function complain(box, editor, problem) {
  const found = slips(editor.text).slice(0, 3);
  box.hidden = !problem && !found.length;
  editor.point(problem?.line, problem?.column, found);
  box.classList.toggle("mild", !problem);
  box.classList.remove("stale");
  put(box, found.map((s) => h("p", { class: "slip" }, s.hint, ". ", s.mend && h("button", { class: "quiet", onclick: () => box.classList.contains("stale") || editor.change(s.mend[1]) }, s.mend[0]))), problem && h("p", {}, line(problem)));
}

function line(problem) {
  const expected = problem.expected?.length ? `; expected ${problem.expected.slice(0, 6).join(", ")}${problem.expected.length > 6 ? ", …" : ""}` : "";
  return [problem.line ? h("b", {}, `${problem.line}:${problem.column}`) : "", ` ${problem.detail ?? problem.title}${expected}`, problem.hint ? h("i", {}, ` ${problem.hint}`) : ""];
}
