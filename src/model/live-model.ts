// Receives a request; sends it with @anthropic-ai/sdk and hands on the events of the answer, a network chunk at a time.
// Invariant: whatever ends the stream before `message_stop` is a ModelError, and no error holds the key or the URL.
import Anthropic from "@anthropic-ai/sdk"
import { Cause, Clock, Effect, Layer, Stream } from "effect"
import { type AnyEvent, makeParser } from "effect/encoding/Sse"
import {
  MessagesApi,
  ModelError,
  type MessagesRequest,
  type RawStreamEvent,
  type RequestContext,
} from "./messages-api.ts"

export interface LiveSettings {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** Until the answer's headers have come. */
const HEADERS_TIMEOUT_MS = 600_000
/** Between two chunks; the API pings far more often. */
const SILENCE_TIMEOUT_MS = 300_000
/** After `message_stop`, for the end of the body, so that the connection can be used again. */
const ENDING_TIMEOUT_MS = 250

/** The Messages API over HTTP. */
export const liveModel = (settings: LiveSettings): Layer.Layer<MessagesApi> =>
  Layer.sync(MessagesApi, () => {
    const client = new Anthropic({
      apiKey: settings.apiKey ?? "not-set",
      baseURL: settings.baseUrl ?? "https://api.anthropic.com",
      maxRetries: 0,
      timeout: HEADERS_TIMEOUT_MS,
      logLevel: "off",
      openTelemetry: false,
      // Looked up at each call, and called as workerd wants it: on the global object.
      fetch: (input, init) => globalThis.fetch(input, init),
    })
    return MessagesApi.of({ kind: "live", open: (request, context) => open(client, request, context) })
  })

const open = Effect.fnUntraced(function* (client: Anthropic, request: MessagesRequest, context: RequestContext) {
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort()),
  )
  const response = yield* send(client, request, context, controller)
  const requestId = response.headers.get("request-id")
  if (response.body === null) return yield* lost("The model's answer had no body.", requestId, false)
  const events = Stream.fromPull(Effect.succeed(pullEvents(response.body.getReader(), requestId, controller))).pipe(
    Stream.ensuring(Effect.sync(() => controller.abort())),
  )
  return { requestId, events }
})

const send = (client: Anthropic, request: MessagesRequest, context: RequestContext, controller: AbortController) =>
  Effect.tryPromise({
    try: (signal) => {
      signal.addEventListener("abort", () => controller.abort(), { once: true })
      // Not `messages.create`: it writes to the console for older models, and its stream drops what it does not know.
      return client
        .post("/v1/messages", {
          body: { ...request, stream: true },
          stream: true,
          signal: controller.signal,
          headers: {
            "x-perch-session-id": context.sessionId,
            ...(context.betas.length === 0 ? {} : { "anthropic-beta": context.betas.join(",") }),
          },
        })
        .asResponse()
    },
    catch: (error) => error,
  }).pipe(
    Effect.catch((error) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(requestError(error, now)))),
  )

const lost = (message: string, requestId: string | null, midStream: boolean): ModelError =>
  new ModelError({ status: null, type: "connection_error", message, requestId, retryAfterMs: null, midStream })

/** Pulls the events of each chunk as they are: pings, which only keep the connection open, are left out as the SDK does. */
const pullEvents = (
  body: ReadableStreamDefaultReader<Uint8Array>,
  requestId: string | null,
  controller: AbortController,
) => {
  let batch: Array<RawStreamEvent> = []
  let failure: ModelError | null = null
  let stopped = false
  let ended = false
  const decoder = new TextDecoder()
  const parser = makeParser((event: AnyEvent) => {
    if (event._tag !== "Event" || failure !== null || event.event === "ping") return
    const parsed = parse(event.data)
    if (parsed === null) {
      failure = lost("The model's answer held something that is not an event.", requestId, true)
    } else if (event.event === "error" || parsed.type === "error") {
      failure = streamError(parsed, requestId)
    } else if (parsed.type !== "ping") {
      stopped ||= parsed.type === "message_stop"
      batch.push(parsed)
    }
  })
  const feed = (chunk: ReadableStreamReadResult<Uint8Array>): void => {
    ended = chunk.done
    const tooLarge = parser.feed(chunk.done ? decoder.decode() : decoder.decode(chunk.value, { stream: true }))
    if (tooLarge !== undefined) failure ??= lost("An event of the model's answer was too large.", requestId, true)
    if (ended && !stopped) failure ??= lost("The model's answer broke off.", requestId, true)
  }
  const broken = (): void => {
    ended = true
    if (!stopped) failure ??= lost("The connection to the model was lost.", requestId, true)
  }
  const read = Effect.matchEffect(
    Effect.tryPromise({
      try: () => {
        const timer = setTimeout(() => controller.abort(), stopped ? ENDING_TIMEOUT_MS : SILENCE_TIMEOUT_MS)
        return body.read().finally(() => clearTimeout(timer))
      },
      catch: (error) => error,
    }),
    { onSuccess: (chunk) => Effect.sync(() => feed(chunk)), onFailure: () => Effect.sync(broken) },
  )
  const next: Effect.Effect<readonly [RawStreamEvent, ...Array<RawStreamEvent>], ModelError | Cause.Done<void>> =
    Effect.suspend(() => {
      const [first, ...rest] = batch
      batch = []
      if (first !== undefined) return Effect.succeed([first, ...rest] as const)
      if (failure !== null) return Effect.fail(failure)
      if (ended) return Cause.done()
      return Effect.flatMap(read, () => next)
    })
  return next
}

/** An event is a JSON object with a type; anything else is null. */
const parse = (data: string): RawStreamEvent | null => {
  try {
    const value: unknown = JSON.parse(data)
    if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return null
    // Checked just above: an object whose `type` is a string.
    return value as RawStreamEvent
  } catch {
    return null
  }
}

const textAt = (fields: unknown, key: string): string | null => {
  if (typeof fields !== "object" || fields === null) return null
  // An object that is not null can be read by any key.
  const value = (fields as Record<string, unknown>)[key]
  return typeof value === "string" ? value : null
}

const streamError = (event: RawStreamEvent, requestId: string | null): ModelError =>
  new ModelError({
    status: null,
    type: textAt(event["error"], "type") ?? "api_error",
    message: textAt(event["error"], "message") ?? "The model reported an error.",
    requestId: requestId ?? textAt(event, "request_id"),
    retryAfterMs: null,
    midStream: true,
  })

/** An error of the request itself. Causes stay out of it: they name hosts, and some repeat a header's value. */
const requestError = (error: unknown, now: number): ModelError => {
  if (error instanceof Anthropic.APIError && typeof error.status === "number") {
    return new ModelError({
      status: error.status,
      type: error.type ?? "api_error",
      message: error.apiMessage ?? "The model's server gave no reason.",
      requestId: error.requestID ?? null,
      retryAfterMs: retryAfterMs(error.headers, now),
      midStream: false,
    })
  }
  if (error instanceof Anthropic.APIConnectionTimeoutError)
    return lost("The model did not answer in time.", null, false)
  if (error instanceof Anthropic.APIError) return lost("The model could not be reached.", null, false)
  return new ModelError({
    status: null,
    type: "invalid_request_error",
    message: "The request to the model could not be made. Check the API key and the base URL of the server.",
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
const retryAfterMs = (headers: Headers | undefined, now: number): number | null => {
  const inMs = Number.parseFloat(headers?.get("retry-after-ms") ?? "")
  if (inMs > 0) return inMs
  const value = headers?.get("retry-after") ?? ""
  const wait = /^[\d.]+$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - now
  return wait > 0 ? wait : null
}
