// Receives text as it streams; removes a token at its end with which the model declines to reply (`NO_REPLY`, `HEARTBEAT_OK`).
// Invariant: text that may become such a token is held back until that is known. A token that other text follows is text.

const SILENT_TOKENS = ["NO_REPLY", "HEARTBEAT_OK"] as const

const BEGINNINGS = SILENT_TOKENS.flatMap((token) =>
  Array.from(token, (_, index) => token.slice(0, index + 1)).toSorted((one, other) => other.length - one.length),
)
/** Matches a token at the start of the text, after white space, or after asterisks, which are then removed with it. */
const WHOLE = `(?:\\*+|(?<!\\S))(?:${SILENT_TOKENS.join("|")})\\s*`
const TAIL = new RegExp(`(?:${WHOLE}|(?:\\*+|(?<!\\S))(?:${BEGINNINGS.join("|")})|\\*+)$`)
const ONLY = new RegExp(`^${WHOLE}$`)
/** Characters at the end of the text that are searched for a token, including the white space after it. */
const MAX_TAIL = 200

export class Silence {
  #pending = ""
  #last = ""
  #silent = false

  push(text: string): string {
    const whole = this.#pending + text
    const from = Math.max(0, whole.length - MAX_TAIL)
    // A token may start only after certain characters, so the pattern also gets the one before. The `-` before that one
    // prevents it from being matched as the start of a token itself.
    const last = from === 0 ? this.#last : whole.slice(from - 1, from)
    const before = last === "" ? "" : `-${last}`
    const found = TAIL.exec(before + whole.slice(from))
    const at = found === null ? whole.length : Math.max(from, from + found.index - before.length)
    this.#pending = whole.slice(at)
    const out = whole.slice(0, at)
    this.#last = out.slice(-1) || this.#last
    return out
  }

  /** Call it when the text is complete. Returns the rest of the text, without a token at its end. */
  end(): string {
    const pending = this.#pending
    this.#pending = ""
    if (!ONLY.test(pending)) return pending
    this.#silent = true
    return ""
  }

  /** Whether a token was removed. */
  get silent(): boolean {
    return this.#silent
  }
}
