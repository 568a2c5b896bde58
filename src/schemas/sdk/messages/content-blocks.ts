// The blocks of a message's content in the Messages API: those of an answer, and those that a user may send.
// Invariant: a block of a known type has its fields; a block of any other type, and every unknown field, is kept unchanged.
import * as Schema from "effect/Schema"
import { open, otherThan } from "../open.ts"

export const CacheControl = open({
  type: Schema.Literal("ephemeral"),
  ttl: Schema.optionalKey(Schema.Literals(["5m", "1h"])),
})
const cached = { cache_control: Schema.optionalKey(Schema.NullOr(CacheControl)) }
const Typed = open({ type: Schema.String })

export const TextBlock = open({
  type: Schema.Literal("text"),
  text: Schema.String,
  citations: Schema.optionalKey(Schema.NullOr(Schema.Array(Typed))),
  ...cached,
})
export type TextBlock = typeof TextBlock.Type

export const ThinkingBlock = open({
  type: Schema.Literal("thinking"),
  thinking: Schema.String,
  signature: Schema.String,
})
export type ThinkingBlock = typeof ThinkingBlock.Type

export const RedactedThinkingBlock = open({ type: Schema.Literal("redacted_thinking"), data: Schema.String })
export type RedactedThinkingBlock = typeof RedactedThinkingBlock.Type

/** A call of a tool that the API's caller executes. */
export const ToolUseBlock = open({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Schema.Unknown,
  caller: Schema.optionalKey(Typed),
  toolset_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  ...cached,
})
export type ToolUseBlock = typeof ToolUseBlock.Type

const serverToolUse = <const Type extends string>(type: Type) =>
  open({
    type: Schema.Literal(type),
    id: Schema.String,
    name: Schema.String,
    input: Schema.Unknown,
    server_name: Schema.optionalKey(Schema.String),
  })
const serverToolUses = [serverToolUse("server_tool_use"), serverToolUse("mcp_tool_use")] as const

/** A call of a tool that the API itself executes, or that it sends to an MCP server (`server_name`). */
export const ServerToolUseBlock = Schema.Union(serverToolUses)
export type ServerToolUseBlock = typeof ServerToolUseBlock.Type

const serverToolResult = <const Type extends string>(type: Type) =>
  open({
    type: Schema.Literal(type),
    tool_use_id: Schema.String,
    content: Schema.optionalKey(Schema.Unknown),
  })
const serverToolResults = [
  serverToolResult("web_search_tool_result"),
  serverToolResult("web_fetch_tool_result"),
  serverToolResult("advisor_tool_result"),
  serverToolResult("code_execution_tool_result"),
  serverToolResult("bash_code_execution_tool_result"),
  serverToolResult("text_editor_code_execution_tool_result"),
  serverToolResult("tool_search_tool_result"),
  serverToolResult("mcp_tool_result"),
] as const

/** The result of a call that the API executed. Its content differs by tool and version, and is kept unchanged. */
export const ServerToolResultBlock = Schema.Union(serverToolResults)
export type ServerToolResultBlock = typeof ServerToolResultBlock.Type

const base64 = { type: Schema.Literal("base64"), data: Schema.String }
export const Base64ImageSource = open({
  ...base64,
  media_type: Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"]),
})
export const UrlSource = open({ type: Schema.Literal("url"), url: Schema.String })
export const FileSource = open({ type: Schema.Literal("file"), file_id: Schema.String })

export const ImageBlock = open({
  type: Schema.Literal("image"),
  source: Schema.Union([Base64ImageSource, UrlSource, FileSource]),
  ...cached,
})
export type ImageBlock = typeof ImageBlock.Type

const CitationsConfig = open({ enabled: Schema.optionalKey(Schema.Boolean) })

export const DocumentBlock = open({
  type: Schema.Literal("document"),
  source: Schema.Union([
    open({ ...base64, media_type: Schema.Literal("application/pdf") }),
    open({ type: Schema.Literal("text"), media_type: Schema.Literal("text/plain"), data: Schema.String }),
    open({
      type: Schema.Literal("content"),
      content: Schema.Union([Schema.String, Schema.Array(Schema.Union([TextBlock, ImageBlock]))]),
    }),
    UrlSource,
    FileSource,
  ]),
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  context: Schema.optionalKey(Schema.NullOr(Schema.String)),
  citations: Schema.optionalKey(Schema.NullOr(CitationsConfig)),
  ...cached,
})
export type DocumentBlock = typeof DocumentBlock.Type

export const SearchResultBlock = open({
  type: Schema.Literal("search_result"),
  source: Schema.String,
  title: Schema.String,
  content: Schema.Array(TextBlock),
  citations: Schema.optionalKey(CitationsConfig),
  ...cached,
})
export type SearchResultBlock = typeof SearchResultBlock.Type

/** A block of a type that is not described here, such as those that the API adds later. */
export const OtherBlock = open({
  type: otherThan([
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "advisor_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "mcp_tool_result",
    "image",
    "document",
    "search_result",
    "tool_result",
  ]),
})
export type OtherBlock = typeof OtherBlock.Type

/** The result of a tool call. `is_error` marks a failed call, for the model. */
export const ToolResultBlock = open({
  type: Schema.Literal("tool_result"),
  tool_use_id: Schema.String,
  content: Schema.optionalKey(
    Schema.Union([
      Schema.String,
      Schema.Array(Schema.Union([TextBlock, ImageBlock, DocumentBlock, SearchResultBlock, OtherBlock])),
    ]),
  ),
  is_error: Schema.optionalKey(Schema.Boolean),
  toolset_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  ...cached,
})
export type ToolResultBlock = typeof ToolResultBlock.Type

const answerBlocks = [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ...serverToolUses,
  ...serverToolResults,
] as const

/** A block of an assistant message. */
export const AssistantContentBlock = Schema.Union([...answerBlocks, OtherBlock])
export type AssistantContentBlock = typeof AssistantContentBlock.Type

/** A block that a request may contain: of a prompt, of tool results, or of an earlier answer. */
export const UserContentBlock = Schema.Union([
  ...answerBlocks,
  ImageBlock,
  DocumentBlock,
  SearchResultBlock,
  ToolResultBlock,
  OtherBlock,
])
export type UserContentBlock = typeof UserContentBlock.Type

export const MessageContent = Schema.Union([Schema.String, Schema.Array(UserContentBlock)])
export type MessageContent = typeof MessageContent.Type

/** One message of a request. */
export const MessageParam = open({
  role: Schema.Literals(["user", "assistant", "system"]),
  content: MessageContent,
})
export type MessageParam = typeof MessageParam.Type
