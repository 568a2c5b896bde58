// Receives the conversation so far; makes one model request and starts the tool calls of its answer while it streams.
// Invariant: every block is in the log before anyone sees it whole, and every answered request leaves one `call:finished`.
import { Effect, Exit, Random, Scope, Stream } from "effect"
import { MessagesApi, ModelError, type OpenedStream, type RawStreamEvent } from "../model/messages-api.ts"
import { PRICE_VERSION, resolveModel } from "../model/models.ts"
import { costOf } from "../model/prices.ts"
import { apiErrorText, classify, errorKind, MAX_RETRIES, retryDelayMs } from "../model/retry.ts"
import { type AssistantBlock, type Decoded, StreamDecoder } from "../model/stream-decoder.ts"
import { type CallFinished, EventNames, type NewEvent } from "../schemas/events.ts"
import type { CallBatch } from "./call-batch.ts"
import { Log, TurnContext } from "./ports.ts"
import { apiErrorMessage, assistantMessage, systemMessage, userTextMessage } from "./sdk-messages.ts"
import { stepRequest } from "./step-request.ts"
import { batchedCall, type CallServices, stamp } from "./tool-calls.ts"
import type { Fragment } from "./transcript.ts"

/** How a step's answer ended: to its end, broken off after something that is kept, or not at all. */
export type StepEnd = "answered" | "broken" | "failed"

/** The answer that streams now, for an interrupt and for clients that join in the middle. */
export class LiveAnswer {
  decoder = new StreamDecoder()
  requestId: string | null = null
  startedAt = 0
  /** True from the first event until the answer's `call:finished` is written. */
  open = false
}

const CONTINUE_TEXT = "The connection broke while you were answering. Continue exactly where your last message stopped."

/** Makes the request, again and again while that may help. */
export const runStep = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<StepEnd, never, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const log = yield* Log
  for (let attempt = 1; ; attempt += 1) {
    if (log.wantsPartials()) {
      const status = systemMessage(stamp(turn), "status", { status: "requesting" })
      yield* log.emit({ name: status.name, turn: turn.turn, payload: status.payload })
    }
    const answer = yield* Effect.result(streamOnce(batch, live))
    if (answer._tag === "Success") return "answered"
    const error = answer.failure
    const kept = yield* abandon(live)
    if (kept) return "broken"
    if (classify(error) === "fatal" || attempt > MAX_RETRIES) {
      yield* log.append([apiFailure(turn, error)])
      return "failed"
    }
    const delay = retryDelayMs(attempt, error, yield* Random.next)
    yield* log.append([
      systemMessage(stamp(turn), "api_retry", {
        attempt,
        max_retries: MAX_RETRIES,
        retry_delay_ms: delay,
        error_status: error.status,
        error: errorKind(error),
      }),
    ])
    yield* Effect.sleep(delay)
  }
})

const streamOnce = Effect.fnUntraced(function* (
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, ModelError, CallServices | MessagesApi> {
  const turn = yield* TurnContext
  const api = yield* MessagesApi
  const scope = yield* Scope.make()
  const { request, context } = stepRequest(turn)
  live.decoder = new StreamDecoder()
  live.requestId = null
  live.startedAt = turn.now()
  live.open = false
  const consume = Effect.flatMap(api.open(request, context), (opened: OpenedStream) => {
    live.requestId = opened.requestId
    return Stream.runForEachArray(opened.events, (events) =>
      Effect.forEach(events, (event) => onEvent(event, batch, live), { discard: true }),
    )
  })
  yield* consume.pipe(
    Scope.provide(scope),
    Effect.onExit((exit) => Scope.close(scope, Exit.asVoid(exit))),
  )
})

const onEvent = (
  event: RawStreamEvent,
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.Effect<void, ModelError, CallServices> => {
  live.open = live.open || event.type === "message_start"
  const known = live.decoder.push(event)
  if (known === null || known.kind === "block_started") return emitPartial(event, live)
  return Effect.andThen(onKnown(known, batch, live), emitPartial(event, live))
}

const onKnown = Effect.fnUntraced(function* (
  known: Exclude<Decoded, { kind: "block_started" }>,
  batch: CallBatch<CallServices>,
  live: LiveAnswer,
): Effect.fn.Return<void, never, CallServices> {
  const turn = yield* TurnContext
  const log = yield* Log
  switch (known.kind) {
    case "message_started":
      return
    case "block_finished":
      yield* log.append([assistantMessage(stamp(turn), headOf(live), known.block, live.requestId)])
      yield* startCall(known.block, batch)
      return
    case "message_finished": {
      yield* log.append([
        callFinished(turn, live, { stopReason: known.stop_reason, usage: known.usage, wasted: false }),
      ])
      live.open = false
    }
  }
})

const startCall = (block: AssistantBlock, batch: CallBatch<CallServices>): Effect.Effect<void, never, CallServices> => {
  if (block.type !== "tool_use" || typeof block["id"] !== "string") return Effect.void
  const use = { id: block["id"], name: String(block["name"]), input: block["input"], messageId: "" }
  return Effect.flatMap(batchedCall(use), batch.add)
}

/** The API's message as each of its blocks carries it. */
export const headOf = (live: LiveAnswer): Record<string, unknown> => ({ ...live.decoder.message, content: [] })

/**
 * An answer that broke off: what it used is written down. True when a text or a call of it was complete: that is kept,
 * and the model is asked to go on from there.
 */
const abandon = Effect.fnUntraced(function* (live: LiveAnswer): Effect.fn.Return<boolean, never, Log | TurnContext> {
  const turn = yield* TurnContext
  const log = yield* Log
  if (!live.open) return false
  live.open = false
  const kept = keptOf(turn.memory.transcript.fragment())
  const events: Array<NewEvent> = [
    callFinished(turn, live, { stopReason: null, usage: live.decoder.usage, wasted: kept === "nothing" }),
  ]
  if (kept === "text") events.push(userTextMessage(stamp(turn), CONTINUE_TEXT, true))
  yield* log.append(events)
  for (const event of closingEvents(live)) yield* emitPartial(event, live)
  return kept !== "nothing"
})

/** What of a broken answer is worth keeping: its calls (which run), its text (which is continued), or nothing. */
const keptOf = (fragment: Fragment | undefined): "calls" | "text" | "nothing" => {
  if (fragment === undefined) return "nothing"
  if (fragment.content.some((block) => block.type === "tool_use")) return "calls"
  return fragment.content.some((block) => block.type === "text" && block["text"] !== "") ? "text" : "nothing"
}

/** An answer that a crash cut off before its end: it is closed with the usage that its first event told. */
export const recoverAnswer = Effect.fnUntraced(function* (): Effect.fn.Return<void, never, Log | TurnContext> {
  const turn = yield* TurnContext
  const fragment = turn.memory.transcript.fragment()
  if (fragment === undefined) return
  const log = yield* Log
  const kept = keptOf(fragment)
  const model = String(fragment.head["model"] ?? "")
  const usage = (fragment.head["usage"] ?? {}) as Record<string, unknown>
  const closed: CallFinished = {
    message_id: fragment.id,
    request_id: null,
    model,
    stop_reason: null,
    usage,
    usd: costOf(model, usage),
    price_version: PRICE_VERSION,
    duration_ms: 0,
    wasted: kept === "nothing",
  }
  const events: Array<NewEvent> = [{ name: EventNames.callFinished, payload: closed, turn: turn.turn }]
  if (kept === "text") events.push(userTextMessage(stamp(turn), CONTINUE_TEXT, true))
  yield* log.append(events)
})

/** What ends the stream events of an answer that will not end by itself. */
export const closingEvents = (live: LiveAnswer): ReadonlyArray<RawStreamEvent> => {
  const open = live.decoder.partial().filter((event) => event.type === "content_block_start")
  return [...open.map((event) => ({ type: "content_block_stop", index: event["index"] })), { type: "message_stop" }]
}

export const callFinished = (
  turn: TurnContext["Service"],
  live: LiveAnswer,
  end: { readonly stopReason: string | null; readonly usage: Record<string, unknown>; readonly wasted: boolean },
): NewEvent => {
  const message = live.decoder.message ?? {}
  const model =
    typeof message["model"] === "string" ? message["model"] : resolveModel(turn.options.model ?? "default").id
  const payload: CallFinished = {
    message_id: String(message["id"] ?? ""),
    request_id: live.requestId,
    model,
    stop_reason: end.stopReason,
    usage: end.usage,
    usd: costOf(model, end.usage),
    price_version: PRICE_VERSION,
    duration_ms: turn.now() - live.startedAt,
    wasted: end.wasted,
  }
  return { name: EventNames.callFinished, payload, turn: turn.turn }
}

const apiFailure = (turn: TurnContext["Service"], error: ModelError): NewEvent =>
  apiErrorMessage(stamp(turn), {
    kind: errorKind(error),
    text: apiErrorText(error),
    status: error.status,
    type: error.type,
    requestId: error.requestId,
  })

const emitPartial = (event: RawStreamEvent, live: LiveAnswer): Effect.Effect<void, never, Log | TurnContext> =>
  Effect.flatMap(Log, (log) => {
    if (!log.wantsPartials() || event.type === "ping") return Effect.void
    return Effect.flatMap(TurnContext, (turn) =>
      log.emit({
        name: "sdk:stream_event",
        turn: turn.turn,
        payload: {
          type: "stream_event",
          event,
          session_id: turn.sessionId,
          parent_tool_use_id: null,
          uuid: turn.newUuid(),
          ...(event.type === "message_start" ? { ttft_ms: turn.now() - live.startedAt } : {}),
        },
      }),
    )
  })
