// Receives the content of a message; returns its blocks.
// Invariant: a text is read as one text block, as the Messages API does.

export interface Message {
  readonly role: "user" | "assistant"
  readonly content: unknown
}
export type Block = Readonly<Record<string, unknown>>

export const isThinking = (block: Block): boolean =>
  block["type"] === "thinking" || block["type"] === "redacted_thinking"

export const blocksOf = (message: Message): ReadonlyArray<Block> => {
  if (typeof message.content === "string") return [{ type: "text", text: message.content }]
  // Content is a string or a list of blocks: prompts are decoded at the API, answers by the stream decoder.
  return Array.isArray(message.content) ? (message.content as ReadonlyArray<Block>) : []
}
