// Receives the server's permission requests, and the lines that withdraw them; passes them on to the SDK a few milliseconds
// after the lines before them.
import { isQuestion } from "./line-kinds.ts"

/**
 * A question is passed on this much later, so that the app, which may run in another process, has read the lines before it.
 * The official process takes about as long from a call's last delta to its question.
 */
const QUESTION_AFTER_MS = 15

interface QuestionEvents {
  /** Receives each line after its delay. */
  readonly pass: (json: string) => void
  /** Called when no line is left waiting. */
  readonly passed: () => void
}

export class DelayedQuestions {
  readonly #events: QuestionEvents
  #lines: Array<string> = []

  constructor(events: QuestionEvents) {
    this.#events = events
  }

  get waiting(): boolean {
    return this.#lines.length > 0
  }

  /**
   * Returns true when it takes the line, to pass it on after the delay. The SDK calls the app with a question as soon as it reads
   * the line, but yields messages only when the app asks for them: without the delay the app is asked about a call that it has
   * not seen.
   */
  take(json: string): boolean {
    // Other requests and cancellations must not overtake a waiting question.
    const follows = this.waiting && /^\{"type":"control_(?:cancel_)?request"/.test(json)
    if (!follows && !isQuestion(json)) return false
    this.#lines.push(json)
    if (this.#lines.length === 1) setTimeout(() => this.#passAll(), QUESTION_AFTER_MS)
    return true
  }

  #passAll(): void {
    for (const json of this.#lines) this.#events.pass(json)
    this.#lines = []
    this.#events.passed()
  }
}
