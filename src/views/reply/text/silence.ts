// Receives text as it streams; keeps a token back by which the model says that there is no reply (`NO_REPLY`, `HEARTBEAT_OK`).
// Invariant: what may become such a token at the end of the text is held back until that is known. A token before real text is text.

export const SILENT_TOKENS = ["NO_REPLY", "HEARTBEAT_OK"] as const

const BEGINNINGS = SILENT_TOKENS.flatMap((token) =>
  Array.from(token, (_, index) => token.slice(0, index + 1)).toSorted((one, other) => other.length - one.length),
)
/** At the beginning, behind white space, or behind asterisks, which then belong to it. */
const WHOLE = `(?:\\*+|(?<!\\S))(?:${SILENT_TOKENS.join("|")})\\s*`
const TAIL = new RegExp(`(?:${WHOLE}|(?:\\*+|(?<!\\S))(?:${BEGINNINGS.join("|")})|\\*+)$`)
const ONLY = new RegExp(`^${WHOLE}$`)
/** A longer end of a text is no token with the white space behind it. */
const LONGEST_TAIL = 200

export class Silence {
  #held = ""
  #last = ""
  #silent = false

  push(text: string): string {
    const whole = this.#held + text
    const from = Math.max(0, whole.length - LONGEST_TAIL)
    // The character before decides whether a token may begin; no token begins with it.
    const last = from === 0 ? this.#last : whole.slice(from - 1, from)
    const before = last === "" ? "" : `-${last}`
    const found = TAIL.exec(before + whole.slice(from))
    const at = found === null ? whole.length : Math.max(from, from + found.index - before.length)
    this.#held = whole.slice(at)
    const out = whole.slice(0, at)
    this.#last = out.slice(-1) || this.#last
    return out
  }

  /** The text is complete: a token at its end is left out. */
  end(): string {
    const held = this.#held
    this.#held = ""
    if (!ONLY.test(held)) return held
    this.#silent = true
    return ""
  }

  /** Whether a token was left out. */
  get silent(): boolean {
    return this.#silent
  }
}
