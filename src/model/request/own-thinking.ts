// Receives the messages of a request and its model; returns them without the thinking of other models.
// Invariant: a message without such thinking is returned as the same object, and no message is left out.
import { immutableMessage, type ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { modelOf } from "../conversation-cache/model-of-message.ts"
import { memoizeMessage } from "../conversation-cache/memoize-message.ts"
import { apiModelOf, resolveModel } from "../catalogue/models.ts"
import { blocksOf } from "../../schemas/sdk/messages/blocks.ts"
import { isThinking } from "./message-blocks.ts"

/**
 * As the official SDK: thinking is sent to the model that wrote it, and to no other, whose API may refuse its signature. It is
 * sent again when the conversation returns to its model.
 */
export const withOwnThinking = (
  messages: ReadonlyArray<ImmutableMessage>,
  model: string,
): ReadonlyArray<ImmutableMessage> => {
  const own = new Set<string | undefined>([undefined, model])
  const others = new Set<string>()
  const isOwn = (writer: string | undefined): boolean => {
    if (writer === undefined || own.has(writer)) return true
    if (others.has(writer)) return false
    const same = isSameModel(writer, model)
    if (same) own.add(writer)
    else others.add(writer)
    return same
  }
  if (messages.every((message) => isOwn(modelOf(message)))) return messages
  return messages.map((message) => (isOwn(modelOf(message)) ? message : withoutThinking(message, "")))
}

/** What all names of one model have in common. */
const kindOf = (model: string): unknown => resolveModel(model).listed ?? apiModelOf(model)

/** Whether two names are those of one model. */
export const isSameModel = (one: string, other: string): boolean => one === other || kindOf(one) === kindOf(other)

const withoutThinking = memoizeMessage((message) => {
  const blocks = blocksOf(message.content)
  const content = blocks.filter((block) => !isThinking(block))
  // The API refuses a message without blocks.
  const unchanged = content.length === blocks.length || content.length === 0
  return unchanged ? message : immutableMessage({ role: message.role, content })
})
