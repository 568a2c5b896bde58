// The SDK's messages in the document: a named shape per message, and the unions that clients switch over, discriminated by
// `type`, then by `subtype`.
// Invariant: every message of `SDK_MESSAGES` is a member of `SDKMessage`.
import * as Schema from "effect/Schema"
import { SDK_MESSAGES } from "../../schemas/sdk/messages/messages.ts"
import { pascal } from "./error-answers.ts"
import type { NamedShape, NamedUnion } from "./components.ts"

type MessageName = keyof typeof SDK_MESSAGES

const M = SDK_MESSAGES

const named = (schema: Schema.Top, description: string): NamedShape => ({ schema, description, closed: false })

const conversation = {
  AssistantMessage: named(M.assistant, "An answer of the model: one message per content block."),
  UserMessage: named(M.user, "A prompt, or the results of tool calls."),
  UserMessageReplay: named(M["user/replay"], "A user message that is sent again, with `isReplay`."),
  PartialAssistantMessage: named(M.stream_event, "Part of an answer while it streams. Never stored."),
}

const results = {
  ResultSuccess: named(
    M["result/success"],
    "The turn ended normally. With `is_error` its `result` is the error text of a model request that failed permanently.",
  ),
  ResultError: named(M["result/error_during_execution"], "The turn was ended by a failure, a limit or an interrupt."),
}

/** The `system` messages, by subtype. */
const SYSTEM: Partial<Record<MessageName, string>> = {
  "system/init": "The first message of every turn: the model, tools and settings that it runs with.",
  "system/status": "The session's current activity, or a changed permission mode.",
  "system/compact_boundary": "The conversation before this message was compacted.",
  "system/api_retry": "A model request failed and will be retried.",
  "system/control_request_progress": "The progress of a long control request.",
  "system/model_refusal_fallback": "The model refused, and another one was used.",
  "system/model_refusal_no_fallback": "The model refused, and no other one was used.",
  "system/thinking_tokens": "The number of thinking tokens so far. Never stored.",
  "system/session_state_changed": "The session is idle, running, or waiting for a client.",
  "system/worker_shutting_down": "The server shuts down as planned; the session is kept.",
  "system/permission_denied": "A tool call was denied without an ask.",
  "system/task_started": "A task started: a subagent, a workflow or a shell.",
  "system/task_progress": "A task's usage so far.",
  "system/task_updated": "A change to a task.",
  "system/task_notification": "A task ended; the model is informed of it.",
  "system/background_tasks_changed": "The new list of running background tasks.",
  "system/local_command_output": "Output of a command that was not sent to the model.",
  "system/hook_started": "A command hook started.",
  "system/hook_progress": "A command hook's output so far.",
  "system/hook_response": "A command hook ended.",
  "system/plugin_install": "The progress of a plugin's installation.",
  "system/commands_changed": "The new list of commands. Never stored.",
  "system/notification": "A short text for the user.",
  "system/files_persisted": "Files that were saved, and those that were not.",
  "system/memory_recall": "Memories that were sent to the model.",
  "system/elicitation_complete": "An MCP server reports that the user has completed its page.",
  "system/mirror_error": "A client could not copy the transcript into its own store.",
  "system/informational": "A text to show next to the conversation.",
  "system/session_writes_lost": "A local disk is full, and data was lost. Perch never sends it.",
}

const isMessage = (name: string): name is MessageName => Object.hasOwn(SDK_MESSAGES, name)

const systemNames = Object.keys(SDK_MESSAGES).filter((name) => isMessage(name) && name.startsWith("system/"))

/** `system/api_retry` is `SystemApiRetryMessage`. */
const system = Object.fromEntries(
  systemNames.filter(isMessage).map((name) => {
    const subtype = name.slice("system/".length)
    return [`System${pascal(subtype)}Message`, named(M[name], SYSTEM[name] ?? `\`${subtype}\`.`)]
  }),
)

const others = {
  ConversationResetMessage: named(M.conversation_reset, "The conversation restarts under another id."),
  ToolProgressMessage: named(M.tool_progress, "A tool call is still running. Never stored."),
  ToolUseSummaryMessage: named(M.tool_use_summary, "A short label for several tool calls."),
  AuthStatusMessage: named(M.auth_status, "The progress of a sign-in. Perch never sends it."),
  RateLimitEvent: named(M.rate_limit_event, "The state of a plan's rate limits changed."),
  PromptSuggestionMessage: named(M.prompt_suggestion, "A prompt that the user may want to send next."),
}

const union = (members: ReadonlyArray<string>, description: string): NamedUnion => ({ union: members, description })

export const MESSAGE_SHAPES: Readonly<Record<string, NamedShape | NamedUnion>> = {
  ...conversation,
  ...results,
  ...system,
  ...others,
  AnyUserMessage: union(["UserMessage", "UserMessageReplay"], "A user message or a replayed one."),
  ResultMessage: union(Object.keys(results), "The last message of a turn: its outcome, usage and cost."),
  SystemMessage: union(Object.keys(system), "A report about the session, by `subtype`."),
  SDKMessage: union(
    [
      "AssistantMessage",
      "AnyUserMessage",
      "PartialAssistantMessage",
      "ResultMessage",
      "SystemMessage",
      ...Object.keys(others),
    ],
    "A message of the Claude Agent SDK, by `type`. The SDK may add types and subtypes: ignore unknown ones.",
  ),
}
