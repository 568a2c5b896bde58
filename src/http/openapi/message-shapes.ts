// The SDK's messages in the document: a named shape per message, and the unions that clients switch over, discriminated by
// `type`, then by `subtype`.
// Invariant: every message of `SDK_MESSAGES` is a member of `SDKMessage`.
import * as Schema from "effect/Schema"
import { SDK_MESSAGES } from "../../schemas/sdk/messages/messages.ts"
import type { NamedShape, NamedUnion } from "./components.ts"

type MessageName = keyof typeof SDK_MESSAGES

const M = SDK_MESSAGES

const named = (schema: Schema.Top, description: string): NamedShape => ({ schema, description, closed: false })

const conversation = {
  AssistantMessage: named(M.assistant, "An answer of the model: one message per content block."),
  UserMessage: named(M.user, "A prompt, or the results of tool calls."),
  UserMessageReplay: named(M["user/replay"], "A user message that is sent again, with `isReplay`."),
  PartialAssistantMessage: named(M.stream_event, "A piece of an answer while it streams. Never stored."),
}

const results = {
  ResultSuccess: named(
    M["result/success"],
    "The turn ended by itself. With `is_error` its `result` is the text of a request that failed for good.",
  ),
  ResultError: named(M["result/error_during_execution"], "The turn was ended by a failure, a limit or an interrupt."),
}

/** The `system` messages, by subtype. */
const SYSTEM: Partial<Record<MessageName, string>> = {
  "system/init": "The first message of every turn: what it runs with.",
  "system/status": "What the session is busy with, or a changed permission mode.",
  "system/compact_boundary": "Where the conversation before it was summarised.",
  "system/api_retry": "A model request failed and will be sent again.",
  "system/control_request_progress": "How a long control request is going.",
  "system/model_refusal_fallback": "The model refused, and another one was asked.",
  "system/model_refusal_no_fallback": "The model refused, and no other one was asked.",
  "system/thinking_tokens": "How many tokens the model has thought so far. Never stored.",
  "system/session_state_changed": "The session is idle, runs, or waits for a client.",
  "system/worker_shutting_down": "The server goes away on purpose; the session stays.",
  "system/permission_denied": "A tool call was denied and no one was asked.",
  "system/task_started": "A task began: a subagent, a workflow or a shell.",
  "system/task_progress": "What a task has used so far.",
  "system/task_updated": "What changed of a task.",
  "system/task_notification": "A task ended; the model is informed of it.",
  "system/background_tasks_changed": "The new list of running background tasks.",
  "system/local_command_output": "What a command printed that the model never saw.",
  "system/hook_started": "A command hook began.",
  "system/hook_progress": "What a command hook has printed so far.",
  "system/hook_response": "A command hook ended.",
  "system/plugin_install": "How the installation of a plugin goes.",
  "system/commands_changed": "The new list of commands. Never stored.",
  "system/notification": "A short text for the user.",
  "system/files_persisted": "Files that were saved, and those that were not.",
  "system/memory_recall": "Memories that were given to the model.",
  "system/elicitation_complete": "An MCP server reports that the user is done with its page.",
  "system/mirror_error": "A client could not copy the transcript into its own store.",
  "system/informational": "A text to show next to the conversation.",
  "system/session_writes_lost": "A local disk is full, and what was to be written is lost. Never from Perch.",
}

const pascal = (text: string): string => text.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

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
  ConversationResetMessage: named(M.conversation_reset, "The conversation starts anew under another id."),
  ToolProgressMessage: named(M.tool_progress, "A tool call is still running. Never stored."),
  ToolUseSummaryMessage: named(M.tool_use_summary, "A short label for several tool calls."),
  AuthStatusMessage: named(M.auth_status, "How a login goes. Never from Perch."),
  RateLimitEvent: named(M.rate_limit_event, "The limits of a plan changed."),
  PromptSuggestionMessage: named(M.prompt_suggestion, "A prompt that the user may want to send next."),
}

const union = (members: ReadonlyArray<string>, description: string): NamedUnion => ({ union: members, description })

export const MESSAGE_SHAPES: Readonly<Record<string, NamedShape | NamedUnion>> = {
  ...conversation,
  ...results,
  ...system,
  ...others,
  AnyUserMessage: union(["UserMessage", "UserMessageReplay"], "A user message, or one that is sent again."),
  ResultMessage: union(
    Object.keys(results),
    "The last message of a turn: how it ended, what it used and what it cost.",
  ),
  SystemMessage: union(Object.keys(system), "What the session reports of itself, by `subtype`."),
  SDKMessage: union(
    [
      "AssistantMessage",
      "AnyUserMessage",
      "PartialAssistantMessage",
      "ResultMessage",
      "SystemMessage",
      ...Object.keys(others),
    ],
    "A message of the Claude Agent SDK, by `type`. The SDK may add types and subtypes: ignore those that you don't know.",
  ),
}
