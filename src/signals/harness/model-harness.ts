// Receives a model that answers prompts over the network; returns its harness, which retries failed requests by the same rules as
// a session's steps.
// Invariant: no part of an answer is emitted twice: once a piece was passed on, a failure of the answer is final.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { MAX_TIMEOUT_RETRIES, type ModelTimeouts } from "../../model/live/model-timeouts.ts"
import type { ModelError } from "../../model/messages-api.ts"
import { classify, MAX_RETRIES, retryDelayMs } from "../../model/retry.ts"
import { HarnessError } from "../errors.ts"
import { HarnessService } from "../harness.ts"
import type { AskingOptions, HarnessTimeouts } from "./options.ts"

/** Each call is one request without retries. Interrupting the call aborts the request. */
export interface TextModel {
  /** The model's name in error messages. */
  readonly name: string
  /** The id of the model that answers when the agent names none. */
  readonly model: string
  readonly whole: (question: Question) => Effect.Effect<string, ModelError>
  readonly pieces: (question: Question) => Stream.Stream<string, ModelError>
}

export interface Question {
  readonly prompt: string
  readonly model: string
  readonly timeouts: ModelTimeouts
}

const FIRST_BYTE_MS = 300_000
const IDLE_MS = 300_000
const TOTAL_MS = 3_600_000

/** OpenAI's own names for transient failures in its streams, which are retried. */
const PASSING: ReadonlySet<string> = new Set(["server_error", "rate_limit_exceeded"])
/** Has the status of a rate limit, but waiting does not help: it is not retried. */
const OUT_OF_QUOTA = "insufficient_quota"

export const modelHarness = (model: TextModel, options: AskingOptions = {}): HarnessService["Service"] => {
  const maxRetries = options.maxRetries ?? MAX_RETRIES
  const questionOf = (prompt: string, asked: string | undefined): Effect.Effect<Question> =>
    Effect.map(Clock.currentTimeMillis, (now) => ({
      prompt,
      model: asked ?? model.model,
      timeouts: timeoutsFrom(options.timeouts ?? {}, now),
    }))
  const failed = (error: ModelError) => harnessError(model.name, error)
  return HarnessService.of({
    complete: (prompt, asked) =>
      Effect.flatMap(questionOf(prompt, asked?.model), (question) => {
        const tries = new Tries(maxRetries)
        const ask: Effect.Effect<string, ModelError> = Effect.catch(model.whole(question), (error) =>
          Effect.flatMap(tries.pause(error), () => ask),
        )
        return Effect.mapError(ask, failed)
      }),
    stream: (prompt, asked) =>
      Stream.unwrap(
        Effect.map(questionOf(prompt, asked?.model), (question) => {
          const tries = new Tries(maxRetries)
          const ask: Stream.Stream<string, ModelError> = Stream.suspend(() => {
            let begun = false
            const pieces = Stream.tap(model.pieces(question), () => Effect.sync(() => (begun = true)))
            return Stream.catch(pieces, (error) =>
              begun ? Stream.fail(error) : Stream.unwrap(Effect.as(tries.pause(error), ask)),
            )
          })
          return Stream.mapError(ask, failed)
        }),
      ),
  })
}

/** The attempts for one question. */
class Tries {
  readonly #maxRetries: number
  #retries = 0
  #timeouts = 0

  constructor(maxRetries: number) {
    this.#maxRetries = maxRetries
  }

  /** Waits before the next attempt; fails with the error when the request must not be retried. */
  pause(error: ModelError): Effect.Effect<void, ModelError> {
    if (error.timedOut !== undefined) this.#timeouts += 1
    if (this.#retries >= this.#maxRetries || this.#timeouts > MAX_TIMEOUT_RETRIES || isFinal(error)) {
      return Effect.fail(error)
    }
    this.#retries += 1
    return Effect.flatMap(Random.next, (random) => Effect.sleep(retryDelayMs(this.#retries, error, random)))
  }
}

const isFinal = (error: ModelError): boolean => {
  if (error.timedOut === "total" || error.type === OUT_OF_QUOTA) return true
  return classify(error) === "fatal" && !(error.status === null && PASSING.has(error.type))
}

const timeoutsFrom = (timeouts: HarnessTimeouts, now: number): ModelTimeouts => ({
  firstByteMs: timeouts.firstByteMs ?? FIRST_BYTE_MS,
  idleMs: timeouts.idleMs ?? IDLE_MS,
  until: now + (timeouts.totalMs ?? TOTAL_MS),
})

const TIMED_OUT = {
  first_byte: "did not start to respond in time. timeouts.firstByteMs sets how long it may take.",
  idle: "sent no part of its answer for too long. timeouts.idleMs sets how long it may take.",
  total: "did not complete its answer in time. timeouts.totalMs sets how long it may take in total.",
} as const

/** Converts a ModelError, which becomes the `cause`: it has status, type and request id, but neither keys nor addresses. */
const harnessError = (name: string, error: ModelError): HarnessError => {
  if (error.timedOut !== undefined) {
    return new HarnessError({ message: `${name} ${TIMED_OUT[error.timedOut]}`, cause: error })
  }
  const what = [error.status, error.type].filter((part) => part !== null).join(" ")
  return new HarnessError({ message: `${name} failed (${what}): ${error.message}`, cause: error })
}
