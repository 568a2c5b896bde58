// Receives a request; sends it with @anthropic-ai/sdk and hands on the answer: its events, a network chunk at a time, or
// the whole message.
// Invariant: whatever ends the stream before `message_stop` is a ModelError, and no error holds the key or the URL.
import Anthropic from "@anthropic-ai/sdk"
import { Cause, Clock, Effect, Layer, Stream } from "effect"
import { type AnyEvent, makeParser } from "effect/encoding/Sse"
import { lost, requestError, streamError } from "./live-errors.ts"
import { requestJson } from "./request-json.ts"
import {
  MessagesApi,
  type MessagesRequest,
  type ModelError,
  type RawStreamEvent,
  type RequestContext,
} from "./messages-api.ts"

export interface LiveSettings {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** Until the answer's headers have come. */
const HEADERS_TIMEOUT_MS = 600_000
/** Until a whole answer has begun, and then until it has ended. */
const WHOLE_TIMEOUT_MS = 300_000
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
    return MessagesApi.of({
      kind: "live",
      open: (request, context) => open(client, request, context),
      complete: (request, context) => Effect.scoped(complete(client, request, context)),
    })
  })

const aborter = Effect.acquireRelease(
  Effect.sync(() => new AbortController()),
  (controller) => Effect.sync(() => controller.abort()),
)

const open = Effect.fnUntraced(function* (client: Anthropic, request: MessagesRequest, context: RequestContext) {
  const controller = yield* aborter
  const response = yield* send(client, request, true, context, controller)
  const requestId = response.headers.get("request-id")
  if (response.body === null) return yield* lost("The model's answer had no body.", requestId, false)
  const watchdog = new Watchdog(controller)
  const events = Stream.fromPull(Effect.succeed(pullEvents(response.body.getReader(), requestId, watchdog))).pipe(
    Stream.ensuring(
      Effect.sync(() => {
        watchdog.stop()
        controller.abort()
      }),
    ),
  )
  return { requestId, events }
})

const complete = Effect.fnUntraced(function* (client: Anthropic, request: MessagesRequest, context: RequestContext) {
  const controller = yield* aborter
  const response = yield* send(client, request, false, context, controller)
  const requestId = response.headers.get("request-id")
  const body = yield* Effect.tryPromise({
    try: () => {
      const timer = setTimeout(() => controller.abort(), WHOLE_TIMEOUT_MS)
      return response.json().finally(() => clearTimeout(timer)) as Promise<unknown>
    },
    catch: () => lost("The connection to the model was lost.", requestId, false),
  })
  if (!isMessage(body)) return yield* lost("The model's answer was not a message.", requestId, false)
  return { requestId, message: body }
})

const isMessage = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null && "content" in body && Array.isArray(body.content)

const send = (
  client: Anthropic,
  request: MessagesRequest,
  stream: boolean,
  context: RequestContext,
  controller: AbortController,
) =>
  Effect.tryPromise({
    try: (signal) => {
      signal.addEventListener("abort", () => controller.abort(), { once: true })
      // Not `messages.create`: it writes to the console for older models, and its stream drops what it does not know.
      return client
        .post("/v1/messages", {
          body: requestJson(request, stream),
          stream,
          signal: controller.signal,
          ...(stream ? {} : { timeout: WHOLE_TIMEOUT_MS }),
          headers: {
            "content-type": "application/json",
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

/** Aborts an answer that has fallen silent: one timer for the whole answer, not one per chunk. */
class Watchdog {
  readonly #controller: AbortController
  #heardAt = Date.now()
  #timer: ReturnType<typeof setTimeout>

  constructor(controller: AbortController) {
    this.#controller = controller
    this.#timer = setTimeout(() => this.#look(), SILENCE_TIMEOUT_MS)
  }

  /** Something was heard. */
  heard(): void {
    this.#heardAt = Date.now()
  }

  /** The answer is complete: only the end of its body is still to come. */
  ending(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#controller.abort(), ENDING_TIMEOUT_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const left = this.#heardAt + SILENCE_TIMEOUT_MS - Date.now()
    if (left <= 0) this.#controller.abort()
    else this.#timer = setTimeout(() => this.#look(), left)
  }
}

/** Pulls the events of each chunk as they are: pings, which only keep the connection open, are left out as the SDK does. */
const pullEvents = (body: ReadableStreamDefaultReader<Uint8Array>, requestId: string | null, watchdog: Watchdog) => {
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
      if (parsed.type === "message_stop" && !stopped) {
        stopped = true
        watchdog.ending()
      }
      batch.push(parsed)
    }
  })
  const feed = (chunk: ReadableStreamReadResult<Uint8Array>): void => {
    ended = chunk.done
    if (!stopped) watchdog.heard()
    const tooLarge = parser.feed(chunk.done ? decoder.decode() : decoder.decode(chunk.value, { stream: true }))
    if (tooLarge !== undefined) failure ??= lost("An event of the model's answer was too large.", requestId, true)
    if (ended && !stopped) failure ??= lost("The model's answer broke off.", requestId, true)
  }
  const broken = (): void => {
    ended = true
    if (!stopped) failure ??= lost("The connection to the model was lost.", requestId, true)
  }
  const read = Effect.matchEffect(Effect.tryPromise({ try: () => body.read(), catch: (error) => error }), {
    onSuccess: (chunk) => Effect.sync(() => feed(chunk)),
    onFailure: () => Effect.sync(broken),
  })
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
