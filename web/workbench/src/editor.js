// The editor: YASQE, with what this workbench adds to it.

import { Yasqe } from "@zazuko/yasqe";
import "@zazuko/yasqe/build/yasqe.min.css";
import { toast } from "./dom.js";
import { shorten } from "./names.js";
import { complete, wanted } from "./completion.js";
import { format } from "./format.js";
import { FindBar, renamed, variableAt } from "./find.js";
import { ask } from "./dialog.js";

/** Editor wraps YASQE. */
export class Editor {
  constructor(container, { run, change, save }) {
    this.yasqe = new Yasqe(container, {
      value: "", persistenceId: null, consumeShareLink: null, createShareableLink: () => location.href, showQueryButton: false, resizeable: false,
      editorHeight: "100%", pluginButtons: () => [], autocompleters: [], viewportMargin: Infinity,
    });
    this.find = new FindBar(container, this);
    const keys = {
      "Ctrl-Enter": run, "Cmd-Enter": run, "Ctrl-Space": () => complete(this.yasqe, true), "Ctrl-F": () => this.find.open(), "Cmd-F": () => this.find.open(), "Ctrl-H": () => this.find.open(),
      F2: () => this.rename(), "Ctrl-S": save, "Cmd-S": save, "Shift-Ctrl-F": () => this.tidy(), "Shift-Cmd-F": () => this.tidy(),
      Tab: (cm) => (cm.somethingSelected() ? cm.execCommand("indentMore") : cm.replaceSelection("  ")), Esc: (cm) => this.leave(cm), "Shift-Ctrl-[": (cm) => cm.foldCode(cm.getCursor()),
    };
    this.yasqe.setOption("extraKeys", { ...this.yasqe.getOption("extraKeys"), ...keys });
    const field = this.yasqe.getInputField();
    field.setAttribute("aria-label", "SPARQL query. Escape leaves it.");
    this.yasqe.on("change", (_, event) => {
      change();
      if (event.origin === "+input" && wanted(this.yasqe)) complete(this.yasqe, false);
    });
    this.marks = [];
  }

  get text() {
    return this.yasqe.getValue();
  }

  /** Setting the text begins its history anew; change is a step in it. */
  set text(value) {
    if (value === this.text) return;
    this.yasqe.setValue(value);
    this.yasqe.getDoc().clearHistory();
  }

  /** change replaces the text so that it can be undone; the cursor stays about where it was. */
  change(value) {
    const doc = this.yasqe.getDoc();
    const cursor = doc.getCursor();
    doc.replaceRange(value, { line: 0, ch: 0 }, { line: doc.lastLine() + 1, ch: 0 });
    doc.setCursor(cursor);
  }

  get prefixes() {
    try {
      return this.yasqe.getPrefixesFromQuery();
    } catch {
      return {};
    }
  }

  focus() {
    this.yasqe.focus();
  }

  refresh() {
    this.yasqe.refresh();
  }

  /** leave goes on to what follows, for those who have only keys. */
  leave(cm) {
    const editor = cm.getWrapperElement();
    const follows = (e) => editor.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING && !editor.contains(e) && e.getClientRects().length;
    cm.getInputField().blur();
    [...document.querySelectorAll("a[href], button:enabled, [tabindex='0']")].find(follows)?.focus();
  }

  tidy() {
    this.change(format(this.text));
    this.focus();
  }

  /** rename gives the variable at the cursor another name everywhere. */
  async rename() {
    const doc = this.yasqe.getDoc();
    const old = variableAt(this.text, doc.indexFromPos(doc.getCursor()));
    if (!old) return toast("Put the cursor on a variable first");
    const name = (await ask(`Rename ?${old}`, "New name", old))?.replace(/^[?$]/, "");
    if (name && /^[\p{L}\p{N}_]+$/u.test(name)) this.change(renamed(this.text, old, name));
    else if (name) toast("A variable has letters, digits and _ only");
    this.focus();
  }

  /** commands are what the menu of the editor offers. */
  commands() {
    return [
      ["Format (Shift Ctrl F)", () => this.tidy()],
      ["Find and replace (Ctrl F)", () => this.find.open()],
      ["Rename the variable (F2)", () => this.rename()],
      ["Comment lines (Ctrl /)", () => this.yasqe.commentLines()],
      ["Undo (Ctrl Z)", () => this.yasqe.getDoc().undo()],
      ["Redo (Ctrl Y)", () => this.yasqe.getDoc().redo()],
    ];
  }

  /** insert puts an IRI at the cursor, by its short name where there is one. */
  insert(iri) {
    const parts = shorten(iri);
    this.yasqe.getDoc().replaceSelection(parts ? `${parts[0]}:${parts[1]}` : `<${iri}>`);
    if (parts && this.prefixes[parts[0]] === undefined) this.yasqe.addPrefixes({ [parts[0]]: parts[2] });
    this.yasqe.focus();
  }

  /** point marks the place of an error, from 1, and those of slips. */
  point(line, column, slips = []) {
    for (const mark of this.marks) mark.clear();
    const doc = this.yasqe.getDoc();
    this.marks = slips.map((s) => doc.markText(doc.posFromIndex(s.from), doc.posFromIndex(s.to), { className: "fault", attributes: { title: s.hint } }));
    if (!line) return;
    const text = doc.getLine(line - 1) ?? "";
    const from = Math.min(column - 1, Math.max(0, text.length - 1));
    const word = /^[^\s{}().;,]+|^./.exec(text.slice(from))?.[0] ?? " ";
    this.marks.push(doc.markText({ line: line - 1, ch: from }, { line: line - 1, ch: from + word.length }, { className: "fault" }));
  }
}
