// The workbench: what belongs to no single part.

import "./style.css";
import { $, h, count, later, toast, copy, short } from "./dom.js";
import { json, query, explain, graph, answerTypes, read, Refusal } from "./api.js";
import { learn, declare, label, cut } from "./names.js";
import { Editor, offer } from "./editor.js";
import { Dataset, drawOverview, starters, titled } from "./dataset.js";
import { Results } from "./results.js";
import { GraphView } from "./graph.js";

/** sendRows is how many rows the table gets; all are counted. */
const sendRows = 2000;

const state = { info: undefined, schema: { classes: [], predicates: [], links: [] }, examples: [], graphs: [], abort: undefined };

// Settings: in the address, so that a link carries them.

function settings(device = pressed()) {
  return { semantics: $("semantics").value === "homomorphism" ? undefined : $("semantics").value, device: device === "auto" ? undefined : device };
}

const pressed = () => $("device").querySelector('[aria-checked="true"]').dataset.value;

function press(value) {
  for (const button of $("device").children) {
    button.setAttribute("aria-checked", String(button.dataset.value === value));
    button.tabIndex = button.dataset.value === value ? 0 : -1;
  }
}

function link() {
  const parts = new URLSearchParams({ query: editor.text });
  for (const [name, value] of Object.entries(settings())) if (value) parts.set(name, value);
  if (results.tab !== "table" && results.tab !== "overview") parts.set("tab", results.tab);
  return `#${parts}`;
}

function follow(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  if (parts.get("semantics")) $("semantics").value = parts.get("semantics");
  press(["cpu", "gpu"].includes(parts.get("device")) ? parts.get("device") : "auto");
  if (parts.get("tab")) results.tab = parts.get("tab");
  return parts.get("query");
}

// Running.

async function run() {
  if (state.abort) return;
  const text = editor.text;
  const abort = (state.abort = new AbortController());
  document.body.classList.add("running");
  $("run").querySelector(".word").textContent = "Cancel";
  $("run").querySelector("kbd").textContent = "Esc";
  history.replaceState(null, "", link());
  localStorage.setItem("rdfgpu-query", text);
  declare(editor.prefixes);
  const clean = Object.fromEntries(Object.entries(settings()).filter(([, v]) => v));
  results.start({ text, settings: clean });
  try {
    const response = await query(text, { ...clean, send: sendRows }, answerTypes, abort.signal);
    results.done(await read(response, (answer, done) => !done && results.grow(answer)));
  } catch (error) {
    results.fail(problemOf(error));
  } finally {
    state.abort = undefined;
    document.body.classList.remove("running");
    $("run").querySelector(".word").textContent = "Run";
    $("run").querySelector("kbd").textContent = "Ctrl ↵";
  }
}

function problemOf(error) {
  if (error.name === "AbortError") return { title: "Cancelled", detail: "The query was stopped before it had finished." };
  if (error instanceof Refusal) return error.problem;
  if (error instanceof TypeError) return { title: "No answer", detail: "The connection to the server broke. If rows had begun to arrive, the query failed on the way: try it with a LIMIT, or look at its plan." };
  return { title: "Error", detail: error.message };
}

const cancel = () => state.abort?.abort();

function open(text) {
  editor.text = text;
  closeDataset();
  editor.focus();
}

function runText(text) {
  open(text);
  cancel();
  setTimeout(run);
}

// The query graph, as it is typed.

let sketching;
let typed = 0;

async function sketch() {
  sketching?.abort();
  sketching = new AbortController();
  const turn = ++typed;
  const text = editor.text;
  if (!text.trim()) {
    complain();
    return drawQueryGraph([]);
  }
  try {
    const { explanation, problem } = await graph(text, { semantics: settings().semantics }, sketching.signal);
    if (turn !== typed) return;
    if (problem) return complain(problem);
    declare(editor.prefixes);
    complain();
    drawQueryGraph(explanation.graphs ?? []);
    results.know(text);
  } catch (error) {
    if (turn === typed && error instanceof Refusal) complain(error.problem);
  }
}

function complain(problem) {
  const line = $("complaint");
  line.hidden = !problem;
  editor.point(problem?.line, problem?.column);
  $("query-graph").classList.toggle("stale", Boolean(problem));
  if (!problem) return;
  const expected = problem.expected?.length ? `; expected ${problem.expected.slice(0, 6).join(", ")}${problem.expected.length > 6 ? ", …" : ""}` : "";
  line.replaceChildren(problem.line ? h("b", {}, `${problem.line}:${problem.column}`) : "", ` ${problem.detail ?? problem.title}${expected}`, problem.hint ? h("i", {}, ` ${problem.hint}`) : "");
}

let queryGraph;

function drawQueryGraph(graphs) {
  state.graphs = graphs;
  const [nodes, edges] = [[], []];
  const named = new Map();
  graphs.forEach((graph, g) => {
    const order = new Map(graph.order?.map((vertex, i) => [vertex, i + 1]));
    const keys = graph.vertices.map((vertex, i) => {
      const k = vertex.variable ? `${vertex.label}${graphs.length > 1 ? `@${g}` : ""}` : `${vertex.label}@${g}.${i}`;
      const isEdgeOnly = vertex.variable && !graph.edges.some((e) => e.from === i || e.to === i) && graph.edges.some((e) => e.variable && e.label === vertex.label);
      if (!isEdgeOnly && !named.has(k)) {
        named.set(k, true);
        nodes.push({ key: k, label: cut(vertex.variable ? vertex.label.replace(/^\?_:.*/, "·") : label(vertex.label), 30), kind: vertex.variable ? "variable" : "constant",
          sub: vertex.classes?.length ? cut(vertex.classes.map(label).join(", "), 34) : undefined, badge: order.has(i) ? String(order.get(i)) : undefined,
          title: [vertex.label, ...(vertex.classes ?? [])].join("\n") });
      }
      return k;
    });
    for (const e of graph.edges) edges.push({ from: keys[e.from], to: keys[e.to], label: cut(label(e.label), 30), kind: e.variable ? "variable" : "", title: e.label });
  });
  const box = $("query-graph");
  box.classList.toggle("blank", !nodes.length);
  box.dataset.hint = graphs.some((g) => g.empty) ? graphs.find((g) => g.empty).empty : "";
  queryGraph ??= new GraphView(box, { calm: true, title: "The query as a graph", largest: 1.15 });
  queryGraph.set(nodes, edges);
}

// The parts.

const editor = new Editor($("editor"), { text: "", run: () => run(), change: later(sketch, 280) });

const actions = {
  run: runText,
  open,
  insert: (iri) => {
    closeDataset();
    editor.insert(iri);
  },
  overview: (box) => (state.info ? drawOverview(box, state.info, state.schema, state.examples, actions) : box.replaceChildren()),
  explain: (analyze, device) => explain(editor.text, settings(device ?? pressed()), analyze),
  device: () => state.info?.device,
  queryGraphs: () => state.graphs,
  chose: () => history.replaceState(null, "", link()),
};

const dataset = new Dataset($("dataset"), actions);
const results = new Results($("results"), actions);
results.tab = "overview";

// The page.

function openDataset() {
  document.body.classList.add("dataset-open");
  $("scrim").hidden = false;
}

function closeDataset() {
  document.body.classList.remove("dataset-open");
  $("scrim").hidden = true;
}

function paint(theme) {
  document.documentElement.dataset.theme = theme;
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function drag(event) {
  event.preventDefault();
  const work = $("work").getBoundingClientRect();
  const move = (e) => {
    const share = Math.min(0.8, Math.max(0.18, (e.clientY - work.top) / work.height));
    $("work").style.setProperty("--split", `${(share * 100).toFixed(1)}%`);
    editor.refresh();
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
}

function nudge(event) {
  const step = { ArrowUp: -4, ArrowDown: 4 }[event.key];
  if (!step) return;
  const now = parseFloat(getComputedStyle($("work")).getPropertyValue("--split")) || 46;
  $("work").style.setProperty("--split", `${Math.min(80, Math.max(18, now + step))}%`);
  editor.refresh();
}

function listen() {
  $("run").addEventListener("click", () => (state.abort ? cancel() : run()));
  $("device").addEventListener("click", (event) => {
    if (event.target.dataset.value) press(event.target.dataset.value);
  });
  $("device").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const buttons = [...$("device").children];
    const next = buttons[(buttons.findIndex((b) => b.dataset.value === pressed()) + step + buttons.length) % buttons.length];
    press(next.dataset.value);
    next.focus();
  });
  $("semantics").addEventListener("change", sketch);
  $("share").addEventListener("click", () => {
    history.replaceState(null, "", link());
    copy(location.href, "Link copied");
  });
  $("theme").addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    localStorage.setItem("rdfgpu-theme", next);
    paint(next);
  });
  $("format").addEventListener("click", () => editor.tidy());
  $("flip").addEventListener("click", () => {
    const on = document.body.classList.toggle("flipped");
    $("flip").setAttribute("aria-pressed", String(on));
    $("flip").textContent = on ? "Text" : "Graph";
    queryGraph?.fit();
    editor.refresh();
  });
  $("open-dataset").addEventListener("click", openDataset);
  $("scrim").addEventListener("click", closeDataset);
  $("splitter").addEventListener("pointerdown", drag);
  $("splitter").addEventListener("keydown", nudge);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      cancel();
      closeDataset();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && !event.target.closest?.(".CodeMirror")) {
      event.preventDefault();
      run();
    }
  });
  addEventListener("hashchange", () => {
    const text = follow(location.hash);
    if (text !== null && text !== editor.text) runText(text);
  });
  addEventListener("click", (event) => {
    for (const open of document.querySelectorAll("details.drop[open]")) if (!open.contains(event.target)) open.removeAttribute("open");
  });
}

function describe(info) {
  $("facts").replaceChildren(h("b", {}, short(info.store.triples)), " triples", h("span", {}, " · ", h("b", {}, count(info.store.predicates)), " predicates"));
  const pill = $("device-pill");
  pill.hidden = false;
  pill.textContent = info.device.available ? info.device.name || "GPU" : "CPU only";
  pill.title = info.device.available ? "" : (info.device.reason ?? "");
  pill.classList.toggle("on", info.device.available);
  const gpu = $("device").querySelector('[data-value="gpu"]');
  gpu.disabled = !info.device.available;
  gpu.title = info.device.available ? info.device.name : `No usable GPU: ${info.device.reason ?? ""}`;
}

async function begin() {
  const theme = localStorage.getItem("rdfgpu-theme");
  if (theme) paint(theme);
  listen();
  const shared = follow(location.hash);
  const kept = shared ?? localStorage.getItem("rdfgpu-query");
  if (kept) editor.text = kept;
  results.show();
  const wait = (promise) => promise.catch((error) => toast(error.message));
  const [info, schema, examples] = await Promise.all([wait(json("api/info")), wait(json("api/schema")), wait(json("api/examples"))]);
  Object.assign(state, { info, examples: (examples?.examples ?? []).map(titled) });
  if (schema) state.schema = { classes: schema.classes ?? [], predicates: schema.predicates ?? [], links: schema.links ?? [] };
  learn([...state.schema.classes.map((c) => c.iri), ...state.schema.predicates.map((p) => p.iri)]);
  offer(state.schema);
  if (info) describe(info);
  dataset.set(state.schema, state.examples);
  if (!kept) editor.text = (state.examples[0] ?? starters(state.schema)[1] ?? starters(state.schema)[0]).text;
  if (shared !== null) run();
  else results.show();
  sketch();
  document.documentElement.dataset.ready = "";
}

begin();
