// An answer of the Messages API: the whole message, and the events in which it is streamed.
// Invariant: only fields that every version of the API sends are required; the others may be missing, and unknown ones are kept.
import * as Schema from "effect/Schema"
import { AssistantContentBlock } from "./content-blocks.ts"
import { maybe, open, otherThan } from "../open.ts"
import { ApiDeltaUsage, ApiUsage } from "./usage.ts"

/** Why the model stopped. */
export const StopReason = Schema.Literals([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "compaction",
  "refusal",
  "model_context_window_exceeded",
])
export type StopReason = typeof StopReason.Type

const RefusalDetails = open({
  type: Schema.Literal("refusal"),
  category: maybe(Schema.Literals(["cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms"])),
  explanation: maybe(Schema.String),
  fallback_credit_token: maybe(Schema.String),
  fallback_has_prefill_claim: maybe(Schema.Boolean),
  recommended_model: maybe(Schema.String),
})

const Container = open({
  id: Schema.String,
  expires_at: Schema.String,
  skills: maybe(
    Schema.Array(
      open({ skill_id: Schema.String, type: Schema.Literals(["anthropic", "custom"]), version: Schema.String }),
    ),
  ),
})

const ContextManagement = open({ applied_edits: Schema.Array(open({ type: Schema.String })) })
const InputTransformations = Schema.Array(open({ type: Schema.String, path: Schema.String, reason: Schema.String }))

/** `message` of an assistant message. `stop_reason` is null until the model's answer has ended. */
export const AssistantMessageBody = open({
  id: Schema.String,
  type: Schema.Literal("message"),
  role: Schema.Literal("assistant"),
  model: Schema.String,
  content: Schema.Array(AssistantContentBlock),
  stop_reason: Schema.NullOr(StopReason),
  stop_sequence: Schema.NullOr(Schema.String),
  usage: ApiUsage,
  stop_details: maybe(RefusalDetails),
  container: maybe(Container),
  context_management: maybe(ContextManagement),
  diagnostics: maybe(open({ cache_miss_reason: maybe(open({ type: Schema.String })) })),
  input_transformations: maybe(InputTransformations),
})
export type AssistantMessageBody = typeof AssistantMessageBody.Type

/** What a `content_block_delta` adds to its block. */
export const ContentBlockDelta = Schema.Union([
  open({ type: Schema.Literal("text_delta"), text: Schema.String }),
  open({ type: Schema.Literal("input_json_delta"), partial_json: Schema.String }),
  open({ type: Schema.Literal("citations_delta"), citation: open({ type: Schema.String }) }),
  open({
    type: Schema.Literal("thinking_delta"),
    thinking: Schema.String,
    estimated_tokens: maybe(Schema.Finite),
  }),
  open({ type: Schema.Literal("signature_delta"), signature: Schema.String }),
  open({ type: otherThan(["text_delta", "input_json_delta", "citations_delta", "thinking_delta", "signature_delta"]) }),
])
export type ContentBlockDelta = typeof ContentBlockDelta.Type

/** A raw event of a streamed answer. Other types (`ping`, and what the API adds later) are kept. */
export const StreamEvent = Schema.Union([
  open({ type: Schema.Literal("message_start"), message: AssistantMessageBody }),
  open({ type: Schema.Literal("content_block_start"), index: Schema.Finite, content_block: AssistantContentBlock }),
  open({ type: Schema.Literal("content_block_delta"), index: Schema.Finite, delta: ContentBlockDelta }),
  open({ type: Schema.Literal("content_block_stop"), index: Schema.Finite }),
  open({
    type: Schema.Literal("message_delta"),
    delta: open({
      stop_reason: maybe(StopReason),
      stop_sequence: maybe(Schema.String),
      stop_details: maybe(RefusalDetails),
      container: maybe(Container),
    }),
    usage: ApiDeltaUsage,
    context_management: maybe(ContextManagement),
    input_transformations: maybe(InputTransformations),
  }),
  open({ type: Schema.Literal("message_stop") }),
  open({
    type: otherThan([
      "message_start",
      "message_delta",
      "message_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
    ]),
  }),
])
export type StreamEvent = typeof StreamEvent.Type
