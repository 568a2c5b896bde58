// Receives a turn whose request the API refused because of an image or a document; restarts its conversation without that.
// Invariant: only the model's conversation changes. The log and the history of clients keep the image or document.
import * as Effect from "effect/Effect"
import { immutableMessage } from "../../model/conversation-cache/immutable-message.ts"
import { modelOf, writtenBy } from "../../model/conversation-cache/model-of-message.ts"
import type { ModelError } from "../../model/messages-api.ts"
import { type RefusedMedia, refusedMedia } from "../../model/refused-media.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { answerStamp } from "../calls/hook-events.ts"
import { displayed } from "../messages/displayed-message.ts"
import type { LiveAnswer } from "../messages/live-answer.ts"
import { apiErrorMessage } from "../messages/sdk-messages.ts"
import { type Hooks, Log, type Turn, TurnContext } from "../ports.ts"
import type { ApiMessage } from "../transcript/transcript.ts"
import { storedMessages } from "../transcript/sent-messages.ts"

type Block = ApiMessage["content"][number]

/**
 * Removes the images, or the documents, of the last message that has some, and all of them when the API refuses the request
 * again. True when something was removed, so that the request is repeated. As the official SDK, clients get one message.
 */
export const removeRefusedMedia = Effect.fnUntraced(function* (
  live: LiveAnswer,
  error: ModelError,
): Effect.fn.Return<boolean, never, Hooks | Log | TurnContext> {
  const media = refusedMedia(error)
  if (media === null) return false
  const turn = yield* TurnContext
  const log = yield* Log
  const messages = withoutMedia(turn.memory.transcript.messages(), media, error, live.removedMedia)
  if (messages === null) return false
  const text = `API Error: The API could not process ${ARTICLES[media]} of the conversation, which was removed.`
  const removed = apiErrorMessage(answerStamp(turn), {
    kind: "invalid_request",
    text,
    status: null,
    type: "media_removed",
    requestId: null,
    // As the official SDK: the turn continues.
    stopReason: "tool_use",
  })
  yield* log.append([...(live.removedMedia ? [] : yield* displayed(removed)), restarted(turn, messages)])
  live.removedMedia = true
  return true
})

/** The messages with a text in place of the media of the last message that has some, or of all messages; null if none has. */
export const withoutMedia = (
  messages: ReadonlyArray<ApiMessage>,
  media: RefusedMedia,
  { message: reason }: Pick<ModelError, "message">,
  all: boolean,
): ReadonlyArray<ApiMessage> | null => {
  const why = reason.slice(0, MAX_REASON)
  const text = `[${NAMES[media]} removed: the API could not process it (${why}). Do not read it again as it is.]`
  const last = messages.findLastIndex(({ content }) => content.some((block) => holds(block, media)))
  if (last < 0) return null
  return messages.map((message, index) => {
    const { role, content } = message
    const kept = all || index === last ? replaced(content, media, text) : content
    return writtenBy(immutableMessage({ role, content: kept }), modelOf(message))
  })
}

/**
 * The event that removes the images and documents of the last message that has some; none without such a message. For a turn that
 * ends because its request had too many bytes: as in the official SDK, the request for the next prompt is smaller.
 */
export const removeLargeMedia = (turn: Turn): ReadonlyArray<NewEvent> => {
  const messages = turn.memory.transcript.messages()
  const last = messages.findLastIndex(({ content }) =>
    content.some((block) => MEDIA.some((media) => holds(block, media))),
  )
  if (last < 0) return []
  const smaller = messages.map((message, index) => (index === last ? withoutLarge(message) : message))
  return [restarted(turn, smaller)]
}

const restarted = (turn: Turn, messages: ReadonlyArray<ApiMessage>): NewEvent => ({
  name: EventNames.conversationRestarted,
  payload: { cause: "media", messages: storedMessages(messages) },
  turn: turn.id,
})

/** A text replaces each image, and a document in a tool result or in a message that has nothing else. */
const withoutLarge = (message: ApiMessage): ApiMessage => {
  const { role, content } = message
  const rest = content.filter(({ type }) => type !== "document")
  const kept = MEDIA.reduce(
    (blocks, media) => replaced(blocks, media, `[${NAMES[media]} removed: the request with it was too large.]`),
    rest.length === 0 ? content : rest,
  )
  return writtenBy(immutableMessage({ role, content: kept }), modelOf(message))
}

const replaced = (blocks: ReadonlyArray<Block>, media: RefusedMedia, text: string): ReadonlyArray<Block> =>
  blocks.map((block) => {
    if (block.type === media) return { type: "text", text }
    return holds(block, media) ? { ...block, content: replaced(innerOf(block), media, text) } : block
  })

const holds = (block: Block, media: RefusedMedia): boolean =>
  block.type === media || innerOf(block).some((inner) => holds(inner, media))

/** The blocks in a tool result, whose content is a text or a list of blocks. */
const innerOf = (block: Block): ReadonlyArray<Block> =>
  block.type === "tool_result" && Array.isArray(block["content"]) ? (block["content"] as ReadonlyArray<Block>) : []

const ARTICLES = { image: "an image", document: "a document" } as const
const NAMES = { image: "Image", document: "Document" } as const
const MAX_REASON = 300
export const MEDIA: ReadonlyArray<RefusedMedia> = ["image", "document"]
