// Receives the moves of the head of a log; returns which events of the log its conversation is made of.
// Invariant: after `head:moved {to_seq}` the conversation is what it was right after that event, whatever was moved before.

/** One `head:moved`: its own place, and the one that it moved to. */
export interface Move {
  readonly seq: number
  readonly to: number
}

/** The spans of the log that lead to its head, from the first event on. Bounds belong to their span. */
export class HeadPath {
  readonly #spans: ReadonlyArray<readonly [from: number, through: number]>

  /** `moves` are in the order of the log. */
  constructor(moves: ReadonlyArray<Move>) {
    const spans: Array<readonly [number, number]> = []
    let through = Number.POSITIVE_INFINITY
    for (const move of moves.toReversed()) {
      // A move that a later one went back behind never happened.
      if (move.seq > through) continue
      spans.unshift([move.seq, through])
      through = move.to
    }
    spans.unshift([1, through])
    this.#spans = spans
  }

  has(seq: number): boolean {
    return this.#spans.some(([from, through]) => from <= seq && seq <= through)
  }
}
