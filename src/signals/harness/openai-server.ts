// Receives the body of a chat completion; sends it to the server and returns its answer, as a whole or as the events of its
// stream. The openai package splits streams into events and parses errors of the API.
// Invariant: every failure is a ModelError without key and address, and an abandoned answer is aborted.
import { APIError } from "openai/core/error"
import { Stream as SseStream } from "openai/core/streaming"
import type { ChatCompletionCreateParamsBase } from "openai/resources/chat/completions/completions"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { CallClock, LiveCall } from "../../model/live/live-call.ts"
import { type FailedAt, lost, retryAfterMs, timedOut } from "../../model/live/live-errors.ts"
import type { ModelTimeouts } from "../../model/live/model-timeouts.ts"
import { ModelError } from "../../model/messages-api.ts"
import { redact } from "../../net/redact.ts"
import { parseJson } from "../../schemas/bounded-json.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { type BodyBounds, boundedBody, TooLong } from "./bounded-body.ts"

/** An answer that has started. The caller reads either its text or its events, and only once. */
export interface Exchange {
  readonly requestId: string | null
  readonly text: Effect.Effect<string, ModelError>
  /** The next event, JSON of any shape; null at `[DONE]` or at the end of the body. */
  readonly next: Effect.Effect<unknown, ModelError>
  /** Call it when no more events are needed: the rest is read in the background, so that the connection can be reused. */
  readonly finish: Effect.Effect<void>
}

const MIB = 1024 * 1024
const ANSWER: BodyBounds = { whole: 32 * MIB, event: 32 * MIB }
const STREAM: BodyBounds = { whole: 32 * MIB, event: MIB }
const ERROR: BodyBounds = { whole: MIB / 4, event: MIB / 4 }
/** Maximum characters of an error's message. */
const MAX_MESSAGE = 1000

export type CompletionBody = ChatCompletionCreateParamsBase & { readonly stream: boolean }

export class OpenAiServer {
  readonly #clock = new CallClock()
  readonly #url: string
  readonly #apiKey: string | undefined

  /** `baseUrl` must be an http or https URL without credentials. */
  constructor(baseUrl: string, apiKey: string | undefined) {
    const url = new URL(baseUrl)
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`
    this.#url = url.href
    this.#apiKey = apiKey
  }

  /** Sends a body. The request is aborted if the scope closes before the end of the answer. */
  send(body: CompletionBody, timeouts: ModelTimeouts): Effect.Effect<Exchange, ModelError, Scope.Scope> {
    return Effect.flatMap(
      Effect.acquireRelease(
        Effect.sync(() => new LiveCall(this.#clock, timeouts)),
        (call) => Effect.sync(() => call.leave()),
      ),
      (call) =>
        Effect.flatMap(this.#request(body, call), (response) =>
          this.#exchange(response, call, body.stream ? STREAM : ANSWER),
        ),
    )
  }

  #request(body: CompletionBody, call: LiveCall): Effect.Effect<Response, ModelError> {
    return Effect.tryPromise({
      try: () =>
        fetch(this.#url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
          },
          body: JSON.stringify(body),
          // The key must not be sent to any address but the configured one.
          redirect: "manual",
          signal: call.signal,
        }),
      catch: () => timedOut(call, UNREACHED) ?? lost("The model could not be reached.", UNREACHED),
    })
  }

  #exchange(response: Response, call: LiveCall, bounds: BodyBounds): Effect.Effect<Exchange, ModelError> {
    call.progressed()
    const requestId = response.headers.get("x-request-id")
    const broken = (error: unknown, at: FailedAt) =>
      error instanceof TooLong ? tooLong(at) : (timedOut(call, at) ?? lost("The connection to the model was lost.", at))
    const streaming = { requestId, midStream: true }
    const answer = new Response(boundedBody(response.body, response.ok ? bounds : ERROR, call), response)
    const text = Effect.tryPromise({
      try: () => answer.text(),
      catch: (error) => broken(error, { requestId, midStream: false }),
    })
    if (!response.ok) {
      // If the body of an error can't be read, its status is still reported.
      const body = Effect.catch(text, () => Effect.succeed(""))
      return Effect.flatMap(body, (found) => this.#refused(response, found))
    }
    const events = SseStream.fromSSEResponse<unknown>(answer, new AbortController(), SILENT)[Symbol.asyncIterator]()
    const failed = (error: unknown): ModelError => {
      if (error instanceof SyntaxError)
        return lost("The model's answer contained something that is not an event.", streaming)
      if (!(error instanceof APIError)) return broken(error, streaming)
      return new ModelError({ status: null, ...this.#reasonOf(error), requestId, retryAfterMs: null, midStream: true })
    }
    // The package ends an aborted stream like a complete one, so the timeout is checked here.
    const next = Effect.flatMap(
      Effect.tryPromise({ try: () => events.next(), catch: failed }),
      (step): Effect.Effect<unknown, ModelError> =>
        step.done !== true
          ? Effect.succeed(step.value)
          : call.timedOut === null
            ? Effect.succeed(null)
            : Effect.fail(broken(null, streaming)),
    )
    return Effect.succeed({
      requestId,
      text,
      next,
      finish: Effect.sync(() => call.drain({ read: () => events.next() })),
    })
  }

  #refused(response: Response, body: string): Effect.Effect<never, ModelError> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const parsed = Result.getOrUndefined(parseJson(body))
      const error = APIError.generate(response.status, isPlainObject(parsed) ? parsed : {}, undefined, response.headers)
      return Effect.fail(
        new ModelError({
          status: response.status,
          ...this.#reasonOf(error),
          requestId: error.requestID ?? null,
          retryAfterMs: retryAfterMs(response.headers, now),
          midStream: false,
        }),
      )
    })
  }

  /** The type and the message of the API's error, without secrets. */
  #reasonOf(error: APIError): { readonly type: string; readonly message: string } {
    const secrets = this.#apiKey === undefined ? [] : [this.#apiKey]
    const fields: unknown = error.error
    const message = isPlainObject(fields) && typeof fields["message"] === "string" ? fields["message"] : null
    const type = [error.code, error.type].find((name) => typeof name === "string" && name !== "")
    return {
      type: shortened(redact(type ?? "api_error", secrets), MAX_MESSAGE),
      message: shortened(redact(message ?? "The model's server returned no reason.", secrets), MAX_MESSAGE),
    }
  }
}

/** For a request that got no answer. */
const UNREACHED: FailedAt = { requestId: null, midStream: false }

/** Not retryable: another attempt would be as long. */
const tooLong = (at: FailedAt): ModelError =>
  new ModelError({
    status: null,
    type: "answer_too_long",
    message: "The model's answer, or one of its events, is longer than a harness can read.",
    retryAfterMs: null,
    ...at,
  })

/** A client without a logger: without a client, the package's stream would log to the console. */
const SILENT = {} as Parameters<typeof SseStream.fromSSEResponse>[2] // it reads `logger` and `logLevel`, both optional
