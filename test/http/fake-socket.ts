// A feed socket for tests in Node, speaking the real feed lines.
import { expect } from "vitest"
import { encodeFeedLine, type FeedLine, MORE } from "../../src/schemas/log/feed-line.ts"

/** One end of a feed socket: frames sent before `accept` wait, as the platform's do. */
export class FakeSocket extends EventTarget {
  readonly #waiting: Array<string> = []
  #accepted = false
  closedByClient = false
  readyState: number = WebSocket.OPEN
  /** How often the reader has asked for more of a replay. */
  asked = 0

  accept(): void {
    this.#accepted = true
    for (const text of this.#waiting.splice(0)) this.#deliver(text)
  }

  close(): void {
    this.closedByClient = true
  }

  /** A text comes from the reader; a line is what the feed sends it. */
  send(line: string | (Partial<FeedLine> & { readonly name: string })): void {
    if (typeof line === "string") {
      expect(line).toBe(MORE)
      this.asked += 1
      return
    }
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
