// The pieces of a message's content, as the Messages API has them: what a prompt may hold, and what an answer may hold.
// Invariant: prompts are closed to what the API takes; answers are open, since new kinds of blocks must pass through.
import { Schema } from "effect"

const Base64Source = Schema.Struct({
  type: Schema.Literal("base64"),
  media_type: Schema.String.check(Schema.isMaxLength(100)),
  data: Schema.String,
})
const UrlSource = Schema.Struct({ type: Schema.Literal("url"), url: Schema.String.check(Schema.isMaxLength(4096)) })
const FileSource = Schema.Struct({
  type: Schema.Literal("file"),
  file_id: Schema.String.check(Schema.isMaxLength(200)),
})
const PlainTextSource = Schema.Struct({
  type: Schema.Literal("text"),
  media_type: Schema.Literal("text/plain"),
  data: Schema.String,
})

const CacheControl = Schema.Struct({
  type: Schema.Literal("ephemeral"),
  ttl: Schema.optionalKey(Schema.Literals(["5m", "1h"])),
})
const cached = { cache_control: Schema.optionalKey(Schema.NullOr(CacheControl)) }

export const TextPrompt = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String, ...cached })

export const ImagePrompt = Schema.Struct({
  type: Schema.Literal("image"),
  source: Schema.Union([Base64Source, UrlSource, FileSource]),
  ...cached,
})

export const DocumentPrompt = Schema.Struct({
  type: Schema.Literal("document"),
  source: Schema.Union([Base64Source, UrlSource, FileSource, PlainTextSource]),
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  context: Schema.optionalKey(Schema.NullOr(Schema.String)),
  citations: Schema.optionalKey(Schema.NullOr(Schema.Struct({ enabled: Schema.optionalKey(Schema.Boolean) }))),
  ...cached,
})

/** A block that a user's prompt may hold. */
export const PromptBlock = Schema.Union([TextPrompt, ImagePrompt, DocumentPrompt])
export type PromptBlock = typeof PromptBlock.Type

/** A prompt: a text, or one to a hundred blocks. */
export const PromptContent = Schema.Union([
  Schema.String,
  Schema.Array(PromptBlock).check(Schema.isMinLength(1), Schema.isMaxLength(100)),
])
export type PromptContent = typeof PromptContent.Type

/** The content of a tool's result. */
export const ToolResultBlock = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: Schema.String,
  content: Schema.optionalKey(
    Schema.Union([
      Schema.String,
      Schema.Array(
        Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)]),
      ),
    ]),
  ),
  is_error: Schema.optionalKey(Schema.Boolean),
})
export type ToolResultBlock = typeof ToolResultBlock.Type

const open = [Schema.Record(Schema.String, Schema.Unknown)] as const

export const TextBlock = Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  open,
)
export type TextBlock = typeof TextBlock.Type

export const ThinkingBlock = Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.String }),
  open,
)
export type ThinkingBlock = typeof ThinkingBlock.Type

export const RedactedThinkingBlock = Schema.StructWithRest(
  Schema.Struct({ type: Schema.Literal("redacted_thinking"), data: Schema.String }),
  open,
)
export type RedactedThinkingBlock = typeof RedactedThinkingBlock.Type

export const ToolUseBlock = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.Literal("tool_use"),
    id: Schema.String,
    name: Schema.String,
    input: Schema.Record(Schema.String, Schema.Unknown),
  }),
  open,
)
export type ToolUseBlock = typeof ToolUseBlock.Type

/** A block that is not described here: server tools, their results, and what the API adds later. */
export const OtherBlock = Schema.StructWithRest(Schema.Struct({ type: Schema.String }), open)
export type OtherBlock = typeof OtherBlock.Type

/** A block of an assistant message. */
export const AssistantContentBlock = Schema.Union([
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  OtherBlock,
])
export type AssistantContentBlock = typeof AssistantContentBlock.Type
