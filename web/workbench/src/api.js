// The server's addresses, relative to the page, so that it works behind a proxy under any path.

import { ask } from "./dialog.js";

/** Refusal is an error that the server explained: an RFC 9457 problem. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.problem = problem;
  }
}

const tokenKey = "rdfgpu-token";

export const token = () => sessionStorage.getItem(tokenKey);

/** askToken asks for the server's token, once however many requests wait for it. */
let asking;
function askToken() {
  asking ??= ask("This server wants a token", "Token", "", "password").then((given) => {
    sessionStorage.setItem(tokenKey, given ?? "");
    asking = undefined;
    return given !== undefined;
  });
  return asking;
}

/** call fetches, shows the token, and turns error statuses into a Refusal. */
export async function call(path, options = {}) {
  const headers = { Accept: "application/json", ...options.headers };
  if (token()) headers.Authorization = `Bearer ${token()}`;
  const response = await fetch(path, { ...options, headers });
  if (response.status === 401 && (await askToken())) return call(path, options);
  if (response.ok) return response;
  let problem = { status: response.status, title: response.statusText };
  try {
    problem = await response.json();
  } catch {
    // not one of ours: a proxy's page
  }
  throw new Refusal(problem);
}

export const json = async (path, options) => (await call(path, options)).json();

/** form is a query with its settings, those that are undefined left out. */
function form(text, settings) {
  const body = new URLSearchParams({ query: text });
  for (const [name, value] of Object.entries(settings)) if (value !== undefined) body.set(name, value);
  return body;
}

/** query sends a query; settings become parameters of the endpoint. */
export function query(text, settings, accept, signal) {
  return call("sparql", { method: "POST", body: form(text, settings), signal, headers: accept ? { Accept: accept } : {} });
}

/** subscribe makes a query stand, after the event last where there was one: anew where the server cannot go on after that. */
export function subscribe(text, { semantics }, last, signal) {
  const headers = { Accept: "text/event-stream, application/problem+json", ...(last && { "Last-Event-ID": last }) };
  return call("subscribe", { method: "POST", body: form(text, { semantics, gone: "snapshot" }), signal, headers });
}

/** mine looks for structures; progress comes as events, and at last the result. */
export function mine(parameters, signal) {
  return call("mine", { method: "POST", body: parameters, signal, headers: { Accept: "text/event-stream, application/problem+json" } });
}

/** explain asks for the plan; with analyze the query is run and measured. */
export async function explain(text, settings, analyze, signal) {
  return (await query(text, { ...settings, explain: analyze ? "analyze" : "plan" }, undefined, signal)).json();
}

/** graph asks for the plan of a query that is being typed: {explanation} or {problem}. */
export async function graph(text, settings, signal) {
  return json("api/graph", { method: "POST", body: form(text, settings), signal });
}

/** answerTypes: JSON for solutions and booleans, N-Triples for graphs. */
export const answerTypes = "application/sparql-results+json, application/n-triples;q=0.9, application/problem+json;q=0.1";

/** select asks a query of the workbench's own and returns its solutions. */
export async function select(text, settings, signal) {
  const answer = await (await query(text, settings, "application/sparql-results+json", signal)).json();
  return answer.results.bindings;
}

/** problemOf is any error as a problem to show. */
export function problemOf(error) {
  if (error.name === "AbortError") return { title: "Cancelled", detail: "The query was stopped before it had finished." };
  if (error instanceof Refusal) return error.problem;
  if (error instanceof TypeError) return { title: "No answer", detail: "The connection to the server broke. If rows had begun to arrive, the query failed on the way: try it with a LIMIT, or look at its plan." };
  return { title: "Error", detail: error.message };
}
