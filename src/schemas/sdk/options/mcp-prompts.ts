// What an MCP server reports of its prompts, in the protocol's shapes.
// Invariant: shapes only; what is not named here is ignored, never refused.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

const opt = Schema.optionalKey

/** A page of the answer to `prompts/list`; each prompt is judged by itself. */
export const McpPromptsPage = open({ prompts: Schema.Array(Schema.Unknown), nextCursor: opt(Schema.String) })

/** One entry of it. */
export const McpPromptInfo = open({
  name: Schema.String,
  title: opt(Schema.String),
  description: opt(Schema.String),
  arguments: opt(
    Schema.Array(open({ name: Schema.String, description: opt(Schema.String), required: opt(Schema.Boolean) })),
  ),
})
export type McpPromptInfo = typeof McpPromptInfo.Type

/** The answer to `prompts/get`; each message is judged by itself. */
export const McpPromptResult = open({ messages: Schema.Array(Schema.Unknown) })

/** One message of it. Its role is not looked at: all of them become the user's prompt. */
export const McpPromptMessage = open({ content: Schema.Unknown })
