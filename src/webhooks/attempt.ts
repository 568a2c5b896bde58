// Receives one delivery; posts it, signed, and returns the outcome.
// Invariant: the address is checked at each attempt, no redirect is followed, the response's body is not read, and no
// message contains more of the address than its host.
import * as Effect from "effect/Effect"
import { webhookHeaders } from "../hooks/sign-webhook.ts"
import type { GuardedFetch } from "../net/guarded-fetch.ts"

const TIMEOUT_MS = 15_000

export interface Attempt {
  readonly url: string
  readonly id: string
  readonly body: string
  /** The secrets to sign with, the current one first. */
  readonly secrets: ReadonlyArray<string>
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface AttemptOutcome {
  readonly delivered: boolean
  /** The HTTP status; null when there was no response. */
  readonly status: number | null
  readonly error: string | null
  /** The pause that the receiver asked for, in milliseconds. */
  readonly retryAfterMs: number | null
}

/** Never fails: a failure is part of the outcome. */
export const attemptDelivery = (
  fetch: GuardedFetch,
  { url, id, body, secrets, now }: Attempt,
): Effect.Effect<AttemptOutcome> =>
  Effect.gen(function* () {
    const timestamp = Math.floor(now / 1000)
    const signed = yield* Effect.tryPromise(() => webhookHeaders({ id, timestamp, body }, secrets))
    const headers = { accept: "*/*", "content-type": "application/json", ...signed }
    const order = { method: "POST", headers, body, maxBytes: 0, timeoutMs: TIMEOUT_MS, follows: () => false }
    const { status, headers: answered } = yield* fetch(url, order)
    if (status >= 200 && status < 300) return { delivered: true, status, error: null, retryAfterMs: null }
    const error = `The address answered with status ${status}.`
    return { delivered: false, status, error, retryAfterMs: retryAfterOf(answered, now) }
  }).pipe(
    Effect.catchTag("FetchError", ({ kind }) => Effect.succeed(unanswered(ERRORS[kind]))),
    Effect.catch(() => Effect.succeed(unanswered("The delivery could not be signed. Roll the webhook's secret."))),
  )

const ERRORS = {
  refused: "The address is not one that may be called.",
  failed: "The address could not be reached.",
  timeout: `No response within ${TIMEOUT_MS / 1000} seconds.`,
  too_many_redirects: "The address redirects.",
} as const

const unanswered = (error: string): AttemptOutcome => ({ delivered: false, status: null, error, retryAfterMs: null })

/** The pause that `Retry-After` asks for, in milliseconds; the header has seconds or a date. */
const retryAfterOf = (headers: Headers, now: number): number | null => {
  const value = headers.get("retry-after")
  if (value === null) return null
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) && ms > 0 ? ms : null
}
