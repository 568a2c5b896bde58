// Receives a request and answers it without any network, in the events that the real API would stream.
// Invariant: it never pretends to be Claude, and the same request gets the same answer.
import { Effect, Layer, Stream } from "effect"
import { uuidV8 } from "../schemas/ids.ts"
import { MessagesApi, type MessagesRequest, type RawStreamEvent, type RequestContext } from "./messages-api.ts"
import { answerTo, type OfflineAnswer } from "./offline-turn.ts"

/** What the answers name as their model: it has no price. */
export const OFFLINE_MODEL = "perch-offline"

/** The built-in model for servers without an API key. */
export const offlineModel: Layer.Layer<MessagesApi> = Layer.succeed(MessagesApi, {
  kind: "offline",
  open: Effect.fnUntraced(function* (request: MessagesRequest, context: RequestContext) {
    const answer = answerTo(request)
    const sent = JSON.stringify([request.system, request.tools, request.messages])
    // A hash of the request: unique in a session, because its history grows.
    const id = (yield* Effect.promise(() => uuidV8(context.sessionId, sent))).replaceAll("-", "")
    return { requestId: null, events: Stream.fromIterable(eventsOf(answer, id, tokensIn(sent))) }
  }),
})

/** About four characters make a token. */
const tokensIn = (text: string): number => Math.max(1, Math.ceil(text.length / 4))

const eventsOf = (answer: OfflineAnswer, id: string, inputTokens: number): ReadonlyArray<RawStreamEvent> => {
  const input = answer.call === null ? "" : JSON.stringify(answer.call.input)
  const usage = { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = {
    id: `msg_offline_${id}`,
    type: "message",
    role: "assistant",
    model: OFFLINE_MODEL,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  const texts = piecesOf(answer.text).map((text) => ({ type: "text_delta", text }))
  const inputs = piecesOf(input).map((json) => ({ type: "input_json_delta", partial_json: json }))
  const start = { type: "tool_use", id: `toolu_offline_${id}`, name: answer.call?.name, input: {} }
  return [
    { type: "message_start", message },
    ...blockEvents(0, { type: "text", text: "" }, texts),
    ...(answer.call === null ? [] : blockEvents(1, start, inputs)),
    {
      type: "message_delta",
      delta: { stop_reason: answer.call === null ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { ...usage, output_tokens: tokensIn(answer.text + input) },
    },
    { type: "message_stop" },
  ]
}

const blockEvents = (index: number, block: object, deltas: ReadonlyArray<object>): ReadonlyArray<RawStreamEvent> => [
  { type: "content_block_start", index, content_block: block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
]

/** Pieces of a few words each. */
const piecesOf = (text: string): ReadonlyArray<string> => text.match(/[\s\S]{1,20}(?:\s+|$)|[\s\S]{1,20}/g) ?? []
