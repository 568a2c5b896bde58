// Receives a request; sends it over HTTP and hands on the answer: its events, a network chunk at a time, or the whole
// message. The SDK's client knows the address, the headers and the errors.
// Invariant: whatever ends the stream before `message_stop` is a ModelError, and no error holds the key or the URL.
import Anthropic from "@anthropic-ai/sdk"
import { Clock, Effect, Layer } from "effect"
import { LiveCall } from "./live-call.ts"
import { lost, requestError } from "./live-errors.ts"
import { pullEvents } from "./live-events.ts"
import { LiveSender, TIMEOUT_MS } from "./live-sender.ts"
import { MessagesApi, type MessagesRequest, type RequestContext } from "./messages-api.ts"

export interface LiveSettings {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** The Messages API over HTTP. */
export const liveModel = (settings: LiveSettings): Layer.Layer<MessagesApi> =>
  Layer.sync(MessagesApi, () => {
    const client = new Anthropic({
      apiKey: settings.apiKey ?? "not-set",
      baseURL: settings.baseUrl ?? "https://api.anthropic.com",
      logLevel: "off",
      openTelemetry: false,
    })
    const sender = new LiveSender(client)
    return MessagesApi.of({
      kind: "live",
      open: (request, context) => open(sender, request, context),
      complete: (request, context) => Effect.scoped(complete(sender, request, context)),
    })
  })

const open = Effect.fnUntraced(function* (sender: LiveSender, request: MessagesRequest, context: RequestContext) {
  const call = yield* started(sender, TIMEOUT_MS.stream)
  const response = yield* send(sender, call, request, true, context)
  const requestId = response.headers.get("request-id")
  if (response.body === null) return yield* lost("The model's answer had no body.", requestId, false)
  return { requestId, next: pullEvents(response.body.getReader(), requestId, call) }
})

const complete = Effect.fnUntraced(function* (sender: LiveSender, request: MessagesRequest, context: RequestContext) {
  const call = yield* started(sender, TIMEOUT_MS.whole)
  const response = yield* send(sender, call, request, false, context)
  const requestId = response.headers.get("request-id")
  call.allow(TIMEOUT_MS.whole)
  const body = yield* Effect.tryPromise({
    try: () => response.json() as Promise<unknown>,
    catch: () => lost("The connection to the model was lost.", requestId, false),
  })
  call.ended()
  if (!isMessage(body)) return yield* lost("The model's answer was not a message.", requestId, false)
  return { requestId, message: body }
})

const isMessage = (body: unknown): body is Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null && "content" in body && Array.isArray(body.content)

/** A call that ends with its scope. */
const started = (sender: LiveSender, withinMs: number) =>
  Effect.acquireRelease(
    Effect.sync(() => new LiveCall(sender.clock, withinMs)),
    (call) => Effect.sync(() => call.leave()),
  )

const send = (sender: LiveSender, call: LiveCall, request: MessagesRequest, stream: boolean, context: RequestContext) =>
  Effect.catch(
    Effect.tryPromise({ try: () => sender.send(request, stream, context, call), catch: (error) => error }),
    (error) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(requestError(error, now))),
  )
