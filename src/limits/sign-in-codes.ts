// The one-time codes that sign a page in to the server of this machine: receives their SHA-256, returns whether one is good.
// Invariants: a code is good once, for ten minutes; every wrong guess counts against all of them, so that nothing can try
// more than `MAX_GUESSES` against a code. Only hashes are kept.
import { sameHash } from "../net/same-hash.ts"
import type { CodeOutcome } from "../schemas/limits.ts"

const LIFETIME_MS = 600_000
/** Wrong guesses until a code is no longer accepted. */
const MAX_GUESSES = 20
/** The newest are kept: each start makes one, and `npm run signin` another. */
const MAX_CODES = 20

interface Code {
  readonly hash: string
  readonly until: number
  readonly tries: number
  readonly used: boolean
}
export type Codes = ReadonlyArray<Code>

/** Where codes are kept over restarts. */
export interface StoredCodes {
  read(): Codes
  write(codes: Codes): void
}

export class SignInCodes {
  readonly #stored: StoredCodes
  readonly #now: () => number

  constructor(stored: StoredCodes, now: () => number) {
    this.#stored = stored
    this.#now = now
  }

  /** Keeps a new code; returns until when it is good, in milliseconds since 1970. */
  offer(hash: string): { readonly until: number } {
    const now = this.#now()
    const until = now + LIFETIME_MS
    // An expired code is kept as long again, so that its refusal can say why.
    const kept = this.#stored.read().filter((code) => code.until + LIFETIME_MS > now)
    this.#stored.write([{ hash, until, tries: MAX_GUESSES, used: false }, ...kept].slice(0, MAX_CODES))
    return { until }
  }

  /** Uses a code up, or counts a wrong guess. */
  take(hash: string): CodeOutcome {
    const codes = this.#stored.read()
    // All are compared, so that the time does not show which one was close.
    const found = codes.filter((code) => sameHash(code.hash, hash))[0]
    if (found === undefined) {
      if (codes.length > 0) this.#stored.write(codes.map((code) => ({ ...code, tries: Math.max(0, code.tries - 1) })))
      return "wrong"
    }
    if (found.used) return "used"
    if (found.until <= this.#now()) return "expired"
    if (found.tries === 0) return "blocked"
    this.#stored.write(codes.map((code) => (code === found ? { ...code, used: true } : code)))
    return "taken"
  }
}
