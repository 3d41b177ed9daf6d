// The plan: operators with estimates beside what was measured, and the CPU beside the GPU.

import { h, count, short, time } from "./dom.js";
import { label, cut } from "./names.js";
import { problemOf } from "./api.js";

const ms = (nanoseconds) => (nanoseconds ?? 0) / 1e6;

/** shorten the IRIs inside a line of a plan. */
const plain = (text) => text.replace(/<[^<>\s]+>/g, label);

/** drawPlan shows one explanation. */
export function drawPlan(explanation) {
  const total = Math.max(explanation.plan ? elapsedOf(explanation.plan) : 0, 1e-9);
  return h("div", { class: "plan" },
    h("p", { class: "plan-head" },
      h("b", {}, deviceName(explanation)), " · ", explanation.semantics ?? "",
      explanation.analyzed && [" · ", h("b", {}, count(explanation.rows ?? 0)), explanation.rows === 1 ? " row" : " rows"],
      explanation.milliseconds?.total !== undefined && [" in ", h("b", {}, time(explanation.milliseconds.total))]),
    explanation.milliseconds && phases(explanation.milliseconds),
    explanation.plan && operator(explanation.plan, total, explanation.analyzed));
}

const deviceName = (e) => (e.device === "cpu" ? "CPU" : e.device || "CPU");

const elapsedOf = (node) => Math.max(ms(node.elapsed), ms(node.trace?.Elapsed), ...(node.children ?? []).map(elapsedOf));

/** phases is a bar of what took the time. */
function phases(parts) {
  const names = ["parse", "plan", "match", "upload", "kernels", "copy back", "decode", "write"];
  const shown = names.filter((n) => parts[n] > 0);
  const sum = shown.reduce((total, n) => total + parts[n], 0) || 1;
  return h("div", { class: "phases" },
    h("div", { class: "phase-bar", "aria-hidden": "true" }, shown.map((n) => h("i", { class: `phase p${names.indexOf(n)}`, style: `flex-grow:${parts[n] / sum}`, title: `${n} ${time(parts[n])}` }))),
    h("ul", {}, shown.map((n) => h("li", {}, h("i", { class: `phase p${names.indexOf(n)}` }), n, h("b", {}, time(parts[n]))))));
}

function operator(node, total, measured) {
  const estimated = node.estimatedRows >= 0 ? `≈ ${short(node.estimatedRows)}` : "";
  return h("div", { class: "operator" },
    h("div", { class: "op-line" },
      h("span", { class: "op-name" }, node.operator),
      node.detail && h("span", { class: "op-detail", title: node.detail }, cut(plain(node.detail), 220)),
      h("span", { class: "op-numbers" },
        estimated && h("span", { class: "estimate", title: "Estimated rows" }, estimated),
        measured && h("span", { class: off(node.estimatedRows, node.rows) ? "rows off" : "rows", title: "Measured rows" }, `${short(node.rows ?? 0)} rows`),
        measured && node.elapsed > 0 && h("span", { class: "elapsed" }, time(ms(node.elapsed)), bar(ms(node.elapsed) / total)))),
    node.steps?.length > 0 && steps(node, measured),
    (node.children ?? []).map((child) => operator(child, total, measured)));
}

/** off: the estimate is wrong by more than ten times. */
const off = (estimate, rows) => estimate >= 0 && rows > 0 && (rows > 10 * Math.max(estimate, 1) || estimate > 10 * rows);

const bar = (share) => h("i", { class: "share", "aria-hidden": "true" }, h("i", { style: `width:${Math.min(100, share * 100).toFixed(1)}%` }));

/** parts takes a step's text apart: what limits its candidates, and the estimates. */
function parts(text) {
  const found = /^(.*?), estimated (\d+) rows from (\d+) candidates$/s.exec(text);
  return found ? { what: found[1], rows: Number(found[2]), candidates: Number(found[3]) } : { what: text };
}

/** steps is the vertex join: one line for each vertex it binds. */
function steps(node, measured) {
  const traced = measured && node.trace?.Steps?.length ? node.trace.Steps : undefined;
  const longest = Math.max(0, ...(traced ?? []).map((t) => t.Elapsed ?? 0));
  const head = (...names) => names.map((n) => h("th", {}, n));
  const cell = (n) => h("td", { class: "n" }, n === undefined ? "" : short(n));
  return h("div", { class: "steps-box", tabindex: 0, role: "region", "aria-label": "Steps of the join" }, h("table", { class: "steps" },
    h("thead", {}, h("tr", {}, h("th", {}, h("span", { class: "unseen" }, "Place")), head("Step"), traced ? head("Candidates", "estimated", "Rows", "estimated") : head("Candidates", "Rows"), longest > 0 && head("Time"))),
    h("tbody", {}, node.steps.map((text, i) => {
      const t = traced?.[i];
      const p = parts(text);
      return h("tr", {},
        h("td", { class: "n" }, i + 1),
        h("td", { class: "step" }, plain(p.what), t?.Variant && h("span", { class: "variant" }, t.Variant)),
        traced ? [cell(t?.Candidates), h("td", { class: "n guess" }, p.candidates === undefined ? "" : short(p.candidates)), cell(t?.RowsOut || undefined), h("td", { class: "n guess" }, p.rows === undefined ? "" : short(p.rows))] : [cell(p.candidates), cell(p.rows)],
        longest > 0 && h("td", { class: "n time" }, t?.Elapsed > 0 ? [time(ms(t.Elapsed)), bar(t.Elapsed / longest)] : ""));
    }))));
}

/** drawComparison shows two explanations, CPU and GPU, beside each other. */
export function drawComparison(cpu, gpu) {
  const [a, b] = [cpu?.milliseconds?.total, gpu?.milliseconds?.total];
  const even = a && b && Math.max(a, b) / Math.min(a, b) < 1.1;
  const ratio = even ? "About the same" : a && b ? (a > b ? `GPU ${(a / b).toPrecision(2)} times as fast` : `CPU ${(b / a).toPrecision(2)} times as fast`) : "";
  const scale = Math.max(a ?? 0, b ?? 0, 1e-9);
  const lane = (name, value) => h("div", { class: "lane" }, h("span", {}, name), h("i", {}, h("i", { style: `width:${((value ?? 0) / scale) * 100}%` })), h("b", {}, value === undefined ? "–" : time(value)));
  return h("div", { class: "comparison" },
    h("div", { class: "race" }, lane("CPU", a), lane("GPU", b), ratio && h("p", {}, ratio)),
    h("div", { class: "sides" }, h("div", {}, cpu && drawPlan(cpu)), h("div", {}, gpu && drawPlan(gpu))));
}

/** draw shows the plan of the query in the editor, estimated or measured. */
export function draw(box, run, actions, draft) {
  const inner = h("div", { class: "plan-box" });
  const fetchInto = async (get, shown) => {
    inner.replaceChildren(h("div", { class: "waiting" }, Array.from({ length: 5 }, (_, i) => h("div", { class: "ghost", style: `width:${80 - 12 * (i % 3)}%` }))));
    try {
      inner.replaceChildren(shown(await get()));
    } catch (error) {
      const problem = problemOf(error);
      inner.replaceChildren(h("p", { class: "problem" }, problem.line ? `Line ${problem.line}: ` : "", problem.detail || problem.title));
    }
  };
  const analyze = () => fetchInto(() => actions.explain(true), (plan) => kept(draft, drawPlan(plan)));
  const compare = () => {
    const device = actions.device();
    if (device?.available) return fetchInto(() => both(actions), ([cpu, gpu]) => kept(draft, drawComparison(cpu, gpu)));
    inner.replaceChildren(h("p", { class: "empty" }, `This server has no usable GPU${device?.reason ? `: ${device.reason}` : ""}. The plan is the same on both; only the matching differs.`));
  };
  box.replaceChildren(h("div", { class: "plan-bar" }, h("button", { class: "quiet", onclick: analyze }, "Run and measure"), h("button", { class: "quiet", onclick: compare }, "CPU beside GPU")), inner);
  if (draft.plan?.text === actions.text()) inner.replaceChildren(draft.plan.shown);
  else fetchInto(() => actions.explain(false), drawPlan);

  function kept(draft, shown) {
    draft.plan = { text: actions.text(), shown };
    return shown;
  }
}

/** both measures on the CPU and on the GPU; the GPU's first run, which copies partitions to the device, is not looked at. */
async function both(actions) {
  const cpu = await actions.explain(true, "cpu");
  await actions.explain(true, "gpu");
  return [cpu, await actions.explain(true, "gpu")];
}
