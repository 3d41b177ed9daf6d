// The workbench: what belongs to no single part.

import { $, h, count, toast, short } from "./dom.js";
import { json } from "./api.js";
import { learn } from "./names.js";
import { offer } from "./completion.js";
import { starters, titled } from "./dataset.js";
import { Desk } from "./desk.js";
import { Pages } from "./pages.js";
import { openSettings } from "./settings.js";

const store = { info: undefined, schema: { classes: [], predicates: [], links: [] }, examples: [] };

const desk = new Desk(store, async () => {
  await ask();
  desk.sidebar.set(store);
});
const pages = new Pages(store, desk.actions);

function paint(theme) {
  document.documentElement.dataset.theme = theme;
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function listen() {
  $("theme").addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    localStorage.setItem("rdfgpu-theme", next);
    paint(next);
  });
  $("settings").addEventListener("click", openSettings);
  addEventListener("hashchange", () => follow());
  addEventListener("click", (event) => {
    for (const open of document.querySelectorAll("details.drop[open]")) if (!open.contains(event.target)) open.removeAttribute("open");
  });
}

/** follow goes where the address points. */
function follow() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (parts.has("query")) desk.follow(parts);
  pages.go(parts);
}

function describe(info) {
  $("facts").replaceChildren(h("b", {}, short(info.store.triples)), " triples", h("span", {}, " · ", h("b", {}, count(info.store.predicates)), " predicates"));
  const pill = $("device-pill");
  pill.hidden = false;
  pill.textContent = info.device.available ? info.device.name || "GPU" : "CPU only";
  pill.title = info.device.available ? "" : (info.device.reason ?? "");
  pill.classList.toggle("on", info.device.available);
  desk.allowGPU(info.device);
}

/** ask asks the server what its store holds. */
async function ask() {
  const wait = (promise) => promise.catch((error) => toast(error.message));
  const [info, schema, examples] = await Promise.all([wait(json("api/info")), wait(json("api/schema")), wait(json("api/examples"))]);
  Object.assign(store, { info, examples: (examples?.examples ?? []).map(titled) });
  if (schema) store.schema = { classes: schema.classes ?? [], predicates: schema.predicates ?? [], links: schema.links ?? [] };
  if (!store.examples.length) store.examples = starters(store.schema);
  learn([...store.schema.classes.map((c) => c.iri), ...store.schema.predicates.map((p) => p.iri)]);
  offer(store.schema);
  if (info) describe(info);
}

async function begin() {
  const theme = localStorage.getItem("rdfgpu-theme");
  if (theme) paint(theme);
  listen();
  desk.begin();
  follow();
  await ask();
  desk.know();
  pages.know();
  document.documentElement.dataset.ready = "";
}

begin();
