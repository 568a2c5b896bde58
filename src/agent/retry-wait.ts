// Receives a request that failed, and what to try next; emits `api_retry` to clients and waits if the request is retried.
// Invariant: a wait that would exceed the step's time limit is not started.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ModelError } from "../model/messages-api.ts"
import type { ModelTimeouts } from "../model/live/model-timeouts.ts"
import {
  type Counted,
  countTry,
  errorKind,
  type NextTry,
  retryDelayMs,
  retryLimit,
  timeoutRetries,
  type TriesSoFar,
} from "../model/retry.ts"
import { stamp } from "./calls/hook-events.ts"
import { systemMessage } from "./messages/sdk-messages.ts"
import { Log, type Turn } from "./ports.ts"

/** Counts the next try, after the wait before a retry; false when there is no other try, or no time left for it. */
export const beginTry = Effect.fnUntraced(function* (
  turn: Turn,
  error: ModelError,
  tried: NextTry,
  tries: Counted & Pick<TriesSoFar, "maxRetries">,
  { firstByteMs, until }: ModelTimeouts,
  announced: boolean,
): Effect.fn.Return<boolean, never, Log> {
  if (tried.next === "fail") return false
  if (tried.next === "retry") {
    const { attempt, maxRetries, timeouts } = tries
    const delay = retryDelayMs(attempt, error, yield* Random.next)
    if (turn.now() + delay >= until) return false
    const isTimeout = error.timedOut !== undefined
    const retry = () =>
      systemMessage(stamp(turn), "api_retry", {
        // As the official SDK: retries after a timeout are counted separately.
        attempt: isTimeout ? timeouts : attempt,
        max_retries: isTimeout ? timeoutRetries(maxRetries) : retryLimit(tries),
        retry_delay_ms: delay,
        error_status: error.status,
        error: errorKind(error),
        ...(error.timedOut === "first_byte"
          ? {
              no_response: { waited_ms: firstByteMs, retry_wait_ms: Math.min(firstByteMs, until - turn.now() - delay) },
            }
          : {}),
      })
    if (announced) yield* (yield* Log).append([retry()])
    yield* Effect.sleep(delay)
  }
  countTry(tries, tried)
  return true
})
