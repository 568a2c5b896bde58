// The open asks of a session, without those that were settled after their list was requested.
import { signal } from "@preact/signals"
import type { Ask } from "../../client/api/session-shapes.ts"

export class OpenAsks {
  readonly asks = signal<ReadonlyArray<Ask>>([])
  /** Ids of the asks that this page has settled by an answer, or by stopping their turn; also while the request runs. */
  readonly settledHere = signal<ReadonlySet<string>>(new Set())
  /** Ids of the asks that the stream has reported as settled: a list that was read before may still have them. */
  readonly #settled = new Set<string>()

  /** Marks asks as settled by this page. Returns a function that undoes this after a failure. */
  settleHere(ids: ReadonlyArray<string>): () => void {
    this.settledHere.value = new Set([...this.settledHere.peek(), ...ids])
    return () => {
      this.settledHere.value = new Set([...this.settledHere.peek()].filter((id) => !ids.includes(id)))
    }
  }

  noteSettled(id: unknown): void {
    if (typeof id !== "string") return
    this.#settled.add(id)
    this.show(this.asks.peek())
  }

  show(asks: ReadonlyArray<Ask>): void {
    this.asks.value = asks.filter(({ request_id: id }) => !this.#settled.has(id))
  }
}
