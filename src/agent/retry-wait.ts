// Receives a request that failed and is to be sent again; emits `api_retry` to clients and waits.
// Invariant: a wait that would exceed the step's time limit is not started.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { ModelError } from "../model/messages-api.ts"
import type { ModelTimeouts } from "../model/live/model-timeouts.ts"
import { errorKind, retryDelayMs, timeoutRetries } from "../model/retry.ts"
import { stamp } from "./calls/hook-events.ts"
import { systemMessage } from "./messages/sdk-messages.ts"
import { Log, type Turn } from "./ports.ts"

interface Tries {
  readonly attempt: number
  readonly maxRetries: number
  readonly nonStreamingTried: boolean
  readonly timeouts: number
}

/** Waits before the next try, without an `api_retry`; false when the step has no time left for one. */
export const waitUnannounced = Effect.fnUntraced(function* (
  turn: Turn,
  error: ModelError,
  { attempt }: Pick<Tries, "attempt">,
  { until }: ModelTimeouts,
): Effect.fn.Return<boolean> {
  const delay = retryDelayMs(attempt, error, yield* Random.next)
  if (turn.now() + delay >= until) return false
  yield* Effect.sleep(delay)
  return true
})

/** Emits `api_retry` and waits before the next try; false when the step has no time left for one. */
export const waitToRetry = Effect.fnUntraced(function* (
  turn: Turn,
  error: ModelError,
  { attempt, maxRetries, nonStreamingTried, timeouts }: Tries,
  { firstByteMs, until }: ModelTimeouts,
): Effect.fn.Return<boolean, never, Log> {
  const log = yield* Log
  const delay = retryDelayMs(attempt, error, yield* Random.next)
  if (turn.now() + delay >= until) return false
  const isTimeout = error.timedOut !== undefined
  yield* log.append([
    systemMessage(stamp(turn), "api_retry", {
      // As the official SDK: retries after a timeout are counted separately.
      attempt: isTimeout ? timeouts : attempt,
      max_retries: isTimeout ? timeoutRetries(maxRetries) : maxRetries - (nonStreamingTried ? 1 : 0),
      retry_delay_ms: delay,
      error_status: error.status,
      error: errorKind(error),
      ...(error.timedOut === "first_byte"
        ? { no_response: { waited_ms: firstByteMs, retry_wait_ms: Math.min(firstByteMs, until - turn.now() - delay) } }
        : {}),
    }),
  ])
  yield* Effect.sleep(delay)
  return true
})
