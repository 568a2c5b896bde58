// Receives one hook that is an address; sends it the hook's input by POST, signed, and returns the JSON that it answers.
// Invariant: the address is checked at each call, no redirect is followed, at most 1 MiB is read, and no message contains
// more of the address than its origin, nor a header or a secret.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Fetched, FetchError, GuardedFetch } from "../net/guarded-fetch.ts"
import { parseClientJson } from "../schemas/json/client-json.ts"
import { isReservedHeader } from "./http-hook-rules.ts"
import { type HookCall, HookFailure } from "./runner.ts"
import { webhookHeaders } from "./sign-webhook.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

const MAX_ANSWER = 1024 * 1024

export interface HttpHookDeps {
  readonly fetch: GuardedFetch
  /** The tenant's secrets to sign with. */
  readonly secrets: Effect.Effect<ReadonlyArray<string>, HookFailure>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Calls one HTTP hook; `id` identifies the message, and is the same when the hook is called again for the same event. */
export type CallHttpHook = (call: HookCall, id: string) => Effect.Effect<unknown, HookFailure>

/** An empty 2xx answer is no opinion; any other status fails. The caller sets the time limit and interrupts. */
export const callHttpHook =
  ({ fetch, secrets, now }: HttpHookDeps): CallHttpHook =>
  ({ entry, input }, id) =>
    Effect.gen(function* () {
      const { url = "", headers = {}, timeoutMs } = entry
      const origin = URL.canParse(url) ? new URL(url).origin : "an invalid URL"
      const body = JSON.stringify(input)
      const keys = yield* secrets
      const timestamp = Math.floor(now() / 1000)
      const signed = yield* Effect.tryPromise({
        try: () => webhookHeaders({ id, timestamp, body }, keys),
        catch: () =>
          new HookFailure({ kind: "threw", message: `The call of the hook at ${origin} could not be signed.` }),
      })
      const order = {
        method: "POST",
        // For receivers that deduplicate by this header instead of `webhook-id`; the hook's own headers may override it.
        headers: { "idempotency-key": id, ...headersOf(headers), ...signed },
        body,
        maxBytes: MAX_ANSWER,
        timeoutMs,
      }
      const fetched = yield* Effect.mapError(fetch(url, { ...order, follows: () => false }), (error) =>
        failureOf(error, origin, timeoutMs),
      )
      return yield* answerOf(origin, fetched)
    })

const failed = (kind: HookFailure["kind"], message: string) => Effect.fail(new HookFailure({ kind, message }))

const failureOf = ({ kind }: FetchError, origin: string, timeoutMs: number): HookFailure => {
  if (kind === "timeout") return new HookFailure({ kind: "timeout", message: `No response within ${timeoutMs} ms.` })
  const message =
    kind === "refused"
      ? `The hook at ${origin} has a URL that must not be called.`
      : `The hook at ${origin} could not be reached.`
  return new HookFailure({ kind: "threw", message })
}

const headersOf = (own: Readonly<Record<string, string>>): Record<string, string> => ({
  accept: "application/json",
  ...Object.fromEntries(
    Object.entries(own)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => !isReservedHeader(name)),
  ),
  "content-type": "application/json",
})

const answerOf = Effect.fnUntraced(function* (origin: string, { status, redirect, bytes, cut }: Fetched) {
  if (redirect !== undefined || (status >= 300 && status < 400)) {
    return yield* failed("threw", `The hook at ${origin} answered with a redirect, which is not followed.`)
  }
  if (status < 200 || status > 299) {
    return yield* failed("threw", `The hook at ${origin} answered with status ${status}.`)
  }
  if (cut) {
    return yield* failed("invalid", `The answer of the hook at ${origin} is longer than ${MAX_ANSWER} bytes.`)
  }
  const text = yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes).trim(),
    catch: () =>
      new HookFailure({ kind: "invalid", message: `The answer of the hook at ${origin} is not a JSON object.` }),
  })
  if (text === "") return undefined
  const answer = parseClientJson(text)
  if (Result.isFailure(answer)) {
    return yield* failed("invalid", `The answer of the hook at ${origin} ${answer.failure.message}.`)
  }
  const value = answer.success
  if (isPlainObject(value)) return value
  return yield* failed("invalid", `The answer of the hook at ${origin} is not a JSON object.`)
})
