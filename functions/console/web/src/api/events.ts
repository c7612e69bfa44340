/** An event of a stream: its name and what it has as JSON. */
export interface ServerEvent {
  name: string;
  data: unknown;
}

/** Reads server-sent events from the body of a response. (An `EventSource` can only read.) */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = events.pop() ?? "";
    for (const event of events) {
      const lines = event.split(/\r?\n/);
      const textOf = (field: string) =>
        lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).trimStart()).join("\n");
      // A comment keeps the connection open.
      const data = textOf("data");
      if (data !== "") yield { name: textOf("event") || "message", data: JSON.parse(data) };
    }
  }
}
