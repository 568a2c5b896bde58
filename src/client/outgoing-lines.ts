// The lines that the SDK wrote, numbered from 1, until the server acknowledges them.
// Invariant: a line is kept until it is acknowledged, so that a new connection can send it again under the same number.
import { PROMPT_BODY } from "../schemas/api/prompt-size.ts"
import { withoutDeepLevels } from "../schemas/bounded-json.ts"
import { numbered } from "./numbered-frames.ts"

/** In bytes. A WebSocket message may have at most 32 MiB; a longer one breaks the connection each time it is sent. */
const MAX_MESSAGE = 31 * 1024 * 1024

export interface OutgoingLine {
  readonly number: number
  /** As it is sent: the number, the line, a newline. */
  readonly frame: string
}

export class OutgoingLines {
  #lines: Array<OutgoingLine> = []
  #last = 0
  #size = 0

  add(line: string): OutgoingLine {
    this.#last += 1
    const added = { number: this.#last, frame: numbered(this.#last, sendable(line)) }
    this.#lines.push(added)
    this.#size += added.frame.length
    return added
  }

  /** Discards the lines up to the number that the server has acknowledged. */
  acknowledge(upTo: number): void {
    const first = this.#lines.findIndex(({ number }) => number > upTo)
    const gone = this.#lines.splice(0, first < 0 ? this.#lines.length : first)
    for (const { frame } of gone) this.#size -= frame.length
  }

  /** The lines that are not acknowledged, in order. */
  get waiting(): ReadonlyArray<OutgoingLine> {
    return this.#lines
  }

  /** The number of characters that are not acknowledged. */
  get size(): number {
    return this.#size
  }
}

/**
 * Replaces a line that is too long for a message by its outer fields, padded to one character more than the server accepts, so
 * that the SDK receives the server's refusal and continues.
 */
const sendable = (line: string): string => {
  if (line.length < MAX_MESSAGE / 4 || Buffer.byteLength(line) <= MAX_MESSAGE) return line
  const outer = [2, 1].map((levels) => withoutDeepLevels(line, levels)).find((cut) => cut.length < PROMPT_BODY) ?? "{}"
  return outer.padEnd(PROMPT_BODY + 1)
}
