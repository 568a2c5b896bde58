// Receives SDK messages; returns the blocks in them from which a run's steps are made.
// Invariant: every field is checked before use, because servers and imported conversations can put anything into a message.
import type { PayloadOf } from "../../schemas/log/event-payloads.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { textOf } from "../../schemas/json/text-field.ts"

type Fields = Readonly<Record<string, unknown>>

export type AnswerBlock =
  | { readonly kind: "text" | "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly input: Fields }

export interface ToolResult {
  readonly id: string
  readonly content: unknown
  readonly isError: boolean
}

/** The meaning of a stream event: a message starts, a block starts (null: a kind that is not streamed), or a block grows. */
export type LiveChange =
  | { readonly kind: "message"; readonly id: string }
  | { readonly kind: "block"; readonly block: "text" | "thinking" | null; readonly text: string }
  | { readonly kind: "delta"; readonly block: "text" | "thinking"; readonly text: string }

const fieldsOf = (value: unknown): Fields => (isPlainObject(value) ? value : {})

export const answerBlocks = ({ message }: PayloadOf<"sdk:assistant">): ReadonlyArray<AnswerBlock> =>
  blocksIn(message.content).flatMap((block): ReadonlyArray<AnswerBlock> => {
    switch (block["type"]) {
      case "text":
        return [{ kind: "text", text: textOf(block["text"]) }]
      case "thinking":
        return [{ kind: "thinking", text: textOf(block["thinking"]) }]
      case "tool_use":
        return [{ kind: "call", id: textOf(block["id"]), name: textOf(block["name"]), input: fieldsOf(block["input"]) }]
      default:
        return []
    }
  })

export const toolResults = ({ message }: PayloadOf<"sdk:user">): ReadonlyArray<ToolResult> =>
  blocksIn(message.content).flatMap((block) =>
    block["type"] === "tool_result"
      ? [{ id: textOf(block["tool_use_id"]), content: block["content"], isError: block["is_error"] === true }]
      : [],
  )

export const liveChangeOf = (payload: PayloadOf<"sdk:stream_event">): LiveChange | null => {
  const event = fieldsOf(payload.event)
  switch (event["type"]) {
    case "message_start":
      return { kind: "message", id: textOf(fieldsOf(event["message"])["id"]) }
    case "content_block_start": {
      const block = fieldsOf(event["content_block"])
      const kind = block["type"] === "text" || block["type"] === "thinking" ? block["type"] : null
      return { kind: "block", block: kind, text: kind === null ? "" : textOf(block[kind]) }
    }
    case "content_block_delta": {
      const delta = fieldsOf(event["delta"])
      if (delta["type"] === "text_delta") return { kind: "delta", block: "text", text: textOf(delta["text"]) }
      return delta["type"] === "thinking_delta"
        ? { kind: "delta", block: "thinking", text: textOf(delta["thinking"]) }
        : null
    }
    default:
      return null
  }
}
