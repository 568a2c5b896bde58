// Receives the conversation so far; makes one model request and starts the tool calls of its answer while it streams.
// Invariant: every block is in the log before it is sent as a message, and every answered request has one `call:finished`.
import * as Effect from "effect/Effect"
import { MessagesApi, ModelError, type OpenedStream, type RawStreamEvent } from "../model/messages-api.ts"
import {
  apiErrorText,
  blamesConversation,
  countFailure,
  finalErrorKind,
  MAX_RETRIES,
  NOTHING_TRIED,
  plan,
  terminalReasonOf,
} from "../model/retry.ts"
import { type AssistantBlock, type Decoded, StreamDecoder } from "../model/answer/stream-decoder.ts"
import { thinkingDelta } from "../model/answer/thinking-delta.ts"
import { type ModelTimeouts, timeoutsOf } from "../model/live/model-timeouts.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import { batchEvent } from "./batch-end.ts"
import { abandon, isPermanent } from "./broken-answer.ts"
import type { CallBatch } from "./calls/call-batch.ts"
import { removeLargeMedia } from "./compaction/remove-media.ts"
import { fallbackMessage, fallbackOf } from "./fallback.ts"
import { answerStamp, isFirstAnswer, stamp } from "./calls/hook-events.ts"
import { stopReasonIn, usageIn } from "./messages/answer-fields.ts"
import { displayed } from "./messages/displayed-message.ts"
import { callFinished, headOf, type LiveAnswer, partialEvent, thinkingEvent } from "./messages/live-answer.ts"
import { type CallServices, Hooks, Log, TurnContext, type Turn } from "./ports.ts"
import { planReminder } from "./messages/plan-reminder.ts"
import { apiErrorMessage, assistantMessage, answers, systemMessage } from "./messages/sdk-messages.ts"
import { beginTry } from "./retry-wait.ts"
import { requestModelOf, stepRequest } from "./step-request.ts"
import { isBlank } from "./transcript/sent-messages.ts"
import { batchedCall } from "./calls/tool-call.ts"
import { beginning, withUniqueId } from "./calls/unique-ids.ts"
import { withoutQuotes } from "../tools/quoted-parameters.ts"

/**
 * How a step ended: `answered` completely; `broken` off after something that is kept, so that the turn continues; `failed`,
 * with the error in the log; `refused`: the API refuses the conversation, and the caller must change it or report the error.
 */
export type StepEnd = "answered" | "broken" | "failed" | "refused"

/** Sends clients `status: requesting`, once for each step; as in the official SDK, before a compaction that the step needs. */
export const announceRequest = (turn: Turn, log: Log["Service"], live: LiveAnswer): void => {
  if (live.announced || !log.wantsPartials()) return
  const status = systemMessage(stamp(turn), "status", { status: "requesting", ...answers(turn.promptUuids) })
  log.emit({ name: status.name, turn: turn.id, payload: status.payload })
  live.announced = true
}

/** Sends the request, and retries it as long as that may help. */
export const runStep = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<StepEnd, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  turn.beginStep?.()
  const maxRetries = turn.options.max_retries ?? MAX_RETRIES
  const state = { ...NOTHING_TRIED, maxRetries }
  const timeouts = timeoutsOf(turn.options, turn.now())
  // As the official SDK: a model that a client sets meanwhile is that of the next step.
  const model = requestModelOf(turn)
  const reminded = planReminder(turn)
  if (reminded.length > 0) yield* log.append(reminded)
  announceRequest(turn, log, live)
  live.announced = false
  for (;;) {
    const answer = yield* Effect.result(
      (state.nonStreamingTried ? completeOnce : streamOnce)(batch, live, {
        plain: state.plainTries > 0,
        maxTokens: state.maxTokens,
        timeouts,
        model,
      }),
    )
    if (answer._tag === "Success") {
      live.removedMedia = false
      return "answered"
    }
    const error = answer.failure
    if (yield* endedAnyway(batch, live, error)) return "answered"
    const unseen = !live.decoder.hasContent
    const thought = unseen && live.open && turn.memory.transcript.fragment() !== undefined
    const kept = yield* abandon(live, error)
    if (kept !== "nothing") return kept === "given_up" ? "failed" : "broken"
    countFailure(state, error)
    const fallback = fallbackOf(turn)
    const tried = plan(error, { ...state, unseen, thought, fallbackLeft: fallback !== null })
    if (tried.next === "fail" && blamesConversation(error)) {
      live.refusal = error
      return "refused"
    }
    if (tried.next === "fallback_model") yield* log.append([fallbackMessage(turn, String(fallback), tried.trigger)])
    if (!(yield* beginTry(turn, error, tried, state, timeouts, true))) {
      yield* log.append(yield* displayed(apiFailure(turn, error)))
      return "failed"
    }
  }
})

/** Appends the error with which the API refused the conversation. */
export const reportRefusal = Effect.fnUntraced(function* (
  live: LiveAnswer,
): Effect.fn.Return<void, never, Hooks | Log | TurnContext> {
  if (live.refusal === null) return
  const log = yield* Log
  const turn = yield* TurnContext
  const removed = live.refusal.status === 413 ? removeLargeMedia(turn) : []
  yield* log.append([...removed, ...(yield* displayed(apiFailure(turn, live.refusal)))])
})

/** Ends an answer that broke off after its stop reason as a complete one, except by a permanent error; true if it did. */
const endedAnyway = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
  error: ModelError,
): Effect.fn.Return<boolean, never, CallServices> {
  const end = live.open && !isPermanent(error, yield* TurnContext) ? live.decoder.ended() : null
  if (end === null) return false
  yield* onEnd(end, batch, live)
  const log = yield* Log
  if (log.wantsPartials()) log.emit(partialEvent(yield* TurnContext, { type: "message_stop" }, live))
  return true
})

/** How one request of a step is sent. */
interface RequestSettings {
  /** The model of the step; a fallback replaces it. */
  readonly model: string
  /** True to leave out fields that only some models and servers accept. */
  readonly plain: boolean
  /** The longest answer in tokens; null for the model's maximum. */
  readonly maxTokens: number | null
  readonly timeouts: ModelTimeouts
}

const requestOf = (turn: Turn, { timeouts, model: given, ...others }: RequestSettings) => {
  const requested = turn.memory.accounting.tally?.fallbackModel ?? given
  const { request, context, model } = stepRequest(turn, { ...others, model: requested })
  return { request, context: { ...context, timeouts }, model }
}

/** Sends the request without streaming: the answer arrives as one complete message. */
const completeOnce = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
  settings: RequestSettings,
): Effect.fn.Return<void, ModelError, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const api = yield* MessagesApi
  const log = yield* Log
  const { request, context, model } = requestOf(turn, settings)
  live.startedAt = turn.now()
  live.model = model
  live.open = false
  const { message, requestId } = yield* api.complete(request, context)
  live.requestId = requestId
  const { content, ...head } = message
  // The API's message: its content is a list of blocks.
  const blocks: Array<AssistantBlock> = []
  for (const block of content as ReadonlyArray<AssistantBlock>)
    blocks.push(unquotedCall(turn, yield* withUniqueId(block, blocks)))
  const finished = callFinished(turn, live, {
    head,
    stopReason: stopReasonIn(head),
    stopDetails: head["stop_details"],
    usage: usageIn(head),
    wasted: false,
    blank: blocks.length > 0 && blocks.every(isBlank),
  })
  // Blank texts are left out: clients do not see them, and the API would refuse them in later requests.
  const shown = blocks.filter((block) => !isBlank(block))
  const messages: Array<NewEvent> = []
  for (const block of shown) {
    const first = messages.length === 0 && isFirstAnswer(turn)
    messages.push(...(yield* displayed(assistantMessage(answerStamp(turn, first), head, [block], { requestId }))))
  }
  yield* log.append([...messages, finished])
  if (head["stop_reason"] === "refusal") return
  for (const block of shown) yield* startCall(block, batch)
})

const streamOnce = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
  settings: RequestSettings,
): Effect.fn.Return<void, ModelError, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const api = yield* MessagesApi
  const log = yield* Log
  const { request, context, model } = requestOf(turn, settings)
  live.model = model
  live.decoder = new StreamDecoder(request.max_tokens)
  live.requestId = null
  live.thought = 0
  live.delayedCalls = []
  live.blank = null
  live.startedAt = turn.now()
  live.open = false
  log.beforeModelRequest()
  yield* api.stream(request, context, (opened) => readAnswer(opened, batch, live))
})

const readAnswer = Effect.fnUntraced(function* (
  { requestId, next, breaks }: OpenedStream,
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, ModelError, CallServices> {
  live.requestId = requestId
  for (let events = yield* next; events !== null; events = yield* next) yield* onEvents(events, breaks, batch, live)
})

/** Processes events as they arrive, those of a network chunk together. Most are only passed on to clients. */
const onEvents = Effect.fnUntraced(function* (
  events: ReadonlyArray<RawStreamEvent>,
  breaks: () => boolean,
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  // As in the official SDK, a call starts while the answer still streams, but not if the answer breaks off or is refused right
  // after it: therefore a call is started only when the event after it has arrived.
  const stops = breaks() || events.some(refuses)
  for (const raw of events) {
    if (!stops && live.delayedCalls.length > 0) yield* startDelayedCalls(batch, live)
    const event = raw.type === "content_block_start" ? yield* beginning(raw) : raw
    live.open ||= event.type === "message_start"
    const thought = thinkingDelta(event)
    const known = live.decoder.push(event)
    if (known?.kind === "block_started") preload(turn, known.block)
    if (known?.kind === "block_finished") yield* onBlock(known.block, live)
    if (known?.kind === "message_finished") yield* onEnd(known, batch, live)
    if (log.wantsPartials() && event.type !== "ping") log.emit(partialEvent(turn, event, live))
    if (thought !== null && log.hasListeners()) log.emit(thinkingEvent(turn, thought.estimated_tokens_delta, live))
  }
  if (stops) live.delayedCalls = []
})

/** Loads what a call's tool needs while the call's input streams. A failure is reported when the call starts. */
const preload = ({ toolByName }: Turn, { type, name }: AssistantBlock): void => {
  if (type === "tool_use")
    toolByName(String(name))
      ?.load?.()
      ?.catch(() => undefined)
}

/** The block; if it is a call, with quoted parameters as values, as clients, hooks and later requests see them too. */
const unquotedCall = ({ toolByName }: Turn, block: AssistantBlock): AssistantBlock => {
  const tool = block.type === "tool_use" ? toolByName(String(block["name"])) : undefined
  if (tool === undefined) return block
  const input = withoutQuotes(tool.inputSchema, block["input"])
  return input === block["input"] ? block : { ...block, input }
}

/** True for the event that ends an answer which the model's safety checks stopped. */
const refuses = ({ type, delta }: RawStreamEvent): boolean =>
  type === "message_delta" && isPlainObject(delta) && delta["stop_reason"] === "refusal"

const startDelayedCalls = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, never, CallServices> {
  for (const block of live.delayedCalls.splice(0)) yield* startCall(block, batch)
})

const onBlock = Effect.fnUntraced(function* (
  answered: AssistantBlock,
  live: LiveAnswer,
): Effect.fn.Return<void, never, CallServices> {
  if (isBlank(answered)) {
    live.blank ??= true
    return
  }
  live.blank = false
  const turn = yield* TurnContext
  const block = unquotedCall(turn, answered)
  const log = yield* Log
  const { requestId } = live
  const events = yield* displayed(assistantMessage(answerStamp(turn), headOf(live), [block], { requestId }))
  // Sends a text that arrived in one chunk with its end before the append, which would delay it.
  if (block.type === "text" && log.wantsPartials()) log.sendEmitted()
  yield* log.append(events)
  if (block.type === "tool_use") live.delayedCalls.push(block)
})

const onEnd = Effect.fnUntraced(function* (
  known: Extract<Decoded, { kind: "message_finished" }>,
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  yield* log.append([
    callFinished(turn, live, {
      stopReason: known.stop_reason,
      stopDetails: known.stop_details,
      usage: known.usage,
      wasted: false,
      blank: live.blank === true,
    }),
    ...(known.stop_reason === "refusal" ? [] : yield* batchEvent(turn, batch)),
  ])
  live.open = false
})

/** Starts a call while the answer still streams; if there is a budget, it runs only when the answer's cost is known. */
const startCall = (block: AssistantBlock, batch: CallBatch<CallServices>): Effect.Effect<void, never, CallServices> => {
  if (block.type !== "tool_use" || typeof block["id"] !== "string") return Effect.void
  const use = { id: block["id"], name: String(block["name"]), input: block["input"], messageId: "" }
  return Effect.flatMap(TurnContext, ({ options }) =>
    Effect.flatMap(batchedCall(use), (call) =>
      batch.add(options.maxBudgetUsd === undefined ? call : batch.runningLater(call)),
    ),
  )
}

const apiFailure = (turn: Turn, error: ModelError): NewEvent<"sdk:assistant"> =>
  apiErrorMessage(answerStamp(turn), {
    kind: finalErrorKind(error),
    text: apiErrorText(error),
    status: error.status,
    type: error.type,
    requestId: error.requestId,
    terminalReason: terminalReasonOf(error),
    ...(blamesConversation(error) ? { details: error.message } : {}),
  })
