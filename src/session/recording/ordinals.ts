// Which answer to equal requests comes next.
// Invariant: after a restart the count goes on from what was stored.
import type { RecordedTable, RowKind } from "./recorded-table.ts"

export class Ordinals {
  readonly #next: Map<string, number>

  constructor(table: Pick<RecordedTable, "counts">) {
    this.#next = table.counts()
  }

  /** The number of the next answer, from 0; it is taken. */
  take(kind: RowKind, hash: string): number {
    const key = `${kind} ${hash}`
    const ordinal = this.#next.get(key) ?? 0
    this.#next.set(key, ordinal + 1)
    return ordinal
  }

  /** The answer was not used after all: the next request gets it, if no other was sent meanwhile. */
  release(kind: RowKind, hash: string, ordinal: number): void {
    const key = `${kind} ${hash}`
    if (this.#next.get(key) === ordinal + 1) this.#next.set(key, ordinal)
  }
}
