// Receives the messages of a request; returns them with a number after each image of a prompt, so that the user and the
// model can speak of "image 2".
// Invariant: the same conversation has the same numbers in each of its requests, and the images stay as they are.
import { type Block, blocksOf, type Message } from "./message-blocks.ts"

/** As the official SDK, a short text follows each image of a user message; images in tool results have none. */
export const withImageNumbers = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  let count = 0
  const numbered = (block: Block): ReadonlyArray<Block> => {
    if (block["type"] !== "image") return [block]
    count += 1
    return [block, { type: "text", text: `[Image ${count}]` }]
  }
  return messages.map((message) => {
    if (message.role !== "user" || !blocksOf(message).some((block) => block["type"] === "image")) return message
    return { ...message, content: blocksOf(message).flatMap(numbered) }
  })
}
