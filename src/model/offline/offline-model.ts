// Receives a request; answers it without a network, as a whole message or as the events that the real API would stream.
// Invariant: it never pretends to be Claude, and the same request gets the same answer.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { uuidV8 } from "../../schemas/ids.ts"
import { estimateTokens } from "../catalogue/estimate.ts"
import { OFFLINE_MODEL } from "../catalogue/models.ts"
import { MessagesApi, type MessagesRequest, type RawStreamEvent, type RequestContext } from "../messages-api.ts"
import { answerTo } from "./offline-turn.ts"

/** The built-in model. */
export const offlineMessages: MessagesApi["Service"] = {
  stream: (request, context, use) =>
    Effect.flatMap(answerWhole(request, context), (message) => {
      const parts = [eventsOf(message)]
      return use({ requestId: null, next: Effect.sync(() => parts.shift() ?? null), breaks: () => false })
    }),
  complete: (request, context) =>
    Effect.map(answerWhole(request, context), (message) => ({ requestId: null, message })),
}

/** The model of a server that has no API key. */
export const offlineModel: Layer.Layer<MessagesApi> = Layer.succeed(MessagesApi, offlineMessages)

interface TextBlock {
  readonly type: "text"
  readonly text: string
}

interface CallBlock {
  readonly type: "tool_use"
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

const answerWhole = Effect.fnUntraced(function* (request: MessagesRequest, context: RequestContext) {
  const { text, call } = answerTo(request)
  const sent = JSON.stringify([request.system, request.tools, request.messages])
  // A hash of the request: unique in a session, because its history grows.
  const id = (yield* Effect.promise(() => uuidV8(context.sessionId, sent))).replaceAll("-", "")
  const content: ReadonlyArray<TextBlock | CallBlock> = [
    { type: "text", text },
    ...(call === null ? [] : [{ type: "tool_use", id: `toolu_offline_${id}`, ...call } as const]),
  ]
  const output = call === null ? text : text + JSON.stringify(call.input)
  return {
    id: `msg_offline_${id}`,
    type: "message",
    role: "assistant",
    model: OFFLINE_MODEL,
    content,
    stop_reason: call === null ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: {
      input_tokens: Math.max(1, estimateTokens(sent)),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: Math.max(1, estimateTokens(output)),
    },
  }
})

const eventsOf = (message: Effect.Success<ReturnType<typeof answerWhole>>): ReadonlyArray<RawStreamEvent> => {
  const { content, stop_reason, stop_sequence, usage, ...head } = message
  const opening = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  return [
    { type: "message_start", message: opening },
    ...content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage },
    { type: "message_stop" },
  ]
}

const blockEvents = (block: TextBlock | CallBlock, index: number): ReadonlyArray<RawStreamEvent> => {
  const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} }
  const deltas =
    block.type === "text"
      ? piecesOf(block.text).map((text) => ({ type: "text_delta", text }))
      : piecesOf(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json }))
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]
}

/** Pieces of about 20 characters that end with a space. */
const piecesOf = (text: string): ReadonlyArray<string> => text.match(/[\s\S]{1,20}(?:\s+|$)|[\s\S]{1,20}/g) ?? []
