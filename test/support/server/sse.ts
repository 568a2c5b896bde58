// Receives the bytes of a `text/event-stream`; returns its frames.
// Invariant: as the standard: a frame ends at an empty line, `data` lines join by line breaks, comments are kept apart.

export interface SseFrame {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

/** A frame, or a comment (a heartbeat). */
export type SseItem =
  | { readonly kind: "frame"; readonly frame: SseFrame }
  | { readonly kind: "comment"; readonly text: string }

/** Reads a body to its end, or until the reader stops asking. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseItem> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ""
  let id: string | undefined
  let event: string | undefined
  let data: Array<string> = []
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      rest += decoder.decode(value, { stream: true })
      const lines = rest.split(/\r\n|\n|\r/)
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (line === "") {
          if (data.length > 0) {
            const frame = {
              data: data.join("\n"),
              ...(id === undefined ? {} : { id }),
              ...(event === undefined ? {} : { event }),
            }
            yield { kind: "frame", frame }
          }
          id = undefined
          event = undefined
          data = []
          continue
        }
        if (line.startsWith(":")) {
          yield { kind: "comment", text: line.slice(1).trim() }
          continue
        }
        const cut = line.indexOf(":")
        const name = cut < 0 ? line : line.slice(0, cut)
        const text = cut < 0 ? "" : line.slice(cut + 1).replace(/^ /, "")
        if (name === "data") data.push(text)
        else if (name === "id") id = text
        else if (name === "event") event = text
      }
    }
  } finally {
    await reader.cancel()
  }
}
