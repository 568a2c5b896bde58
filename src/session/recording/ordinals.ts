// Numbers the answers to equal requests.
// Invariant: after a restart the count continues from the stored rows.
import type { RecordedTable, RowKind } from "./recorded-table.ts"

export class Ordinals {
  readonly #next: Map<string, number>

  constructor(table: Pick<RecordedTable, "counts">) {
    this.#next = table.counts()
  }

  /** Takes the number of the next answer, from 0. */
  take(kind: RowKind, hash: string): number {
    const key = `${kind} ${hash}`
    const ordinal = this.#next.get(key) ?? 0
    this.#next.set(key, ordinal + 1)
    return ordinal
  }

  /** Returns the number of an answer that was not used: the next request gets it, unless another was sent meanwhile. */
  release(kind: RowKind, hash: string, ordinal: number): void {
    const key = `${kind} ${hash}`
    if (this.#next.get(key) === ordinal + 1) this.#next.set(key, ordinal)
  }
}
