// Receives the messages of a request; returns them with a number after each image of a prompt, so that the user and the
// model can refer to "image 2".
// Invariant: a conversation has the same numbers in all its requests, and the images stay unchanged.
import type { ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { heldOf } from "../conversation-cache/held-message.ts"
import { type Block, blocksOf } from "../../schemas/sdk/messages/blocks.ts"
import { memoizeMessage } from "../conversation-cache/memoize-message.ts"
import { anyMessage } from "../conversation-cache/any-message.ts"

/**
 * As the official SDK: a prompt is followed by a short text for each image that it contains. Images given by URL get none,
 * nor do images in tool results and in prompts that joined a turn.
 */
export const withImageNumbers = (messages: ReadonlyArray<ImmutableMessage>): ReadonlyArray<ImmutableMessage> => {
  if (!hasSentImage(messages)) return messages
  let count = 0
  return messages.map((message) => {
    const held = heldOf(message)
    if (held !== undefined) {
      // The images of held messages are already numbered; `images` counts those of all of them.
      count = held.of.images
      return message
    }
    const next = numberedFrom(message, count)
    count = next.images
    return next.message
  })
}

/** The message with numbers for its images, starting at `images + 1`, and the number of images up to and including it. */
export const numberedFrom = (
  message: ImmutableMessage,
  images: number,
): { readonly message: ImmutableMessage; readonly images: number } => {
  const blocks = blocksOf(message.content)
  if (message.role !== "user" || blocks.some((block) => block["type"] === "tool_result")) return { message, images }
  const numbers = blocks.filter(isSentImage).map((_, index) => `[Image ${images + index + 1}]`)
  if (numbers.length === 0) return { message, images }
  return { message: numbered(message, numbers.join("\n")), images: images + numbers.length }
}

/** Appends the lines of `numbers` to the message's blocks, as one text block each. */
const numbered = memoizeMessage((message, numbers) => {
  const texts = numbers.split("\n").map((text) => ({ type: "text", text }))
  return { ...message, content: [...blocksOf(message.content), ...texts] }
})

const isSentImage = (block: Block): boolean => {
  const { source } = block
  return (
    block["type"] === "image" && typeof source === "object" && source !== null && Reflect.get(source, "type") !== "url"
  )
}

const hasSentImage = anyMessage((message) => {
  if (message.role !== "user" || heldOf(message) !== undefined) return false
  const { content } = message
  return Array.isArray(content) && content[0]?.type !== "tool_result" && content.some(isSentImage)
})
