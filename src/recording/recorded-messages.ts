// Receives the signals of a recorded session, one after the other; returns for each move of its head where the conversation was
// cut, in a form that also applies to a replay, whose ids and seqs are different.
// Invariant: a cut refers only to prompts and to messages of the main thread of a turn, by their index.
import * as Schema from "effect/Schema"
import { HeadPath, type Move } from "../schemas/log/head-path.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { Signal } from "../schemas/signal.ts"

/** A `head:moved` as a replay repeats it. */
export const RepeatedMove = Schema.Struct({
  /** The move undid a revert. */
  restored: Schema.optionalKey(Schema.Literal(true)),
  /** The move restored files too. */
  files: Schema.Boolean,
  /** The first item that was cut: a prompt, by its index among all prompts, or a message, by its index in its turn. */
  cut: Schema.optionalKey(Schema.Struct({ prompt: Schema.Int, message: Schema.NullOr(Schema.Int) })),
})
export type RepeatedMove = typeof RepeatedMove.Type
type Cut = NonNullable<RepeatedMove["cut"]>

/** A cut can be made before prompts and before events of these names. */
export const MESSAGES: ReadonlyArray<string> = ["sdk:assistant", "sdk:user"]

/** Events of a turn that come before its start. */
const BEFORE_TURN: ReadonlySet<string> = new Set(["turn:queued", "sdk:command_lifecycle", "turn:cancelled"])

/** Moves after this number have no `cut`, because each one searches all turns. */
const MAX_MOVES = 1000

interface RecordedTurn {
  readonly prompt: number
  /** The seq of the first event of the turn itself; null before it starts. */
  begun: number | null
  readonly messages: Array<number>
}

export class RecordedMessages {
  readonly #turns = new Map<string, RecordedTurn>()
  readonly #moves: Array<Move> = []
  /** The seq of the latest signal: signals arrive in the order of the log, and none is left out. */
  #seq = 0

  /** Returns the move to repeat for a `head:moved`; null for every other signal. */
  add({ id, name, payload, source }: Signal): RepeatedMove | null {
    this.#seq += 1
    if (name === "turn:queued") this.#turns.set(id, { prompt: this.#turns.size, begun: null, messages: [] })
    const turn = source?.parent === undefined ? undefined : this.#turns.get(source.parent)
    if (turn !== undefined && !BEFORE_TURN.has(name)) {
      turn.begun ??= this.#seq
      if (source?.agent === undefined && MESSAGES.includes(name)) turn.messages.push(this.#seq)
    }
    const to = name === "head:moved" && isPlainObject(payload) ? payload["to_seq"] : undefined
    if (typeof to !== "number" || !isPlainObject(payload)) return null
    const isUnknown = payload["restored"] === true || this.#moves.length >= MAX_MOVES
    const cut = isUnknown ? null : this.#cutBehind(to)
    this.#moves.push({ seq: this.#seq, to })
    return {
      ...(payload["restored"] === true ? { restored: true as const } : {}),
      files: payload["files"] !== undefined,
      ...(cut === null ? {} : { cut }),
    }
  }

  /** The first prompt or message of the conversation after seq `to`; a prompt counts at the start of its turn. */
  #cutBehind(to: number): Cut | null {
    const path = new HeadPath(this.#moves)
    const isCut = (seq: number) => seq > to && path.has(seq)
    let found: { readonly seq: number; readonly cut: Cut } | null = null
    for (const { prompt, begun, messages } of this.#turns.values()) {
      if (begun === null) continue
      const at = isCut(begun) ? null : messages.findIndex(isCut)
      const seq = at === null ? begun : messages[at]
      if (seq === undefined || (found !== null && found.seq <= seq)) continue
      found = { seq, cut: { prompt, message: at } }
    }
    return found?.cut ?? null
  }
}
