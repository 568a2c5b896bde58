// Receives the bytes of a `text/event-stream`; returns its events.
// Invariant: the events do not depend on how the bytes are split; a connection that stays silent is given up.

export interface StreamEvent {
  readonly id: number | null
  readonly event: string
  readonly data: string
}

/** Milliseconds of silence after which a connection counts as dead; the server sends a comment every 15 s. */
export const SILENCE_MS = 45_000

export const silence = (): Error => new Error(`The server sent nothing for ${SILENCE_MS / 1000} seconds.`)

/** Throws when a read receives nothing for `SILENCE_MS`; the time that the consumer takes between reads does not count. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ""
  let fields: { id: number | null; event: string; data: Array<string> } = { id: null, event: "message", data: [] }
  try {
    for (let read = await inTime(reader.read()); !read.done; read = await inTime(reader.read())) {
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

const inTime = async <A>(read: Promise<A>): Promise<A> => {
  let late: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(silence()), SILENCE_MS)
  })
  try {
    return await Promise.race([read, over])
  } finally {
    clearTimeout(late)
  }
}
