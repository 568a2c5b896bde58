// Receives a decoded message or block; returns whether it is of a type.
// Invariant: only the discriminating fields are read: the others were checked when the value was decoded.
import type {
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "./content-blocks.ts"
import type {
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from "./messages-conversation.ts"
import type { SDKCompactBoundaryMessage, SDKStatusMessage, SDKSystemMessage } from "./messages-system.ts"
import type { SDKResultError, SDKResultMessage, SDKResultSuccess } from "./result-messages.ts"

interface Named {
  readonly type: string
  readonly subtype?: unknown
}

const is =
  <A extends Named>(type: A["type"], subtype?: string) =>
  (value: Named): value is A =>
    value.type === type && (subtype === undefined || value.subtype === subtype)

export const isAssistantMessage = is<SDKAssistantMessage>("assistant")
export const isUserMessage = is<SDKUserMessage | SDKUserMessageReplay>("user")
export const isPartialAssistantMessage = is<SDKPartialAssistantMessage>("stream_event")
export const isInitMessage = is<SDKSystemMessage>("system", "init")
export const isStatusMessage = is<SDKStatusMessage>("system", "status")
export const isCompactBoundaryMessage = is<SDKCompactBoundaryMessage>("system", "compact_boundary")

/** A user message that is sent to the client again. */
export const isUserMessageReplay = (value: Named & { readonly isReplay?: unknown }): value is SDKUserMessageReplay =>
  value.type === "user" && value.isReplay === true

/** The last message of a turn, however it ended. */
export const isResultMessage = is<SDKResultMessage>("result")
/** The turn ended by itself. Its `is_error` may still be true. */
export const isResultSuccess = is<SDKResultSuccess>("result", "success")
/** The turn was ended by a failure, a limit or an interrupt. */
export const isResultError = (value: Named): value is SDKResultError =>
  isResultMessage(value) && value.subtype !== "success"

export const isTextBlock = is<TextBlock>("text")
export const isThinkingBlock = is<ThinkingBlock>("thinking")
export const isRedactedThinkingBlock = is<RedactedThinkingBlock>("redacted_thinking")
export const isToolUseBlock = is<ToolUseBlock>("tool_use")
export const isToolResultBlock = is<ToolResultBlock>("tool_result")
