// Receives a request; sends it over HTTP and returns the answer: its events, a network chunk at a time, or the whole
// message. The SDK's client provides the URL, the headers and the errors.
// Invariant: whatever ends the stream before `message_stop` is a ModelError, and no error contains the key or the URL.
import { BaseAnthropic } from "@anthropic-ai/sdk/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { boundsOfValue, parseJson } from "../../schemas/bounded-json.ts"
import { readUpTo } from "../../net/read-body.ts"
import { LiveCall } from "./live-call.ts"
import { lost, requestError, timedOut } from "./live-errors.ts"
import { pullEvents, tooLarge } from "./live-events.ts"
import { LiveSender } from "./live-sender.ts"
import type { MediaBytes } from "../request/media-body.ts"
import {
  type CompletedAnswer,
  MessagesApi,
  type MessagesRequest,
  type ModelError,
  type OpenedStream,
  type RequestContext,
} from "../messages-api.ts"
import { type Fields, unparsedInput } from "../answer/stream-decoder.ts"
import { DEFAULT_TIMEOUTS, type ModelTimeouts } from "./model-timeouts.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

export interface LiveSettings {
  readonly apiKey?: string
  readonly baseUrl?: string
}

/** The largest answer without streaming that is read, in bytes: many times the size of a model's longest answer. */
const WHOLE_BYTES = 32 * 1024 * 1024

/** The default of `media`, for requests without media marks: throws. */
const NO_MEDIA: MediaBytes = () => {
  throw new Error("a request has media that can't be put back")
}

/** The Messages API over HTTP; `media` replaces the media marks of a request by the session's media. */
export const liveModel = (settings: LiveSettings, media: MediaBytes = NO_MEDIA): Layer.Layer<MessagesApi> =>
  Layer.sync(MessagesApi, () => {
    const client = new BaseAnthropic({
      apiKey: settings.apiKey ?? "not-set",
      baseURL: settings.baseUrl ?? "https://api.anthropic.com",
      logLevel: "off",
      openTelemetry: false,
    })
    const secrets = settings.apiKey === undefined ? [] : [settings.apiKey]
    const sender = new LiveSender(client, secrets, media)
    return MessagesApi.of({
      stream: (request, context, use) =>
        during(sender, context.timeouts, (call) => Effect.flatMap(opened(sender, call, request, context), use)),
      complete: (request, context) =>
        during(sender, context.timeouts, (call) => completed(sender, call, request, context)),
    })
  })

/** Runs `use` with a new call, and aborts what is left of the call when `use` ends. */
const during = <A, E, R>(
  sender: LiveSender,
  timeouts: ModelTimeouts = DEFAULT_TIMEOUTS,
  use: (call: LiveCall) => Effect.Effect<A, E, R>,
) =>
  Effect.suspend(() => {
    const call = new LiveCall(sender.clock, timeouts)
    return Effect.onExit(use(call), () => Effect.sync(() => call.leave()))
  })

const opened = (
  sender: LiveSender,
  call: LiveCall,
  request: MessagesRequest,
  context: RequestContext,
): Effect.Effect<OpenedStream, ModelError> =>
  Effect.flatMap(send(sender, call, request, true, context), (response) => {
    const requestId = response.headers.get("request-id")
    call.progressed()
    if (response.body === null)
      return Effect.fail(lost("The model's answer had no body.", { requestId, midStream: false }))
    return Effect.succeed({ requestId, ...pullEvents(response.body.getReader(), requestId, call, sender.secrets) })
  })

const completed = Effect.fnUntraced(function* (
  sender: LiveSender,
  call: LiveCall,
  request: MessagesRequest,
  context: RequestContext,
): Effect.fn.Return<CompletedAnswer, ModelError> {
  const response = yield* send(sender, call, request, false, context)
  const requestId = response.headers.get("request-id")
  const at = { requestId, midStream: false }
  call.progressed()
  const { bytes, cut } = yield* Effect.tryPromise({
    try: () => readUpTo(response.body, WHOLE_BYTES),
    catch: () => timedOut(call, at) ?? lost("The connection to the model was lost.", at),
  })
  if (cut) return yield* tooLarge(at)
  call.ended()
  const message = messageOf(new TextDecoder().decode(bytes))
  if (message === null) return yield* lost("The model's answer was not a message.", at)
  return { requestId, message }
})

/** The message in a text, or null. The input of a call that exceeds the bounds of JSON is replaced; other excess is refused. */
const messageOf = (text: string): Fields | null => {
  const parsed = parseJson(text)
  if (Result.isSuccess(parsed)) return isMessage(parsed.success) ? parsed.success : null
  if (parsed.failure.fault === "syntax") return null
  const value = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  if (!isMessage(value)) return null
  const content = value.content.map((block) => (isPlainObject(block) ? boundedCall(block) : block))
  const message = { ...value, content }
  return boundsOfValue(message) === null ? message : null
}

const boundedCall = (block: Fields): Fields => {
  const refusal = block["type"] === "tool_use" ? boundsOfValue(block["input"]) : null
  return refusal === null ? block : { ...block, input: unparsedInput("", refusal.message) }
}

const isMessage = (body: unknown): body is Fields & { readonly content: ReadonlyArray<unknown> } =>
  typeof body === "object" && body !== null && "content" in body && Array.isArray(body.content)

const send = (sender: LiveSender, call: LiveCall, request: MessagesRequest, stream: boolean, context: RequestContext) =>
  Effect.catch(
    Effect.tryPromise({ try: () => sender.send(request, stream, context, call), catch: (error) => error }),
    (error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.fail(timedOut(call, { requestId: null, midStream: false }) ?? requestError(error, now, sender.secrets)),
      ),
  )
