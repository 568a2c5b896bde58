// Decodes a byte stream of server-sent events, as the HTML standard defines them; also returns comments, which are heartbeats.
// Invariant: the events do not depend on how the bytes are split; an event without its closing blank line is not returned.

export interface ServerSentEvent {
  /** The `id:` of this event, when it has one. */
  readonly id: string | undefined
  /** `message` when the stream names none. */
  readonly event: string
  readonly data: string
}

/** An item of a stream: an event, a comment, or the time to wait before reconnecting, in milliseconds. */
export type StreamItem =
  | { readonly kind: "event"; readonly event: ServerSentEvent }
  | { readonly kind: "comment" }
  | { readonly kind: "retry"; readonly ms: number }

export class EventDecoder {
  readonly #text = new TextDecoder()
  #rest = ""
  #data: Array<string> = []
  #event = ""
  #id: string | undefined
  #endedWithReturn = false

  /** Returns the items that these bytes complete. */
  push(bytes: Uint8Array): ReadonlyArray<StreamItem> {
    let text = this.#text.decode(bytes, { stream: true })
    // The "\r" at the end of the previous piece ended a line already; a "\n" after it belongs to the same line end.
    if (this.#endedWithReturn && text.startsWith("\n")) text = text.slice(1)
    if (text !== "") this.#endedWithReturn = text.endsWith("\r")
    // A long line arrives in many pieces; those without a line end are only appended, so that each is scanned once.
    if (!/[\r\n]/.test(text)) {
      this.#rest += text
      return []
    }
    const lines = (this.#rest + text).split(/\r\n|\n|\r/)
    this.#rest = lines.pop() ?? ""
    return lines.flatMap((line) => this.#take(line) ?? [])
  }

  #take(line: string): StreamItem | undefined {
    if (line === "") return this.#dispatch()
    if (line.startsWith(":")) return { kind: "comment" }
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "data") this.#data.push(value)
    else if (field === "event") this.#event = value
    else if (field === "id" && !value.includes("\0")) this.#id = value
    else if (field === "retry" && /^\d+$/.test(value)) return { kind: "retry", ms: Number(value) }
    return undefined
  }

  #dispatch(): StreamItem | undefined {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") }
    const empty = this.#data.length === 0
    this.#data = []
    this.#event = ""
    this.#id = undefined
    return empty ? undefined : { kind: "event", event }
  }
}
