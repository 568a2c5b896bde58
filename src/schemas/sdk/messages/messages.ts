// Receives any frame of the SDK's protocol; returns it with the name of its kind, checked by that kind's schema.
// Invariant: unknown types, subtypes and fields pass through unchanged and never fail.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as conversation from "./messages-conversation.ts"
import * as notice from "./messages-notice.ts"
import * as system from "./messages-system.ts"
import * as task from "./messages-task.ts"
import * as wire from "./messages-wire.ts"
import { open } from "../open.ts"
import { SDKResultError, SDKResultSuccess } from "./result-messages.ts"
import { decoderOf, ShapeError } from "../shape-error.ts"
import { isPlainObject } from "../../plain-object.ts"

/** The members of the SDK's message union by name: the type, with the subtype when that distinguishes members. */
export const SDK_MESSAGES = {
  assistant: conversation.SDKAssistantMessage,
  user: conversation.SDKUserMessage,
  "user/replay": conversation.SDKUserMessageReplay,
  stream_event: conversation.SDKPartialAssistantMessage,
  "result/success": SDKResultSuccess,
  "result/error_during_execution": SDKResultError,
  "result/error_max_turns": SDKResultError,
  "result/error_max_budget_usd": SDKResultError,
  "result/error_max_structured_output_retries": SDKResultError,
  "system/init": system.SDKSystemMessage,
  "system/status": system.SDKStatusMessage,
  "system/compact_boundary": system.SDKCompactBoundaryMessage,
  "system/api_retry": system.SDKAPIRetryMessage,
  "system/control_request_progress": system.SDKControlRequestProgressMessage,
  "system/model_refusal_fallback": system.SDKModelRefusalFallbackMessage,
  "system/model_refusal_no_fallback": system.SDKModelRefusalNoFallbackMessage,
  "system/thinking_tokens": system.SDKThinkingTokensMessage,
  "system/session_state_changed": system.SDKSessionStateChangedMessage,
  "system/worker_shutting_down": system.SDKWorkerShuttingDownMessage,
  "system/permission_denied": system.SDKPermissionDeniedMessage,
  conversation_reset: system.SDKConversationResetMessage,
  tool_progress: task.SDKToolProgressMessage,
  tool_use_summary: task.SDKToolUseSummaryMessage,
  "system/task_started": task.SDKTaskStartedMessage,
  "system/task_progress": task.SDKTaskProgressMessage,
  "system/task_updated": task.SDKTaskUpdatedMessage,
  "system/task_notification": task.SDKTaskNotificationMessage,
  "system/background_tasks_changed": task.SDKBackgroundTasksChangedMessage,
  "system/local_command_output": notice.SDKLocalCommandOutputMessage,
  "system/hook_started": notice.SDKHookStartedMessage,
  "system/hook_progress": notice.SDKHookProgressMessage,
  "system/hook_response": notice.SDKHookResponseMessage,
  "system/plugin_install": notice.SDKPluginInstallMessage,
  "system/commands_changed": notice.SDKCommandsChangedMessage,
  "system/notification": notice.SDKNotificationMessage,
  "system/files_persisted": notice.SDKFilesPersistedEvent,
  "system/memory_recall": notice.SDKMemoryRecallMessage,
  "system/elicitation_complete": notice.SDKElicitationCompleteMessage,
  "system/mirror_error": notice.SDKMirrorErrorMessage,
  "system/informational": notice.SDKInformationalMessage,
  "system/session_writes_lost": notice.SDKSessionWritesLostMessage,
  auth_status: notice.SDKAuthStatusMessage,
  rate_limit_event: notice.SDKRateLimitEvent,
  prompt_suggestion: notice.SDKPromptSuggestionMessage,
} as const

/** Frames that are no messages. Control frames have schemas of their own. */
export const WIRE_FRAMES = {
  keep_alive: wire.SDKKeepAliveMessage,
  active_goal: wire.SDKActiveGoalMessage,
  transcript_mirror: wire.TranscriptMirrorFrame,
} as const

/** A message of a type or subtype that is not described here. */
export const UnknownMessage = open({ type: Schema.String })
export type UnknownMessage = typeof UnknownMessage.Type

/** Every kind of frame by name. */
export const MEMBERS = { ...SDK_MESSAGES, ...WIRE_FRAMES, unknown: UnknownMessage } as const
export type Member = keyof typeof MEMBERS

/** One of the SDK's messages. */
export type SDKMessage = (typeof SDK_MESSAGES)[keyof typeof SDK_MESSAGES]["Type"]

/** A frame with the name of its kind. */
export type DecodedMessage = {
  readonly [M in Member]: { readonly member: M; readonly message: (typeof MEMBERS)[M]["Type"] }
}[Member]

const decoders = new Map(
  // A table of schemas has no common type: the member's name identifies what its decoder returns.
  Object.entries(MEMBERS).map(([member, schema]) => [member, decoderOf<unknown>(member, schema)] as const),
)

/**
 * Decodes one frame by its type and subtype. Fails with the path of the first field that is missing or of a wrong type;
 * a frame without a type, and a `system` or `result` message without a subtype, fail at that field.
 */
export const decodeSdkMessage = (input: unknown): Result.Result<DecodedMessage, ShapeError> => {
  const named = memberOf(input)
  if (Result.isFailure(named)) return Result.fail(named.failure)
  const member = decoders.has(named.success) ? named.success : "unknown"
  // The table has each decoder under the name of the member that it returns.
  return Result.map(decoders.get(member)!(input), (message) => ({ member, message }) as DecodedMessage)
}

/** The name of a frame's member, which may not be in the table. */
const memberOf = (input: unknown): Result.Result<string, ShapeError> => {
  if (!isPlainObject(input)) return refuse([], "Expected an object")
  const { type, subtype, isReplay } = input
  if (typeof type !== "string") return refuse(["type"], "Expected string")
  if (type === "system" || type === "result") {
    return typeof subtype === "string"
      ? Result.succeed(`${type}/${subtype}`)
      : refuse(["subtype"], "Expected string", type)
  }
  if (type === "user" && isReplay !== undefined && isReplay !== false) return Result.succeed("user/replay")
  return Result.succeed(type.includes("/") ? "unknown" : type)
}

const refuse = (path: ReadonlyArray<string>, message: string, member = "message") =>
  Result.fail(new ShapeError({ member, issues: [{ path, message }] }))
