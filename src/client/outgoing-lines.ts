// The lines that the SDK wrote, numbered from 1, until the server acknowledges them.
// Invariant: a line is kept until it is taken, so that a new connection can send it again under the same number.
import { numbered } from "./numbered-frames.ts"

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
    const added = { number: this.#last, frame: numbered(this.#last, line) }
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
