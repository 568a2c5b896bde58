// The harness for the Messages API: a prompt is one user message, the answer is the text of the model's message.
// Invariant: an incomplete answer (cut at a limit, refused) is an error, never a shorter text.
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { apiModelOf, maxOutputOf, resolveModel } from "../../model/catalogue/models.ts"
import {
  MessagesApi,
  type MessagesRequest,
  type ModelError,
  type OpenedStream,
  type RawStreamEvent,
  type RequestContext,
} from "../../model/messages-api.ts"
import { uuidV7 } from "../../schemas/ids.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { HarnessService } from "../harness.ts"
import { modelHarness, type Question, type TextModel } from "./model-harness.ts"
import type { AskingOptions } from "./options.ts"
import { unfinished } from "./unfinished.ts"

export interface MessagesHarnessOptions extends AskingOptions {
  /** An id or an alias such as `sonnet`. */
  readonly model: string
  /** Maximum tokens of an answer. Default: 32,000, or the model's maximum if that is less. */
  readonly maxTokens?: number
  /** Sent as `x-perch-session-id`. Default: a new id for the harness. */
  readonly sessionId?: string
  /** Receives the API's usage of every answer that started, also if it was interrupted, with the id of the requested model. */
  readonly onUsage?: (usage: Usage, model: string) => void
}

export type Usage = Readonly<Record<string, unknown>>

const MAX_TOKENS = 32_000
/** Pieces that are buffered for a slow reader; when the buffer is full, the answer is read no further. */
const WAITING_PIECES = 64

/** A harness that uses the MessagesApi service of its context: a server's own, or the offline model. */
export const messagesHarness = (
  name: string,
  options: MessagesHarnessOptions,
): Layer.Layer<HarnessService, never, MessagesApi> =>
  Layer.effect(
    HarnessService,
    Effect.map(MessagesApi, (api) => {
      const sessionId = options.sessionId ?? uuidV7(Date.now())
      return modelHarness(textModel(name, api, sessionId, options), options)
    }),
  )

const textModel = (
  name: string,
  api: MessagesApi["Service"],
  sessionId: string,
  { model, maxTokens, onUsage }: MessagesHarnessOptions,
): TextModel => {
  /** Sends the request, and passes each text of the answer to `emit`. It always streams, so that long answers don't time out. */
  const ask = (question: Question, emit: (text: string) => Effect.Effect<unknown>): Effect.Effect<void, ModelError> => {
    const request = requestOf(question, maxTokens)
    const context: RequestContext = { sessionId, betas: [], timeouts: question.timeouts }
    return api.stream(request, context, (opened) => {
      let usage: Usage = {}
      const used = (more: Usage) => {
        usage = { ...usage, ...more }
      }
      const read = readAnswer(opened, request.max_tokens, emit, used)
      return onUsage === undefined ? read : Effect.onExit(read, () => Effect.sync(() => onUsage(usage, request.model)))
    })
  }
  return {
    name,
    model,
    whole: (question) =>
      Effect.suspend(() => {
        const texts: Array<string> = []
        const kept = ask(question, (text) => Effect.sync(() => texts.push(text)))
        return Effect.map(kept, () => texts.join(""))
      }),
    pieces: (question) =>
      Stream.callback<string, ModelError>((queue) => streamInto(queue, (emit) => ask(question, emit)), {
        bufferSize: WAITING_PIECES,
        strategy: "suspend",
      }),
  }
}

/** Offers the texts that `ask` emits to the queue, which ends or fails as `ask` does. */
const streamInto = (
  queue: Queue.Queue<string, ModelError | Cause.Done>,
  ask: (emit: (text: string) => Effect.Effect<unknown>) => Effect.Effect<void, ModelError>,
): Effect.Effect<unknown> =>
  Effect.matchEffect(
    ask((text) => Queue.offer(queue, text)),
    { onSuccess: () => Queue.end(queue), onFailure: (error) => Queue.fail(queue, error) },
  )

const requestOf = ({ prompt, model }: Question, maxTokens: number | undefined): MessagesRequest => ({
  model: apiModelOf(resolveModel(model).id),
  max_tokens: maxTokens ?? Math.min(maxOutputOf(model), MAX_TOKENS),
  messages: [{ role: "user", content: prompt }],
})

const readAnswer = Effect.fnUntraced(function* (
  { next, requestId }: OpenedStream,
  maxTokens: number,
  emit: (text: string) => Effect.Effect<unknown>,
  used: (usage: Usage) => void,
): Effect.fn.Return<void, ModelError> {
  let reason: unknown = null
  for (let events = yield* next; events !== null; events = yield* next) {
    const texts: Array<string> = []
    for (const event of events) {
      const text = textOf(event)
      if (text !== "") texts.push(text)
      const usage = usageOf(event)
      if (usage !== null) used(usage)
      if (event.type === "message_delta" && isPlainObject(event["delta"]))
        reason = event["delta"]["stop_reason"] ?? reason
    }
    if (texts.length > 0) yield* emit(texts.join(""))
  }
  const error = unfinished(typeof reason === "string" ? reason : null, maxTokens, requestId)
  if (error !== null) return yield* error
})

/** The usage in an event: `message_start` has that of the prompt, `message_delta` that of the answer; null for other events. */
const usageOf = (event: RawStreamEvent): Usage | null => {
  const from = event.type === "message_start" ? event["message"] : event.type === "message_delta" ? event : null
  const usage = isPlainObject(from) ? from["usage"] : null
  return isPlainObject(usage) ? usage : null
}

/** The text that an event adds to the answer; empty for thinking and all other events. */
const textOf = (event: RawStreamEvent): string => {
  const from = event.type === "content_block_start" ? event["content_block"] : event["delta"]
  if (event.type !== "content_block_start" && event.type !== "content_block_delta") return ""
  if (!isPlainObject(from) || (from["type"] !== "text" && from["type"] !== "text_delta")) return ""
  return typeof from["text"] === "string" ? from["text"] : ""
}
