// Questions of the server, and what withdraws them, on their way to the SDK: they are passed on a moment after the lines
// before them.
import { isQuestion } from "./line-kinds.ts"

/**
 * A question is passed on this much later than the lines before it, which the app then has read, also in another process;
 * about as much as the official process takes from a call's last delta to its question.
 */
const QUESTION_AFTER_MS = 15

export class DelayedQuestions {
  readonly #events: { readonly pass: (json: string) => void; readonly passed: () => void }
  #lines: Array<string> = []

  /** `pass` receives each line when its moment has come, `passed` is called when none waits any more. */
  constructor(events: { readonly pass: (json: string) => void; readonly passed: () => void }) {
    this.#events = events
  }

  get waiting(): boolean {
    return this.#lines.length > 0
  }

  /**
   * Takes a line that is passed on a moment later. The SDK calls its app for a question as soon as it reads the line, and
   * hands out messages when the app asks for them: without the moment the app is asked about a call that it has not seen.
   */
  take(json: string): boolean {
    // What else is asked, and what is withdrawn, stays behind a question that waits.
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
