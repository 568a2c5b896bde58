// The calls of sessions that wait in a lane: receives each with the position that its session knows; answers it when the session
// has a place, when its position has moved on enough, or after a while.
// Invariant: a session has one open call at most; how many answers a wait takes grows with the logarithm of its position.
import type { LaneAnswer, LaneArrival } from "../../schemas/rpc/lane-rpc.ts"
import type { LaneBook } from "./lane-book.ts"

/** A call is answered after so long at the latest, so that a lost one is noticed. */
const CALL_MS = 20_000
/** From this position on each step is sent. */
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
    // The process that made the call before is gone.
    this.#close(session)
    return new Promise((answer) => {
      const timer = setTimeout(() => this.#timedOut(session), CALL_MS)
      this.#open.set(session, { turn, known: known ?? Number.POSITIVE_INFINITY, answer, timer })
      this.settle()
    })
  }

  /** Something has changed: the sessions that may run now are answered. */
  settle(): void {
    this.#book.admit()
    const positions = new Map(this.#book.waiting.map(({ session }, index) => [session, index + 1]))
    for (const [session, { turn, known }] of this.#open) {
      const generation = this.#book.generationOf({ session, turn })
      const position = positions.get(session)
      if (generation !== undefined) this.#answer(session, { entered: true, generation })
      else if (position !== undefined && hasMoved(known, position)) this.#answerWaiting(session, position)
    }
    this.#lookAgain()
  }

  /** The turn was taken back. */
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

  /** Leases end without a call. */
  #lookAgain(): void {
    const at = this.#book.nextLook
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

/** Far from the front only every halving is sent. */
const hasMoved = (known: number, position: number): boolean =>
  position < known && (position <= EVERY_STEP_FROM || position <= known / 2)
