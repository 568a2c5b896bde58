// The messages of a request, and what their blocks are.
import type { Block, Content } from "../../schemas/sdk/messages/blocks.ts"

export interface Message {
  readonly role: "user" | "assistant"
  readonly content: Content
}

export const isThinking = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking"
