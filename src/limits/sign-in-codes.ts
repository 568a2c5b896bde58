// The one-time codes that sign a page in to the server of this machine: receives their SHA-256, returns whether one is valid.
// Invariants: a code is valid once, for ten minutes; every wrong guess counts against all codes, so that at most
// `MAX_GUESSES` guesses can be made against a code. Only hashes are stored.
import { sameHash } from "../net/same-hash.ts"
import type { CodeOutcome } from "../schemas/limits.ts"

const LIFETIME_MS = 600_000
/** After this many wrong guesses a code is no longer accepted. */
const MAX_GUESSES = 20
/** Only the newest codes are kept: each start of the server creates one, and each `npm run signin` another. */
const MAX_CODES = 20

interface Code {
  readonly hash: string
  readonly until: number
  /** How many wrong guesses the code still survives; at 0 it is no longer accepted. */
  readonly tries: number
  readonly used: boolean
}
export type Codes = ReadonlyArray<Code>

/** Stores the codes, so that they outlive a restart. */
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

  /** Stores a new code; returns until when it is valid, in milliseconds since 1970. */
  offer(hash: string): { readonly until: number } {
    const now = this.#now()
    const until = now + LIFETIME_MS
    // Expired codes are kept for another ten minutes, so that a refusal can give the reason.
    const kept = this.#stored.read().filter((code) => code.until + LIFETIME_MS > now)
    this.#stored.write([{ hash, until, tries: MAX_GUESSES, used: false }, ...kept].slice(0, MAX_CODES))
    return { until }
  }

  /** Consumes a code, or counts a wrong guess against all codes. */
  take(hash: string): CodeOutcome {
    const codes = this.#stored.read()
    // All codes are compared, so that the time taken does not reveal which one was close.
    const found = codes.filter((code) => sameHash(code.hash, hash))[0]
    if (found === undefined) {
      if (codes.length > 0) this.#stored.write(codes.map((code) => ({ ...code, tries: Math.max(0, code.tries - 1) })))
      return "wrong"
    }
    if (found.used) return "used"
    if (found.until <= this.#now()) return "expired"
    if (found.tries === 0) return "blocked"
    this.#stored.write(codes.map((code) => (code === found ? { ...code, used: true } : code)))
    return "accepted"
  }
}
