// The calls of sessions that wait in a lane: receives each with the position that its session knows; answers it when the session
// has a place, when its position has improved enough, or after `CALL_MS`.
// Invariant: a session has at most one open call; the number of answers to a wait grows with the logarithm of its position.
import type { LaneAnswer, LaneArrival } from "../../schemas/rpc/lane-rpc.ts"
import type { LaneBook } from "./lane-book.ts"

/** A call is answered after this at the latest, so that a lost call is noticed. */
const CALL_MS = 20_000
/** From this position to the front, every change of position is sent. */
const EVERY_STEP_FROM = 3

interface Call {
  readonly turn: string
  readonly known: number
  readonly answer: (answer: LaneAnswer) => void
  readonly timer: ReturnType<typeof setTimeout>
}

export class LaneCalls {
  readonly #book: LaneBook
  readonly #open = new Map<string, Call>()
  #look: { readonly at: number; readonly timer: ReturnType<typeof setTimeout> } | null = null

  constructor(book: LaneBook) {
    this.#book = book
  }

  enter({ session, turn, since, known }: LaneArrival): Promise<LaneAnswer> {
    this.#book.arrive({ session, turn, since })
    // The process that made the earlier call is gone.
    this.#close(session)
    return new Promise((answer) => {
      const timer = setTimeout(() => this.#timedOut(session), CALL_MS)
      this.#open.set(session, { turn, known: known ?? Number.POSITIVE_INFINITY, answer, timer })
      this.settle()
    })
  }

  /** Call after any change: answers the sessions that may run now, and those whose position has improved enough. */
  settle(): void {
    this.#book.admit()
    const positions = new Map(this.#book.waiting.map(({ session }, index) => [session, index + 1]))
    for (const [session, { turn, known }] of this.#open) {
      const generation = this.#book.generationOf({ session, turn })
      const position = positions.get(session)
      if (generation !== undefined) this.#answer(session, { entered: true, generation })
      else if (position !== undefined && hasMoved(known, position)) this.#answerWaiting(session, position)
    }
    this.#armTimer()
  }

  /** Withdraws a turn: frees its place or removes it from the queue. */
  cancel({ session, turn }: Pick<LaneArrival, "session" | "turn">): void {
    this.#book.cancel({ session, turn })
    if (this.#open.get(session)?.turn === turn) this.#close(session)
    this.settle()
  }

  #timedOut(session: string): void {
    const position = this.#book.waiting.findIndex((waiter) => waiter.session === session) + 1
    this.#answerWaiting(session, position)
    this.settle()
  }

  #answerWaiting(session: string, position: number): void {
    this.#book.away(session)
    const since = this.#book.waiting[position - 1]?.since ?? 0
    this.#answer(session, { entered: false, position, limit: this.#book.limit, since })
  }

  #close(session: string): void {
    this.#answer(session, { entered: false, position: 0, limit: this.#book.limit, since: 0 })
  }

  #answer(session: string, answer: LaneAnswer): void {
    const call = this.#open.get(session)
    if (call === undefined) return
    this.#open.delete(session)
    clearTimeout(call.timer)
    call.answer(answer)
  }

  /** Sets a timer, because leases end without a call. */
  #armTimer(): void {
    const at = this.#book.nextExpiry
    if (at === this.#look?.at) return
    if (this.#look !== null) clearTimeout(this.#look.timer)
    this.#look = null
    if (at === null) return
    const timer = setTimeout(
      () => {
        this.#look = null
        this.settle()
      },
      Math.max(0, at - Date.now()),
    )
    this.#look = { at, timer }
  }
}

/** Far from the front a position is sent only when it has halved. */
const hasMoved = (known: number, position: number): boolean =>
  position < known && (position <= EVERY_STEP_FROM || position <= known / 2)
