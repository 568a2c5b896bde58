// Builds the SDK messages that the loop emits, with the keys that official clients were observed to receive.
import type { EventPayloads } from "../../schemas/log/event-payloads.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { ApiKeySource } from "../../schemas/sdk/messages/message-values.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import type { BackgroundTask } from "../../tools/bash/background-port.ts"
import { PERCH_VERSION } from "../../schemas/version.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { resultContent } from "./result-content.ts"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

/** The fields of every message of a turn. */
export interface Stamp {
  readonly sessionId: string
  readonly turn: string | null
  readonly uuid: string
  readonly at: number
  /** The uuids that senders gave to the prompts of the turn. */
  readonly promptUuids?: ReadonlyArray<string>
}

/**
 * The prompts that a message answers, as far as their senders gave them uuids, the last one as `user_message_uuid`. `joined` are
 * those that joined the turn while it ran.
 */
export const repliesTo = (promptUuids: ReadonlyArray<string> = [], joined: ReadonlyArray<string> = []) =>
  promptUuids.length === 0 ? {} : { user_message_uuid: promptUuids.at(-1), ...answers([...promptUuids, ...joined]) }

/** All of these prompts, as `user_message_uuids`. */
export const answers = (promptUuids: ReadonlyArray<string> = []) =>
  promptUuids.length === 0 ? {} : { user_message_uuids: promptUuids }

type SdkName = Extract<keyof EventPayloads, `sdk:${string}`>
type Fields = { readonly uuid: string; readonly parent_tool_use_id?: string | null } & Readonly<Record<string, unknown>>

/** An SDK message as an event of the log; its type and subtype are those of the event's name. */
export const sdkEvent = <N extends SdkName>(turn: string | null, name: N, fields: Fields): NewEvent<N> => {
  const [type, subtype] = name.slice("sdk:".length).split("/")
  const event: Omit<NewEvent, "name" | "payload"> & { readonly name: N; readonly payload: unknown } = {
    name,
    payload: { type, ...(subtype === undefined ? {} : { subtype }), ...fields },
    uuid: fields.uuid,
    turn,
    parent_tool_use_id: fields.parent_tool_use_id ?? null,
  }
  // The builders of this file pass the fields of the message; tests decode each message with its schema.
  return event as NewEvent<N>
}

const timestamp = (at: number): string => new Date(at).toISOString()

export const assistantMessage = (
  stamp: Stamp,
  head: Readonly<Record<string, unknown>>,
  blocks: ReadonlyArray<Block>,
  { requestId, aborted = false }: { readonly requestId: string | null; readonly aborted?: boolean },
): NewEvent<"sdk:assistant"> =>
  sdkEvent(stamp.turn, "sdk:assistant", {
    message: { ...head, content: blocks },
    parent_tool_use_id: null,
    session_id: stamp.sessionId,
    uuid: stamp.uuid,
    timestamp: timestamp(stamp.at),
    ...(requestId === null ? {} : { request_id: requestId }),
    ...(aborted ? { aborted: true } : {}),
    ...repliesTo(stamp.promptUuids),
  })

/** An assistant message that no model wrote; `end` is how it stopped. */
const answerWithoutModel = (
  stamp: Stamp,
  text: string,
  end: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): NewEvent<"sdk:assistant"> =>
  sdkEvent(stamp.turn, "sdk:assistant", {
    message: {
      id: stamp.uuid,
      type: "message",
      role: "assistant",
      model: SYNTHETIC_MODEL,
      content: [{ type: "text", text }],
      ...end,
      usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
    parent_tool_use_id: null,
    session_id: stamp.sessionId,
    uuid: stamp.uuid,
    timestamp: timestamp(stamp.at),
    ...fields,
  })

/** The assistant message of a failed request; `error` is one of the SDK's error kinds. */
export const apiErrorMessage = (
  stamp: Stamp,
  error: {
    /** Null when the official SDK's message has no `error`. */
    readonly kind: string | null
    readonly text: string
    readonly status: number | null
    readonly type: string
    readonly requestId: string | null
    readonly stopReason?: string
    /** Why the answer was refused, as the API reported it, and the id of the refused message. */
    readonly stopDetails?: unknown
    readonly refusedMessageId?: string
    /** The API's own message, where `text` does not repeat it. */
    readonly details?: string
    /** The turn's `terminal_reason`; `api_error` when absent. */
    readonly terminalReason?: string
  },
): NewEvent<"sdk:assistant"> =>
  answerWithoutModel(
    stamp,
    error.text,
    {
      stop_reason: error.stopReason ?? "stop_sequence",
      stop_sequence: "",
      ...(error.stopDetails === undefined || error.stopDetails === null ? {} : { stop_details: error.stopDetails }),
    },
    {
      ...(error.kind === null ? {} : { error: error.kind }),
      ...(error.requestId === null ? {} : { request_id: error.requestId }),
      ...(error.details === undefined ? {} : { error_details: error.details }),
      ...(error.terminalReason === undefined ? {} : { terminal_reason: error.terminalReason }),
      is_api_error_message: true,
      ...(error.refusedMessageId === undefined ? {} : { refused_message_id: error.refusedMessageId }),
      ...(error.status === null ? {} : { api_error_status: error.status, api_error_type: error.type }),
      ...repliesTo(stamp.promptUuids),
    },
  )

/**
 * The answer of a slash command instead of the model; `run` names the command, also when it failed, and is null when it did
 * not run.
 */
export const localAnswerMessage = (
  stamp: Stamp,
  text: string,
  run: { readonly command: string; readonly args: string } | null,
  outcome: "failed" | "unavailable_headless" | null = run === null ? "failed" : null,
): NewEvent<"sdk:assistant"> =>
  answerWithoutModel(
    stamp,
    text,
    { stop_reason: "end_turn", stop_sequence: null },
    {
      local_command_source:
        outcome === "failed"
          ? `<local-command-stderr>${text}</local-command-stderr>`
          : `<local-command-stdout>${text}</local-command-stdout>`,
      ...(run === null ? {} : { local_command_run: run }),
      ...(outcome === null || (outcome === "failed" && run === null)
        ? {}
        : { local_command_outcome: { kind: outcome } }),
      ...repliesTo(stamp.promptUuids),
    },
  )

/** The type of a background task and the agent that runs it, as messages name them. */
export const taskKind = ({ agent, parent_task_id }: Pick<BackgroundTask, "agent" | "parent_task_id">) => ({
  ...(agent === undefined ? { task_type: "local_bash" } : { task_type: "local_agent", subagent_type: agent }),
  ...(parent_task_id === undefined ? {} : { parent_task_id }),
})

/** The message that lists all background tasks that run now. */
export const runningTasksMessage = (
  stamp: Stamp,
  running: ReadonlyArray<BackgroundTask>,
): NewEvent<"sdk:system/background_tasks_changed"> =>
  systemMessage(stamp, "background_tasks_changed", {
    tasks: running.map((task) => {
      const { task_id, run_id, description } = task
      return { task_id, run_id, ...taskKind(task), description }
    }),
  })

/** A slash command's output for clients; the model does not get it. */
export const localOutputMessage = (stamp: Stamp, text: string): NewEvent =>
  sdkEvent(stamp.turn, "sdk:user", {
    message: { role: "user", content: `<local-command-stdout>${text}</local-command-stdout>` },
    session_id: stamp.sessionId,
    parent_tool_use_id: null,
    uuid: stamp.uuid,
    timestamp: timestamp(stamp.at),
    isReplay: true,
  })

/** How a call was permitted or refused, as in `tool_result_meta`. */
export interface PermissionNote {
  readonly decision: "accept" | "reject"
  readonly source: "config" | "hook" | "user_temporary" | "user_reject" | "permission_updated_input_invalid"
  readonly reason_type?: string
}

export interface ResultNote {
  readonly permission?: PermissionNote
  readonly notExecuted?: "permission-rule" | "user-rejected" | "cancelled" | "interrupted"
}

export const toolResultMessage = (
  stamp: Stamp,
  use: ToolUse,
  result: { readonly content: unknown; readonly isError?: boolean; readonly output: unknown },
  note: ResultNote = {},
): NewEvent<"sdk:user"> =>
  sdkEvent(stamp.turn, "sdk:user", {
    message: {
      role: "user",
      content: [
        {
          tool_use_id: use.id,
          type: "tool_result",
          content: resultContent(result.content, result.isError === true),
          ...(result.isError === undefined ? {} : { is_error: result.isError }),
        },
      ],
    },
    parent_tool_use_id: null,
    session_id: stamp.sessionId,
    uuid: stamp.uuid,
    timestamp: timestamp(stamp.at),
    tool_use_result: result.output,
    ...(note.permission === undefined && note.notExecuted === undefined
      ? {}
      : {
          tool_result_meta: [
            {
              id: use.id,
              ...(note.notExecuted === undefined ? {} : { non_execution_kind: note.notExecuted }),
              ...(note.permission === undefined ? {} : { permission_decision: note.permission }),
            },
          ],
        }),
  })

/** How a prompt is sent back. `early`: before its turn starts, or after its end; as in the official SDK, without a time. */
export interface EchoForm {
  readonly synthetic?: boolean
  readonly early?: boolean
}

/** A prompt, sent back to clients under its own uuid. */
export const promptEcho = (stamp: Stamp, prompt: unknown, { synthetic, early }: EchoForm): NewEvent<"sdk:user"> =>
  sdkEvent(stamp.turn, "sdk:user", {
    message: { role: "user", content: prompt },
    parent_tool_use_id: null,
    session_id: stamp.sessionId,
    uuid: stamp.uuid,
    ...(early === true ? {} : { timestamp: timestamp(stamp.at) }),
    isReplay: true,
    ...(synthetic === true ? { isSynthetic: true, origin: { kind: "unclassified" } } : {}),
  })

/** A text of the loop to the model, as a user message that is marked as such. `more` are further fields of the message. */
export const syntheticMessage = (stamp: Stamp, text: string, more: Readonly<Record<string, unknown>> = {}): NewEvent =>
  userMessage(stamp, [{ type: "text", text }], { isSynthetic: true, ...more })

/** A user message with one text, such as the mark of an interrupt. */
export const userTextMessage = (stamp: Stamp, text: string): NewEvent => userMessage(stamp, [{ type: "text", text }])

/** A user message that the loop itself writes. */
export const userMessage = (
  stamp: Stamp,
  content: ReadonlyArray<{ readonly type: string; readonly text: string }>,
  more: Readonly<Record<string, unknown>> = {},
): NewEvent =>
  sdkEvent(stamp.turn, "sdk:user", {
    message: { role: "user", content },
    parent_tool_use_id: null,
    session_id: stamp.sessionId,
    uuid: stamp.uuid,
    timestamp: timestamp(stamp.at),
    ...more,
  })

type SystemSubtype = SdkName extends infer N ? (N extends `sdk:system/${infer S}` ? S : never) : never

/** The fields of a `system` message other than those that all `system` messages have. */
export type SystemFields<S extends SystemSubtype> = Omit<
  EventPayloads[`sdk:system/${S}`],
  "type" | "subtype" | "uuid" | "session_id"
>

/** A `system` message of the subtype. */
export const systemMessage = <S extends SystemSubtype>(
  stamp: Stamp,
  subtype: S,
  fields: SystemFields<S>,
): NewEvent<`sdk:system/${S}`> =>
  sdkEvent(stamp.turn, `sdk:system/${subtype}`, { ...fields, session_id: stamp.sessionId, uuid: stamp.uuid })

/** What a client may rely on when it interrupts, in `system/init` and in the answer to `initialize`. */
export const INTERRUPT_CAPABILITIES = ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"]

export const initMessage = (
  stamp: Stamp,
  facts: {
    readonly cwd: string
    readonly originalCwd: string
    readonly tools: ReadonlyArray<string>
    readonly model: string
    readonly betas?: ReadonlyArray<string> | undefined
    readonly permissionMode: PermissionMode
    readonly skills: ReadonlyArray<string>
    /** Names of the subagents. */
    readonly agents: ReadonlyArray<string>
    readonly slashCommands: ReadonlyArray<string>
    readonly apiKeySource: ApiKeySource
    readonly mcpServers: ReadonlyArray<{ readonly name: string; readonly status: string; readonly source?: string }>
  },
): NewEvent =>
  systemMessage(stamp, "init", {
    cwd: facts.cwd,
    original_cwd: facts.originalCwd,
    tools: facts.tools,
    mcp_servers: facts.mcpServers,
    model: facts.model,
    ...(facts.betas === undefined ? {} : { betas: facts.betas }),
    permissionMode: facts.permissionMode,
    slash_commands: facts.slashCommands,
    apiKeySource: facts.apiKeySource,
    claude_code_version: `perch-${PERCH_VERSION}`,
    output_style: "default",
    agents: facts.agents,
    skills: facts.skills,
    plugins: [],
    capabilities: INTERRUPT_CAPABILITIES,
    ...answers(stamp.promptUuids),
  })
