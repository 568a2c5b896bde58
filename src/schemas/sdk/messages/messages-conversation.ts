// Messages of the model and the user: whole ones, partial ones as they stream, and replayed ones.
// Invariant: an answer keeps every field that the Messages API sent.
import * as Schema from "effect/Schema"
import { AssistantMessageBody, StreamEvent } from "./api-message.ts"
import { MessageContent, MessageParam } from "./content-blocks.ts"
import { SDKAssistantMessageError, SDKMessageOrigin, stamped } from "./message-values.ts"
import { open } from "../open.ts"
import { SDKContextUsage, SDKUsageReport } from "./usage-values.ts"

/** An answer of the model, one message per content block. `error` marks a message that replaces the answer of a failed request. */
export const SDKAssistantMessage = open({
  type: Schema.Literal("assistant"),
  message: AssistantMessageBody,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  error: Schema.optionalKey(SDKAssistantMessageError),
  request_id: Schema.optionalKey(Schema.String),
  user_message_uuid: Schema.optionalKey(Schema.String),
  user_message_uuids: Schema.optionalKey(Schema.Array(Schema.String)),
  resume_reason: Schema.optionalKey(Schema.String),
  resumed_from_incomplete_thinking: Schema.optionalKey(Schema.Literal(true)),
  supersedes: Schema.optionalKey(Schema.Array(Schema.String)),
  aborted: Schema.optionalKey(Schema.Literal(true)),
  agent_id: Schema.optionalKey(Schema.String),
  subagent_type: Schema.optionalKey(Schema.String),
  task_description: Schema.optionalKey(Schema.String),
  timestamp: Schema.optionalKey(Schema.String),
  context_usage: Schema.optionalKey(SDKContextUsage),
  usage_report: Schema.optionalKey(SDKUsageReport),
  ...stamped,
})
export type SDKAssistantMessage = typeof SDKAssistantMessage.Type

const userFields = {
  type: Schema.Literal("user"),
  message: MessageParam,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  isSynthetic: Schema.optionalKey(Schema.Boolean),
  tool_use_result: Schema.optionalKey(Schema.Unknown),
  priority: Schema.optionalKey(Schema.Literals(["now", "next", "later"])),
  origin: Schema.optionalKey(SDKMessageOrigin),
  shouldQuery: Schema.optionalKey(Schema.Boolean),
  timestamp: Schema.optionalKey(Schema.String),
  client_composed: Schema.optionalKey(Schema.Literal(true)),
}

/** A prompt, or the results of tool calls. Clients send it too, without the ids. */
export const SDKUserMessage = open({
  ...userFields,
  uuid: Schema.optionalKey(Schema.String),
  session_id: Schema.optionalKey(Schema.String),
  pasted_content: Schema.optionalKey(Schema.Array(MessageContent)),
  inline_pastes: Schema.optionalKey(Schema.Array(Schema.String)),
  agent_id: Schema.optionalKey(Schema.String),
  subagent_type: Schema.optionalKey(Schema.String),
  task_description: Schema.optionalKey(Schema.String),
})
export type SDKUserMessage = typeof SDKUserMessage.Type

/** A user message that is sent to the client again. */
export const SDKUserMessageReplay = open({
  ...userFields,
  isReplay: Schema.Literal(true),
  file_attachments: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  ...stamped,
})
export type SDKUserMessageReplay = typeof SDKUserMessageReplay.Type

/** A raw event of the Messages API while an answer streams. Never stored. */
export const SDKPartialAssistantMessage = open({
  type: Schema.Literal("stream_event"),
  event: StreamEvent,
  parent_tool_use_id: Schema.NullOr(Schema.String),
  ttft_ms: Schema.optionalKey(Schema.Finite),
  user_message_uuid: Schema.optionalKey(Schema.String),
  user_message_uuids: Schema.optionalKey(Schema.Array(Schema.String)),
  resume_reason: Schema.optionalKey(Schema.String),
  ...stamped,
})
export type SDKPartialAssistantMessage = typeof SDKPartialAssistantMessage.Type
