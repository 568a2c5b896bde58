// Receives the bytes of a `text/event-stream`; returns its events.
// Invariant: however the bytes are cut, the same events come out.

export interface StreamEvent {
  readonly id: number | null
  readonly event: string
  readonly data: string
}

export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ""
  let fields: { id: number | null; event: string; data: Array<string> } = { id: null, event: "message", data: [] }
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + decoder.decode(read.value, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (line === "") {
          const { id, event, data } = fields
          fields = { id: null, event: "message", data: [] }
          if (data.length > 0) yield { id, event, data: data.join("\n") }
        } else if (line.startsWith("data: ")) fields.data.push(line.slice(6))
        else if (line.startsWith("id: ")) fields.id = Number(line.slice(4))
        else if (line.startsWith("event: ")) fields.event = line.slice(7)
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
