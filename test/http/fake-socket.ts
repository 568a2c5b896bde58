// A feed socket for tests in Node, speaking the real feed lines.
import { encodeFeedLine, type FeedLine } from "../../src/schemas/log/feed-line.ts"

/** One end of a feed socket: frames sent before `accept` wait, as the platform's do. */
export class FakeSocket extends EventTarget {
  readonly #waiting: Array<string> = []
  #accepted = false
  closedByClient = false

  accept(): void {
    this.#accepted = true
    for (const text of this.#waiting.splice(0)) this.#deliver(text)
  }

  close(): void {
    this.closedByClient = true
  }

  send(line: Partial<FeedLine> & { readonly name: string }): void {
    const text = encodeFeedLine({ seq: null, at: 0, turn: null, json: "{}", ...line })
    if (this.#accepted) this.#deliver(text)
    else this.#waiting.push(text)
  }

  /** Disconnects the other side. */
  drop(): void {
    this.dispatchEvent(new Event("close"))
  }

  #deliver(text: string): void {
    this.dispatchEvent(new MessageEvent("message", { data: text }))
  }
}
