// An MCP server's reports about its prompts, in the protocol's shapes.
// Invariant: shapes only; unknown fields are ignored, never refused.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

const opt = Schema.optionalKey

/** A page of the answer to `prompts/list`; each prompt is decoded by itself. */
export const McpPromptsPage = open({ prompts: Schema.Array(Schema.Unknown), nextCursor: opt(Schema.String) })

/** One prompt of a page. */
export const McpPromptInfo = open({
  name: Schema.String,
  title: opt(Schema.String),
  description: opt(Schema.String),
  arguments: opt(
    Schema.Array(open({ name: Schema.String, description: opt(Schema.String), required: opt(Schema.Boolean) })),
  ),
})
export type McpPromptInfo = typeof McpPromptInfo.Type

/** The answer to `prompts/get`; each message is decoded by itself. */
export const McpPromptResult = open({ messages: Schema.Array(Schema.Unknown) })

/** One message of a prompt. Its role is ignored, because all messages become the user's prompt. */
export const McpPromptMessage = open({ content: Schema.Unknown })
