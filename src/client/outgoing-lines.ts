// The lines that the SDK wrote, numbered from 1, until the server acknowledges them.
// Invariant: a line is kept until it is taken, so that a new connection can send it again under the same number.
import { PROMPT_BODY } from "../schemas/api/prompt-size.ts"
import { cutJson } from "../schemas/bounded-json.ts"
import { numbered } from "./numbered-frames.ts"

/** A message of a socket holds at most 32 MiB; a longer one breaks the connection each time it is sent. */
const LONGEST_MESSAGE = 31 * 1024 * 1024

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

  /** The server has these and all before. */
  taken(upTo: number): void {
    const first = this.#lines.findIndex(({ number }) => number > upTo)
    const gone = this.#lines.splice(0, first < 0 ? this.#lines.length : first)
    for (const { frame } of gone) this.#size -= frame.length
  }

  /** Those that are not taken, in order. */
  get waiting(): ReadonlyArray<OutgoingLine> {
    return this.#lines
  }

  /** Characters that wait. */
  get size(): number {
    return this.#size
  }
}

/**
 * A line that no message can hold, without its content: it is as long as one that the server refuses by its length, so that
 * the SDK gets that answer and goes on.
 */
const sendable = (line: string): string => {
  if (line.length < LONGEST_MESSAGE / 4 || Buffer.byteLength(line) <= LONGEST_MESSAGE) return line
  const outer = [2, 1].map((levels) => cutJson(line, levels)).find((cut) => cut.length < PROMPT_BODY) ?? "{}"
  return outer.padEnd(PROMPT_BODY + 1)
}
