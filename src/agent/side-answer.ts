// Receives messages for one request outside the turn's conversation, such as a summary; sends it once and returns the
// text of the answer.
// Invariant: every answer appends one `call:finished` with its purpose, so that its cost is counted; the conversation does
// not change.
import * as Effect from "effect/Effect"
import { immutableMessage } from "../model/conversation-cache/immutable-message.ts"
import type { ModelTimeouts } from "../model/live/model-timeouts.ts"
import { type AssistantBlock, StreamDecoder } from "../model/answer/stream-decoder.ts"
import { type CompletedAnswer, MessagesApi, type ModelError, type OpenedStream } from "../model/messages-api.ts"
import type { CallFinished } from "../schemas/log/event-payloads.ts"
import { costOfBroken } from "./broken-answer.ts"
import { stopReasonIn, usageIn } from "./messages/answer-fields.ts"
import { callFinished, type LiveAnswer } from "./messages/live-answer.ts"
import { Log, TurnContext, type Turn } from "./ports.ts"
import { stepRequest } from "./step-request.ts"
import type { ApiMessage } from "./transcript/transcript.ts"

type Purpose = NonNullable<CallFinished["purpose"]>

export interface SideRequest {
  readonly messages: ReadonlyArray<ApiMessage>
  readonly purpose: Purpose
  readonly timeouts: ModelTimeouts
  /** True to leave out fields that only some models and servers accept. */
  readonly plain?: boolean
  /** The longest answer in tokens; null for the model's maximum. */
  readonly maxTokens?: number | null
  /** True to send the request without streaming, after a stream that failed. */
  readonly withoutStreaming?: boolean
  /** Another model than the turn's current one. */
  readonly model?: string
  /** How many of the messages, from the first on, may carry the cache breakpoint; by default all but the last. */
  readonly repeated?: number
}

export interface SideAnswer {
  readonly text: string
  /** The last text block, without spaces around it. */
  readonly last: string
  /** The calls in the answer; none of them is run. */
  readonly calls: ReadonlyArray<AssistantBlock>
  /** True if the model's safety checks stopped the answer, so that its text must not be used. */
  readonly isRefused: boolean
  /** True if the answer ends early because it has reached its maximum length. */
  readonly isCut: boolean
}

/** The messages followed by a user text, which is added to the last message if that is the user's, such as tool results. */
export const withQuestion = (messages: ReadonlyArray<ApiMessage>, text: string): ReadonlyArray<ApiMessage> => {
  const block = { type: "text", text }
  const last = messages.at(-1)
  return last?.role === "user"
    ? [...messages.slice(0, -1), { ...last, content: [...last.content, block] }]
    : [...messages, immutableMessage({ role: "user", content: [block] })]
}

/** Sends one request with the turn's system prompt and tools. `live` must be new; it records the state of the answer. */
export const sideAnswer = Effect.fnUntraced(function* (
  live: LiveAnswer,
  { purpose, timeouts, withoutStreaming = false, ...asked }: SideRequest,
): Effect.fn.Return<SideAnswer, ModelError, Log | TurnContext | MessagesApi> {
  const turn = yield* TurnContext
  const fallback = turn.memory.accounting.tally?.fallbackModel ?? null
  const { request, context, model } = stepRequest(turn, { ...(fallback === null ? {} : { model: fallback }), ...asked })
  const api = yield* MessagesApi
  live.startedAt = turn.now()
  live.model = model
  live.decoder = new StreamDecoder(request.max_tokens)
  if (withoutStreaming) return yield* readWhole(yield* api.complete(request, { ...context, timeouts }), live, purpose)
  return yield* api
    .stream(request, { ...context, timeouts }, (opened) => readAll(opened, live, purpose))
    .pipe(
      Effect.onInterrupt(() => payBroken(turn, live, null, purpose)),
      Effect.tapError((error) => payBroken(turn, live, error, purpose)),
    )
})

/** Reads the answer to its end and returns its text. */
const readAll = Effect.fnUntraced(function* (
  { requestId, next }: OpenedStream,
  live: LiveAnswer,
  purpose: Purpose,
): Effect.fn.Return<SideAnswer, ModelError, Log | TurnContext> {
  const turn = yield* TurnContext
  const blocks: Array<AssistantBlock> = []
  let reason: string | null = null
  live.requestId = requestId
  for (let events = yield* next; events !== null; events = yield* next) {
    for (const event of events) {
      live.open ||= event.type === "message_start"
      const known = live.decoder.push(event)
      if (known?.kind === "block_finished") blocks.push(known.block)
      if (known?.kind !== "message_finished") continue
      live.open = false
      const { stop_reason: stopReason, usage } = known
      reason = stopReason
      yield* pay(turn, live, { stopReason, usage, wasted: false }, purpose)
    }
  }
  return answerOf(blocks, reason)
})

const readWhole = Effect.fnUntraced(function* (
  { message, requestId }: CompletedAnswer,
  live: LiveAnswer,
  purpose: Purpose,
): Effect.fn.Return<SideAnswer, never, Log | TurnContext> {
  const turn = yield* TurnContext
  const { content, ...head } = message
  const stopReason = stopReasonIn(head)
  live.requestId = requestId
  yield* pay(turn, live, { head, stopReason, usage: usageIn(head), wasted: false }, purpose)
  // The API's message: its content is a list of blocks.
  return answerOf(content as ReadonlyArray<AssistantBlock>, stopReason)
})

const answerOf = (blocks: ReadonlyArray<AssistantBlock>, stopReason: string | null): SideAnswer => {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [String(block["text"] ?? "")] : []))
  return {
    text: texts.join(""),
    last: texts.at(-1)?.trim() ?? "",
    calls: blocks.filter(({ type }) => type === "tool_use"),
    isRefused: stopReason === "refusal",
    isCut: stopReason === "max_tokens" || stopReason === "model_context_window_exceeded",
  }
}

/** Appends the cost of an answer that broke off. */
const payBroken = (
  turn: Turn,
  live: LiveAnswer,
  error: ModelError | null,
  purpose: Purpose,
): Effect.Effect<void, never, Log> => {
  if (!live.open) return Effect.void
  live.open = false
  const end = { stopReason: null, usage: live.decoder.usage, wasted: true, ...costOfBroken(live, error, false) }
  return pay(turn, live, end, purpose)
}

/** Appends the cost of an answer. */
const pay = (turn: Turn, live: LiveAnswer, end: Parameters<typeof callFinished>[2], purpose: Purpose) => {
  const event = callFinished(turn, live, end)
  return Effect.flatMap(Log, (log) => log.append([{ ...event, payload: { ...event.payload, purpose } }]))
}
