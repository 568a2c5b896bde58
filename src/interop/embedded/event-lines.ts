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
  const lines = new EventLines()
  let unfinishedLine = ""
  try {
    for (let read = await inTime(reader.read()); !read.done; read = await inTime(reader.read())) {
      const received = (unfinishedLine + decoder.decode(read.value, { stream: true })).split("\n")
      unfinishedLine = received.pop() ?? ""
      for (const line of received) yield* lines.add(line)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** The lines of the event that is being received. */
class EventLines {
  #id: number | null = null
  #event = "message"
  #data: Array<string> = []

  /** Returns the event that an empty line ends; an event without data is dropped. */
  add(line: string): ReadonlyArray<StreamEvent> {
    if (line === "") return this.#end()
    if (line.startsWith("data: ")) this.#data.push(line.slice(6))
    else if (line.startsWith("id: ")) this.#id = Number(line.slice(4))
    else if (line.startsWith("event: ")) this.#event = line.slice(7)
    return []
  }

  #end(): ReadonlyArray<StreamEvent> {
    const ended = this.#data.length === 0 ? [] : [{ id: this.#id, event: this.#event, data: this.#data.join("\n") }]
    this.#id = null
    this.#event = "message"
    this.#data = []
    return ended
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
