// Decides which runner of a session's turns may write. Receives the take-overs of turns that have started; returns a pass for
// each runner.
// Invariant: the number only grows, it is stored before the new runner writes anything, and a pass of an older number is
// void: one turn is never continued by two runners.
import * as Schema from "effect/Schema"
import type { InboxEntry } from "../storage/inbox.ts"
import type { Meta } from "../storage/meta.ts"
import { Attempts, isStuck, nextAttempt } from "../storage/attempts.ts"

/** The last take-over: its number, the turn, and its attempts. */
export const GenerationRecord = Schema.Struct({ number: Schema.Int, turn: Schema.String, ...Attempts.fields })
export type GenerationRecord = typeof GenerationRecord.Type

/** A runner's right to write. */
export interface Pass {
  readonly generation: number
  /** False once another runner has taken the turn over. */
  readonly isCurrent: () => boolean
}

/** `inOrder`: this process left the turn where it can be continued. */
export interface TurnState {
  readonly hasBegun: boolean
  readonly inOrder: boolean
}

/** How often a turn that has begun is prepared to end its open calls, which are not run again. */
const MORE_TRIES = 5

export class Generation {
  readonly #meta: Pick<Meta, "get" | "set">
  #last: GenerationRecord | null
  /** The turn whose attempt in this process was counted before it was prepared. */
  #counted: string | null = null
  /** A prompt that arrived after this event has no earlier process. */
  readonly #openedAt: number

  /** `openedAt` is the log's end when this process started. */
  constructor(meta: Pick<Meta, "get" | "set">, openedAt: number) {
    this.#meta = meta
    this.#openedAt = openedAt
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

  /**
   * The pass of a turn's next runner, which takes it over unless this process left it in order, or no other process can have
   * had it.
   */
  next(
    { turn, seq }: Pick<InboxEntry, "turn" | "seq">,
    { hasBegun, inOrder }: TurnState,
    progress: () => number,
  ): Pass {
    const isNew = !hasBegun && seq > this.#openedAt
    const isCounted = this.#counted === turn
    this.#counted = null
    return inOrder || isNew || isCounted ? this.pass() : this.takeOver(turn, progress())
  }

  /**
   * Takes a turn over before it is prepared, so that a process that dies meanwhile counts. Throws when the turn must not be
   * prepared again; one that has begun may be prepared more often, so that its open calls get their results.
   */
  count(entry: Pick<InboxEntry, "turn" | "seq">, state: TurnState, progress: () => number): void {
    const before = this.#counted === entry.turn ? null : this.number
    this.next(entry, state, progress)
    if (this.number === before) return
    this.#counted = entry.turn
    if (this.#last !== null && isStuck(this.#last, state.hasBegun ? MORE_TRIES : 0))
      throw new Error("the turn never began")
  }

  /** The turn that was counted waits for its place in a lane, which is no attempt; it is counted again when it runs. */
  uncount(): void {
    if (this.#counted === null || this.#last === null) return
    this.#counted = null
    this.#last = { ...this.#last, tries: this.#last.tries - 1 }
    this.#meta.set("generation", this.#last)
  }

  /**
   * A pass for another runner that continues a turn: every earlier pass is void from here on. `seq` is the last event that is
   * progress.
   */
  takeOver(turn: string, seq: number): Pass {
    const before = this.#last?.turn === turn ? this.#last : undefined
    const next: GenerationRecord = { number: this.number + 1, turn, ...nextAttempt(before, seq) }
    this.#meta.set("generation", next)
    this.#last = next
    return this.pass()
  }

  /** True when the turn was taken over too often without a new event: its next action must not be tried again. */
  isStuck(turn: string): boolean {
    return this.#last?.turn === turn && isStuck(this.#last)
  }
}
