// The query page: the open queries, the editor with its graph, the lists at the side and the answers.

import { $, h, later, toast, copy } from "./dom.js";
import { explain, graph, Refusal } from "./api.js";
import { declare } from "./names.js";
import { Editor } from "./editor.js";
import { Drafts } from "./drafts.js";
import { Shelf } from "./shelf.js";
import { Sidebar } from "./sidebar.js";
import { drawOverview } from "./dataset.js";
import { QueryGraph } from "./querygraph.js";
import { Results } from "./results.js";
import { Run } from "./run.js";
import { Change, isUpdate } from "./change.js";
import { Watch, isWatchable, mostWatches } from "./watch.js";
import { menu, below } from "./menu.js";
import { ask } from "./dialog.js";
import { complain } from "./complaint.js";

/** usualRows is how many rows are loaded at first, mostRows how many when asked for more. */
const usualRows = 100_000;
const mostRows = 1_000_000;

export class Desk {
  /** renew describes the store anew, once it has been changed. */
  constructor(store, renew) {
    Object.assign(this, { store, renew });
    this.turn = 0;
    this.shelf = new Shelf();
    this.editor = new Editor($("editor"), { run: () => this.start(), change: () => this.typed(), save: () => this.keep() });
    this.queryGraph = new QueryGraph($("query-graph"));
    this.sketchSoon = later(() => this.sketch(), 280);
    this.actions = {
      run: (text) => this.open(text, true),
      open: (text) => this.open(text, false),
      insert: (iri) => {
        this.closeSidebar();
        this.editor.insert(iri);
      },
      start: () => this.start(),
      loadMore: () => this.start(mostRows),
      overview: (box) => (store.info ? drawOverview(box, store, this.actions) : box.replaceChildren()),
      explain: (analyze, device) => explain(this.editor.text, this.settings(device), analyze),
      text: () => this.editor.text,
      device: () => store.info?.device,
      writable: () => store.info?.writable,
      watch: () => this.watch(),
      chose: () => {
        this.drafts.save();
        this.address();
      },
    };
    this.results = new Results($("results"), this.actions);
    this.sidebar = new Sidebar($("dataset"), this.shelf, this.actions);
    this.drafts = new Drafts($("drafts"), { open: (draft, focus) => this.show(draft, focus), closed: (draft) => draft.run?.close() });
  }

  /** begin shows what was open before. */
  begin() {
    this.listen();
    if (!this.drafts.list.length) this.drafts.add({ text: "", name: "Query 1" });
    else this.drafts.choose(this.drafts.active);
  }

  /** know hears that the store has been described. */
  know() {
    this.sidebar.set(this.store);
    const { list, active } = this.drafts;
    if (list.length === 1 && !active.text && !active.byLink) {
      active.text = this.store.examples[0]?.text ?? "";
      this.show(active);
    } else this.results.show(active);
    this.offerWatch();
    this.sketch();
  }

  // Settings and the address.

  settings(device = this.pressed) {
    return { semantics: $("semantics").value === "homomorphism" ? undefined : $("semantics").value, device: device === "auto" ? undefined : device };
  }

  get pressed() {
    return $("device").querySelector('[aria-checked="true"]').dataset.value;
  }

  press(value) {
    for (const button of $("device").children) {
      button.setAttribute("aria-checked", String(button.dataset.value === value));
      button.tabIndex = button.dataset.value === value ? 0 : -1;
    }
  }

  link() {
    const parts = new URLSearchParams({ query: this.editor.text });
    for (const [name, value] of Object.entries(this.settings())) if (value) parts.set(name, value);
    if (!["table", "overview"].includes(this.results.tab)) parts.set("tab", this.results.tab);
    if (!/^Query \d+$/.test(this.drafts.active.name)) parts.set("name", this.drafts.active.name);
    return `#${parts}`;
  }

  address() {
    history.replaceState(null, "", this.link());
  }

  /** follow opens the query of a link; it is not run before someone has looked at it. */
  follow(parts) {
    const text = parts.get("query");
    const open = this.drafts.list.find((d) => d.text === text);
    const settings = { semantics: parts.get("semantics") ?? undefined, device: ["cpu", "gpu"].includes(parts.get("device")) ? parts.get("device") : undefined };
    const [first] = this.drafts.list;
    if (open) this.drafts.choose(open);
    else {
      this.drafts.add({ text, settings, name: parts.get("name")?.slice(0, 80) || undefined, view: parts.get("tab") ?? "table", byLink: true });
      if (this.drafts.list.length === 2 && !first.text) this.drafts.close(first.id);
    }
  }

  // The open query.

  show(draft, focus) {
    this.editor.text = draft.text;
    $("semantics").value = draft.settings.semantics ?? "homomorphism";
    this.press(draft.settings.device ?? "auto");
    declare(this.editor.prefixes);
    this.results.show(draft);
    this.showRunning();
    this.sketchSoon();
    if (focus) this.editor.focus();
  }

  open(text, run) {
    location.hash = "";
    this.closeSidebar();
    const { active } = this.drafts;
    const known = this.drafts.list.find((d) => d.text === text);
    if (known) this.drafts.choose(known, true);
    else if (!active.text.trim() || this.untouched === active.text) this.replace(text);
    else this.drafts.add({ text, view: run ? "table" : undefined, name: nameOf(text) }, true);
    this.untouched = text;
    if (run) this.start();
  }

  /** replace puts a text in the place of one that nobody has changed. */
  replace(text) {
    const { active } = this.drafts;
    active.run?.close();
    Object.assign(active, { text, run: undefined, view: "table", chosen: false, name: nameOf(text) ?? active.name });
    this.drafts.choose(active, true);
  }

  typed() {
    const { active } = this.drafts;
    if (!active || active.text === this.editor.text) return;
    active.text = this.editor.text;
    this.untouched = undefined;
    $("complaint").classList.add("stale"); // what it says is about an older text
    this.sketchSoon();
    this.offerWatch();
    this.saveSoon ??= later(() => this.drafts.save(), 600);
    this.saveSoon();
  }

  // Running.

  async start(send = usualRows) {
    const draft = this.drafts.active;
    if (draft.run?.running && draft.run.kind !== "watch") return;
    if (!draft.chosen) draft.view = "table";
    if (draft.view === "overview" || draft.view === "plan") draft.view = "table";
    const run = await this.launch(draft, isUpdate(this.editor.text) ? Change : Run, send);
    this.shelf.ran(run);
    this.sidebar.refresh();
    if (run.done) await this.renew();
  }

  /** watch makes the query stand, or ends that. */
  async watch() {
    const draft = this.drafts.active;
    const open = this.drafts.list.filter((d) => d !== draft && watching(d));
    if (watching(draft)) return this.cancel();
    if (open.length >= mostWatches) return toast(`${open.length} queries are watched, as many as a page may: stop one first`);
    draft.view = "table";
    await this.launch(draft, Watch);
  }

  /** launch puts a new run of the editor's text in the place of the last one, and returns it once it has ended. */
  async launch(draft, Kind, send) {
    draft.run?.close();
    draft.byLink = false;
    draft.settings = this.settings();
    const settings = Object.fromEntries(Object.entries(draft.settings).filter(([, v]) => v));
    declare(this.editor.prefixes);
    const run = new Kind({ text: this.editor.text, settings }, () => this.changed(draft, run));
    draft.run = run;
    run.graphs = this.sketched === run.ask.text ? this.queryGraph.graphs : [];
    this.address();
    const ended = run.start(send);
    this.results.show(draft);
    this.showRunning();
    this.drafts.save();
    if (innerWidth <= 640) $("results").scrollIntoView({ block: "start" });
    await ended;
    this.showRunning();
    return run;
  }

  changed(draft, run) {
    if (draft === this.drafts.active && draft.run === run) this.results.changed(run);
  }

  showRunning() {
    const { active } = this.drafts;
    const running = Boolean(active.run?.running) && !watching(active);
    document.body.classList.toggle("running", running);
    $("run").querySelector(".word").textContent = running ? "Cancel" : "Run";
    $("run").querySelector("kbd").textContent = running ? "Esc" : "Ctrl ↵";
    $("watch").setAttribute("aria-pressed", String(watching(active)));
    this.offerWatch();
    this.drafts.draw();
  }

  /** offerWatch lets the query be watched where it may stand, or says why not. */
  offerWatch() {
    const { limits } = this.store.info ?? {};
    const reason = !limits ? "The server has not answered yet" : limits.maxSubscriptions === 0 ? "This server lets no query stand (--max-subscriptions is 0)" : !isWatchable(this.editor.text) ? "Only a SELECT can be watched" : "";
    $("watch").disabled = reason !== "" && !watching(this.drafts.active);
    $("watch").title = reason || "Show what comes and goes with every change of the store";
  }

  cancel() {
    this.drafts.active.run?.cancel();
  }

  /** keep saves the query under a name. */
  async keep() {
    const { active } = this.drafts;
    const name = await ask("Keep this query", "Name", active.name);
    if (!name) return;
    active.name = name;
    this.drafts.save();
    this.drafts.draw();
    this.shelf.save(name, this.editor.text, this.settings());
    this.sidebar.refresh();
    toast(`Kept as ${name}`);
  }

  // The query graph, as it is typed.

  async sketch() {
    this.sketching?.abort();
    this.sketching = new AbortController();
    const turn = ++this.turn;
    const text = this.editor.text;
    if (!text.trim() || isUpdate(text)) {
      this.complain();
      this.queryGraph.set([]);
      return;
    }
    try {
      const { explanation, problem } = await graph(text, { semantics: this.settings().semantics }, this.sketching.signal);
      if (turn !== this.turn) return;
      this.complain(problem);
      if (problem) return;
      declare(this.editor.prefixes);
      this.sketched = text;
      this.queryGraph.set(explanation.graphs ?? []);
      this.results.know(text, this.queryGraph.graphs);
    } catch (error) {
      if (turn === this.turn && error instanceof Refusal) this.complain(error.problem);
    }
  }

  complain(problem) {
    $("query-graph").classList.toggle("stale", Boolean(problem));
    complain($("complaint"), this.editor, problem);
  }

  // The page.

  openSidebar() {
    document.body.classList.add("dataset-open");
    $("scrim").hidden = false;
    $("dataset").querySelector("button")?.focus();
  }

  closeSidebar() {
    document.body.classList.remove("dataset-open");
    $("scrim").hidden = true;
  }

  allowGPU(device) {
    const gpu = $("device").querySelector('[data-value="gpu"]');
    gpu.disabled = !device.available;
    gpu.title = device.available ? device.name : `No usable GPU: ${device.reason ?? ""}`;
  }

  listen() {
    $("run").addEventListener("click", () => (document.body.classList.contains("running") ? this.cancel() : this.start()));
    $("watch").addEventListener("click", () => this.watch());
    $("device").addEventListener("click", (event) => event.target.dataset.value && this.press(event.target.dataset.value));
    $("device").addEventListener("keydown", (event) => this.stepDevice(event));
    $("semantics").addEventListener("change", () => this.sketch());
    $("share").addEventListener("click", () => {
      const url = new URL(this.link(), location.href);
      copy(url.href, "Link copied");
    });
    $("keep").addEventListener("click", () => this.keep());
    $("edit").addEventListener("click", (event) => menu(below(event.currentTarget), this.editor.commands()));
    $("flip").addEventListener("click", () => this.flip());
    $("open-dataset").addEventListener("click", () => this.openSidebar());
    $("scrim").addEventListener("click", () => this.closeSidebar());
    $("splitter").addEventListener("pointerdown", (event) => this.drag(event));
    $("splitter").addEventListener("keydown", (event) => this.nudge(event));
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.editor.refresh());
    addEventListener("pagehide", () => this.drafts.list.filter(watching).forEach((d) => d.run.cancel())); // a page that the browser keeps would keep them
  }

  key(event) {
    if (event.key === "Escape") {
      if (!watching(this.drafts.active)) this.cancel();
      this.closeSidebar();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && !event.target.closest?.(".CodeMirror, dialog")) {
      event.preventDefault();
      this.start();
    }
  }

  stepDevice(event) {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...$("device").children].filter((b) => !b.disabled);
    const next = buttons[(buttons.findIndex((b) => b.dataset.value === this.pressed) + step + buttons.length) % buttons.length];
    this.press(next.dataset.value);
    next.focus();
  }

  flip() {
    const on = document.body.classList.toggle("flipped");
    $("flip").setAttribute("aria-pressed", String(on));
    this.queryGraph.fit();
    this.editor.refresh();
  }

  split(percent) {
    const share = Math.min(80, Math.max(18, percent));
    $("work").style.setProperty("--split", `${share.toFixed(1)}%`);
    $("splitter").setAttribute("aria-valuenow", Math.round(share));
    this.editor.refresh();
  }

  drag(event) {
    event.preventDefault();
    const work = $("work").getBoundingClientRect();
    const move = (e) => this.split((100 * (e.clientY - work.top)) / work.height);
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  nudge(event) {
    const step = { ArrowUp: -4, ArrowDown: 4 }[event.key];
    if (step) this.split(Number($("splitter").getAttribute("aria-valuenow")) + step);
  }
}

/** watching says that a draft's query stands. */
const watching = (draft) => draft.run?.kind === "watch" && draft.run.running;

/** nameOf is the first comment of a query, as a name for its tab. */
const nameOf = (text) => /^\s*#\s*(.{1,60})/.exec(text)?.[1].replace(/[.,:].*$/, "").trim() || undefined;
