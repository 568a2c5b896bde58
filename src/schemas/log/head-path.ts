// Receives the moves of a log's head; returns which events of the log belong to the conversation.
// Invariant: after `head:moved {to_seq}` the conversation is what it was right after that event, whatever moves came before.

/** A `head:moved`: its own seq, and the seq that it moved to. */
export interface Move {
  readonly seq: number
  readonly to: number
}

/** The spans of the log that lead to its head, from the first event on. Spans include both of their bounds. */
export class HeadPath {
  readonly #spans: ReadonlyArray<readonly [from: number, through: number]>

  /** `moves` are in the order of the log. */
  constructor(moves: ReadonlyArray<Move>) {
    const spans: Array<readonly [number, number]> = []
    let through = Number.POSITIVE_INFINITY
    for (const move of moves.toReversed()) {
      // A later move went back to before this move, so it has no effect.
      if (move.seq > through) continue
      spans.unshift([move.seq, through])
      through = move.to
    }
    spans.unshift([1, through])
    this.#spans = spans
  }

  /** True when the conversation begins with what it was right after the event `seq`, which precedes all the moves. */
  continues(seq: number): boolean {
    return this.#spans.every(([, through]) => through >= seq)
  }

  has(seq: number): boolean {
    return this.#spans.some(([from, through]) => from <= seq && seq <= through)
  }
}
