// Compares the messages of src/schemas/sdk with the official types, member by member and both ways. Nothing runs here:
// `tsc -p test` is the test. A member that differs shows as an error at its name.
//
// Everywhere: their UUID is a text of five groups, ours any text (recorded and replayed messages keep their ids), and
// their arrays can be written to. `Plain` levels both. All other exceptions have a name and a reason below.
import type * as sdk from "@anthropic-ai/claude-agent-sdk"
import type {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  BetaUsage,
} from "@anthropic-ai/sdk/resources/beta/messages/messages"
import type { ContentBlockParam, MessageParam as ApiMessageParam } from "@anthropic-ai/sdk/resources"
import type { UUID } from "node:crypto"
import type { AssistantMessageBody, StreamEvent } from "../../src/schemas/sdk/messages/api-message.ts"
import type * as blocks from "../../src/schemas/sdk/messages/content-blocks.ts"
import type { MEMBERS, SDK_MESSAGES } from "../../src/schemas/sdk/messages/messages.ts"
import type {
  ApiUsage,
  ModelUsage,
  NonNullableUsage,
  ReportedModelUsage,
} from "../../src/schemas/sdk/messages/usage.ts"

type Plain<T> = T extends string
  ? [UUID] extends [T]
    ? string
    : T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Plain<Item>>
    : T extends object
      ? { readonly [K in keyof T]: Plain<T[K]> }
      : T

/** Their type with every field that may be null also left out: what older versions of the API, and proxies, send. */
type Lenient<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Lenient<Item>>
    : T extends object
      ? { readonly [K in keyof T as null extends T[K] ? never : K]: Lenient<T[K]> } & {
          readonly [K in keyof T as null extends T[K] ? K : never]?: Lenient<T[K]>
        }
      : T

/** The official type of each member. */
interface Theirs {
  assistant: sdk.SDKAssistantMessage
  user: sdk.SDKUserMessage
  "user/replay": sdk.SDKUserMessageReplay
  stream_event: sdk.SDKPartialAssistantMessage
  "result/success": sdk.SDKResultSuccess
  "result/error_during_execution": sdk.SDKResultError
  "result/error_max_turns": sdk.SDKResultError
  "result/error_max_budget_usd": sdk.SDKResultError
  "result/error_max_structured_output_retries": sdk.SDKResultError
  "system/init": sdk.SDKSystemMessage
  "system/status": sdk.SDKStatusMessage
  "system/compact_boundary": sdk.SDKCompactBoundaryMessage
  "system/api_retry": sdk.SDKAPIRetryMessage
  "system/control_request_progress": sdk.SDKControlRequestProgressMessage
  "system/model_refusal_fallback": sdk.SDKModelRefusalFallbackMessage
  "system/model_refusal_no_fallback": sdk.SDKModelRefusalNoFallbackMessage
  "system/thinking_tokens": sdk.SDKThinkingTokensMessage
  "system/session_state_changed": sdk.SDKSessionStateChangedMessage
  "system/worker_shutting_down": sdk.SDKWorkerShuttingDownMessage
  "system/permission_denied": sdk.SDKPermissionDeniedMessage
  conversation_reset: sdk.SDKConversationResetMessage
  tool_progress: sdk.SDKToolProgressMessage
  tool_use_summary: sdk.SDKToolUseSummaryMessage
  "system/task_started": sdk.SDKTaskStartedMessage
  "system/task_progress": sdk.SDKTaskProgressMessage
  "system/task_updated": sdk.SDKTaskUpdatedMessage
  "system/task_notification": sdk.SDKTaskNotificationMessage
  "system/background_tasks_changed": sdk.SDKBackgroundTasksChangedMessage
  "system/local_command_output": sdk.SDKLocalCommandOutputMessage
  "system/hook_started": sdk.SDKHookStartedMessage
  "system/hook_progress": sdk.SDKHookProgressMessage
  "system/hook_response": sdk.SDKHookResponseMessage
  "system/plugin_install": sdk.SDKPluginInstallMessage
  "system/commands_changed": sdk.SDKCommandsChangedMessage
  "system/notification": sdk.SDKNotificationMessage
  "system/files_persisted": sdk.SDKFilesPersistedEvent
  "system/memory_recall": sdk.SDKMemoryRecallMessage
  "system/elicitation_complete": sdk.SDKElicitationCompleteMessage
  "system/mirror_error": sdk.SDKMirrorErrorMessage
  "system/informational": sdk.SDKInformationalMessage
  "system/session_writes_lost": sdk.SDKSessionWritesLostMessage
  auth_status: sdk.SDKAuthStatusMessage
  rate_limit_event: sdk.SDKRateLimitEvent
  prompt_suggestion: sdk.SDKPromptSuggestionMessage
}

/**
 * Frames that are not in the union. `active_goal` is typed as a frame of its own; `keep_alive` and `transcript_mirror` are not
 * exported by the official types, so there is nothing to compare them with.
 */
interface TheirFrames {
  active_goal: sdk.SDKActiveGoalMessage
}

type Official = Theirs & TheirFrames
type Name = keyof Official
type Ours<M extends Name> = (typeof MEMBERS)[M]["Type"]
type OursOnTheWire<M extends Name> = (typeof MEMBERS)[M]["Encoded"]

/**
 * Members whose content comes from the Messages API; it is compared block by block below. Results have one reason more: that
 * the recording which the session plays has no answer.
 */
interface Exceptions {
  assistant: "message"
  user: "message" | "pasted_content"
  "user/replay": "message"
  stream_event: "event"
  "result/success": "terminal_reason"
  "result/error_during_execution": "terminal_reason"
  "result/error_max_turns": "terminal_reason"
  "result/error_max_budget_usd": "terminal_reason"
  "result/error_max_structured_output_retries": "terminal_reason"
}
type Without<T, M> = M extends keyof Exceptions ? Omit<T, Exceptions[M]> : T

type Check<T extends Record<keyof T, true>> = T
type Fits<A, B> = [A] extends [B] ? true : { readonly given: A; readonly expected: B }

/** The table has every official member and no other. */
export type EveryMember = Check<{
  official: Fits<sdk.SDKMessage, Theirs[keyof Theirs]>
  named: Fits<Theirs[keyof Theirs], sdk.SDKMessage>
  described: Fits<keyof Theirs, keyof typeof SDK_MESSAGES>
  compared: Fits<keyof typeof SDK_MESSAGES, keyof Theirs>
}>

/** What the official types allow, ours decode. No exceptions. */
export type Decodes = Check<{ [M in Name]: Fits<Plain<Official[M]>, OursOnTheWire<M>> }>

/** What ours give, the official types accept, without the fields of `Exceptions`. */
export type Emits = Check<{ [M in Name]: Fits<Without<Ours<M>, M>, Without<Plain<Official[M]>, M>> }>

/** Both name the same fields: an optional one that is misspelt would fit everything above. */
export type SameFields = Check<{ [M in Name]: Fits<keyof Ours<M>, keyof Official[M]> }> &
  Check<{ [M in Name]: Fits<keyof Official[M], keyof Ours<M>> }>

/** Their content, read by ours. */
export type ContentDecodes = Check<{
  message: Fits<Plain<BetaMessage>, AssistantMessageBody>
  block: Fits<Plain<BetaContentBlock>, blocks.AssistantContentBlock>
  event: Fits<Plain<BetaRawMessageStreamEvent>, StreamEvent>
  param: Fits<Plain<ApiMessageParam>, blocks.MessageParam>
  paramBlock: Fits<Plain<ContentBlockParam>, blocks.UserContentBlock>
  usage: Fits<Plain<BetaUsage>, ApiUsage>
  modelUsage: Fits<sdk.ModelUsage, ReportedModelUsage>
}>

/**
 * Our content, read by theirs. Exceptions, with their reasons:
 * - the answer's nullable fields may be missing (`Lenient`): the API adds such fields from version to version;
 * - `content`, and the content of a tool's result, may hold blocks of types that are added later;
 * - `citations`, `caller`, `applied_edits`, `cache_miss_reason` and `input_transformations` pass through as the API gave
 *   them; only that they are lists or objects with a type is checked.
 */
type PassedThrough = "citations" | "caller" | "context_management" | "diagnostics" | "input_transformations"
type TheirBlock<Type extends string> = Lenient<Plain<Extract<BetaContentBlock, { type: Type }>>>
type TheirParam<Type extends string> = Plain<Extract<ContentBlockParam, { type: Type }>>
export type ContentEmits = Check<{
  message: Fits<
    Omit<AssistantMessageBody, "content" | PassedThrough>,
    Omit<Lenient<Plain<BetaMessage>>, "content" | PassedThrough>
  >
  text: Fits<Omit<blocks.TextBlock, PassedThrough>, Omit<TheirBlock<"text">, PassedThrough>>
  thinking: Fits<blocks.ThinkingBlock, TheirBlock<"thinking">>
  redactedThinking: Fits<blocks.RedactedThinkingBlock, TheirBlock<"redacted_thinking">>
  toolUse: Fits<Omit<blocks.ToolUseBlock, PassedThrough>, Omit<TheirBlock<"tool_use">, PassedThrough>>
  textParam: Fits<Omit<blocks.TextBlock, PassedThrough>, Omit<TheirParam<"text">, PassedThrough>>
  image: Fits<blocks.ImageBlock, TheirParam<"image">>
  document: Fits<Omit<blocks.DocumentBlock, "source">, Omit<TheirParam<"document">, "source">>
  toolResult: Fits<Omit<blocks.ToolResultBlock, "content">, Omit<TheirParam<"tool_result">, "content">>
  usage: Fits<ApiUsage, Lenient<Plain<BetaUsage>>>
  resultUsage: Fits<NonNullableUsage, Plain<sdk.NonNullableUsage>>
  reportedModelUsage: Fits<ReportedModelUsage, sdk.ModelUsage>
  modelUsage: Fits<ModelUsage, sdk.ModelUsage>
}>
