// Decides which runner of a session's turns may write. Receives the take-overs of turns that have started; returns a pass for
// each runner.
// Invariant: the number only grows, it is stored before the new runner writes anything, and a pass of an older number is
// void: one turn is never continued by two runners.
import * as Schema from "effect/Schema"
import type { Meta } from "../storage/meta.ts"

/** The last take-over: its number, the turn, the log's end at that time, and how often in a row it found that same end. */
export const GenerationRecord = Schema.Struct({
  number: Schema.Int,
  turn: Schema.String,
  seq: Schema.Int,
  tries: Schema.Int,
})
export type GenerationRecord = typeof GenerationRecord.Type

/** A runner's right to write. */
export interface Pass {
  readonly generation: number
  /** False once another runner has taken the turn over. */
  readonly isCurrent: () => boolean
}

/** A turn that was taken over more often than this without a new event is itself what kills its process. */
const MAX_TRIES = 5

export class Generation {
  readonly #meta: Pick<Meta, "get" | "set">
  #last: GenerationRecord | null

  constructor(meta: Pick<Meta, "get" | "set">) {
    this.#meta = meta
    this.#last = meta.get("generation") ?? null
  }

  get number(): number {
    return this.#last?.number ?? 0
  }

  /** A pass for a runner that starts where none has been, or where the last one has ended by itself. */
  pass(): Pass {
    const generation = this.number
    return { generation, isCurrent: () => this.number === generation }
  }

  /** A pass for another runner that continues a started turn: every earlier pass is void from here on. `seq` is the log's end. */
  takeOver(turn: string, seq: number): Pass {
    const { number, turn: lastTurn, seq: lastSeq, tries } = this.#last ?? { number: 0, turn: "", seq: -1, tries: 0 }
    const again = lastTurn === turn && lastSeq === seq
    const next: GenerationRecord = { number: number + 1, turn, seq, tries: again ? tries + 1 : 1 }
    this.#meta.set("generation", next)
    this.#last = next
    return this.pass()
  }

  /** True when the turn was taken over too often without a new event: its next action must not be tried again. */
  isStuck(turn: string): boolean {
    return this.#last?.turn === turn && this.#last.tries > MAX_TRIES
  }
}
