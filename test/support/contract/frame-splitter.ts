// Receives the chunks of a `text/event-stream`; returns the data of the frames that end in each.

export class FrameSplitter {
  readonly #decoder = new TextDecoder()
  #rest = ""

  take(chunk: Uint8Array): ReadonlyArray<string> {
    this.#rest += this.#decoder.decode(chunk, { stream: true })
    const frames = this.#rest.split(/\r?\n\r?\n/)
    this.#rest = frames.pop() ?? ""
    return frames.flatMap((frame) => {
      const lines = frame.split(/\r?\n/).filter((line) => line.startsWith("data:"))
      return lines.length === 0 ? [] : [lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n")]
    })
  }
}
