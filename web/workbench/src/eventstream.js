// Server-sent events, read from the body of a response (WHATWG HTML, section 9.2): EventSource shows no token and sends no long query.

/** mostData is how many characters the data of one event may have. */
const mostData = 1 << 28;
const tooLong = "An event is longer than this page reads. Ask for fewer rows.";

/** events yields {name, id, data} of each event that has data; id is the last one given. alive is called with every piece that comes. */
export async function* events(body, alive) {
  let [name, id, data] = ["message", "", undefined];
  for await (const line of lines(body, alive)) {
    if (line === "") {
      if (data !== undefined) yield { name, id, data };
      [name, data] = ["message", undefined];
      continue;
    }
    const [, field, value] = /^([^:]*)(?:: ?([^]*))?$/.exec(line);
    if (field === "event") name = value;
    else if (field === "id") id = value ?? "";
    else if (field === "data") data = data === undefined ? (value ?? "") : `${data}\n${value ?? ""}`;
    if (data?.length > mostData) throw new Error(tooLong);
  }
}

/** lines cuts a body at the ends of lines; what follows the last end is none. */
async function* lines(body, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = ""; // a line whose end has not come
  let skip = false; // a line feed that comes next belongs to the end before
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    let from = 0;
    for (const end of value.matchAll(/\r\n|\r|\n/g)) {
      if (!(skip && end.index === 0 && end[0] === "\n")) yield begun + value.slice(from, end.index);
      [begun, from] = ["", end.index + end[0].length];
    }
    begun += value.slice(from);
    skip = value.endsWith("\r");
    if (begun.length > mostData) throw new Error(tooLong);
  }
}
