// Prints the solutions of a query that come (+) and go (-), over broken connections too (docs/WATCH.md):
//
//     node watch.mjs http://127.0.0.1:7878/subscribe 'SELECT ?a ?b { ?a <http://e/follows> ?b }'
const [address, query] = process.argv.slice(2);
const headers = { "Content-Type": "application/sparql-query", "Last-Event-ID": "" };
const stop = (reason) => process.exit(console.error(reason) ?? 1);

async function listen() {
  const response = await fetch(address, { method: "POST", body: query, headers });
  if (Math.floor(response.status / 100) === 4) stop(await response.text());
  let [rest, event] = ["", {}];
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = piece.split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop(); // a line that is not whole yet
    for (const line of lines) {
      const [field, ...value] = line.split(": ");
      event[field] = value.join(": ");
      if (line !== "" || !event.data) continue;
      const told = JSON.parse(event.data);
      if (event.event === "end" && told.status !== 503) stop(event.data);
      for (const [sign, part] of [["-", told.removed], ["+", told.added]]) for (const row of part?.results.bindings ?? []) console.log(sign, JSON.stringify(row));
      if (event.id) headers["Last-Event-ID"] = event.id;
      event = {};
    }
  }
}

for (;; await new Promise((resolve) => setTimeout(resolve, 1000))) await listen().catch((error) => error instanceof TypeError || stop(error));
