// Receives the bytes of a `text/event-stream`; returns its events.
// Invariant: however the bytes are cut, the same events come out; a connection that gives no sign of life is given up.

export interface StreamEvent {
  readonly id: number | null
  readonly event: string
  readonly data: string
}

/** Without any sign of life for so long a connection is dead; the server gives one every 15 s. */
export const SILENCE_MS = 45_000

export const silence = (): Error => new Error(`The server sent nothing for ${SILENCE_MS / 1000} seconds.`)

/** Throws when nothing comes for `SILENCE_MS` while it is read; what its reader does meanwhile takes as long as it likes. */
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
