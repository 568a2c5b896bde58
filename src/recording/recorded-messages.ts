// Receives the signals of a recorded session, one after the other; returns for each move of its head where the conversation was
// cut, in a form that holds for a replay too, whose ids and places are others.
// Invariant: of each turn only its prompt and the messages of the main thread are named, by their order.
import * as Schema from "effect/Schema"
import { HeadPath, type Move } from "../schemas/log/head-path.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { Signal } from "../schemas/signal.ts"

/** A `head:moved` as a replay repeats it. */
export const RepeatedMove = Schema.Struct({
  /** A revert was taken back. */
  restored: Schema.optionalKey(Schema.Literal(true)),
  /** The files moved too. */
  files: Schema.Boolean,
  /** What the conversation lacks first: a prompt, by its place among all, or a message of its turn, by its place there. */
  cut: Schema.optionalKey(Schema.Struct({ prompt: Schema.Int, message: Schema.NullOr(Schema.Int) })),
})
export type RepeatedMove = typeof RepeatedMove.Type
type Cut = NonNullable<RepeatedMove["cut"]>

/** Events of these names are what a cut can be made before, beside prompts. */
export const MESSAGES: ReadonlyArray<string> = ["sdk:assistant", "sdk:user"]

/** Events of a turn that do not begin it. */
const BEFORE_TURN: ReadonlySet<string> = new Set(["turn:queued", "sdk:command_lifecycle", "turn:cancelled"])

/** Later ones are repeated nowhere: each looks through the log. */
const MOST_MOVES = 1000

interface RecordedTurn {
  readonly prompt: number
  /** The place of the first event of the turn itself. */
  begun: number | null
  readonly messages: Array<number>
}

export class RecordedMessages {
  readonly #turns = new Map<string, RecordedTurn>()
  readonly #moves: Array<Move> = []
  /** Signals are in the order of the log, and none is left out. */
  #seq = 0

  /** Null for every other signal. */
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
    const isUnknown = payload["restored"] === true || this.#moves.length >= MOST_MOVES
    const cut = isUnknown ? null : this.#cutBehind(to)
    this.#moves.push({ seq: this.#seq, to })
    return {
      ...(payload["restored"] === true ? { restored: true as const } : {}),
      files: payload["files"] !== undefined,
      ...(cut === null ? {} : { cut }),
    }
  }

  /** The first prompt or message of the conversation behind a place; a prompt is where its turn begins. */
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
