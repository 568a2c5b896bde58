// The payload of each event of the log, by the event's name.
// Invariant: the payload of an event named `sdk:…` is an SDK message exactly as it is sent; all others are Perch's own facts.
// Names and fields are stored, so they may be added, but never renamed. Nothing is decoded here, since Perch wrote the log.
import type { Who } from "../access.ts"
import type { Content } from "../sdk/messages/blocks.ts"
import type { CommandAnswered, CommandExpanded, CommandInvoked, CommandRan } from "./command-events.ts"
import type { Route } from "../interop/claude-code-config.ts"
import type { Subtask } from "../interop/subtask.ts"
import type { BridgeCalled } from "../interop/bridge.ts"
import type { ProgressChanged, RouteDecided, RouteFellBack } from "./route-events.ts"
import type { AskOpened, AskSettled } from "./ask-events.ts"
import type { ConversationReminded, ConversationRestarted, PlanReminded } from "./conversation-events.ts"
import type { SandboxViolated } from "./sandbox-events.ts"
import type { FileChanged, SnapshotTaken, TurnPatched } from "./file-events.ts"
import type { DefinitionsLoaded, HeadMoved, SessionChanged, SessionCreated, SessionForked } from "./session-events.ts"
import type {
  AgentDelivered,
  AgentEnded,
  AgentMessaged,
  AgentMoved,
  AgentStarted,
  MessageWithheld,
} from "./agent-events.ts"
import type {
  FilesMentioned,
  InstructionsLoaded,
  ProjectNoticed,
  PromptMentioned,
  SettingsTaken,
  SkillsListed,
} from "./project-events.ts"
import type { QueuedRun, RunPaused, RunResumed, RunStarted, RunTimedOut } from "../runs/run-events.ts"
import type { McpExtras } from "../sdk/options/mcp-tools.ts"
import type { SDK_MESSAGES, UnknownMessage } from "../sdk/messages/messages.ts"

/** `turn:queued`: the prompt of a turn, and the options that apply to this turn alone. */
export interface TurnQueued {
  readonly prompt: Content
  readonly options: Record<string, unknown>
  /** Text that is appended to the turn's system prompt, whichever that is. */
  readonly appendSystemPrompt?: string
  /** The prompt came over the control protocol: it may join a turn that is in the middle of its tool calls. */
  readonly mayJoin?: true
  /** The sender set the uuid, and is sent the prompt's state whenever it changes (`command_lifecycle`). */
  readonly acknowledge?: true
  /** `acknowledge` in logs of earlier versions. */
  readonly told?: true
  /** The prompt runs after all prompts without this flag, and never joins a running turn. */
  readonly later?: true
  /** The prompt ends the running turn, and runs before all others. */
  readonly now?: true
  /** A program of the sender wrote the prompt, not a person: its turn and its replay have the origin `unclassified`. */
  readonly synthetic?: true
  /** The sender states that a person typed the prompt: its turn has the origin `human`. */
  readonly human?: true
  /** The prompt is context for the next one: no model request is made for it. */
  readonly silent?: true
  /** A prompt of Perch itself: resumes the tool call that a hook deferred, before any further prompt runs. */
  readonly continues?: true
  /** The turn belonged to another session: it never runs here, and ends with `turn:imported`. */
  readonly imported?: true
  /** Who sent the prompt; absent for prompts of Perch itself. */
  readonly actor?: Who
  /** The version of the tenant's definitions that the turn must load before it starts. */
  readonly definitions?: number
  /** The route to the agent that executes the prompt, and the subtask that it contains. */
  readonly routing?: { readonly route: Route; readonly subtask?: Subtask }
  /** The origin of a prompt that no person typed, as the turn's `result` reports it. */
  readonly origin?: TurnOrigin
  /** The run of `POST /v1/runs` that submitted the prompt. */
  readonly run?: QueuedRun
  /** The id under which the client shows the prompt, in opencode's form (`msg_…`). */
  readonly messageID?: string
}

/** The end of a background task, which a prompt of Perch itself announces to the model. */
export interface TurnOrigin {
  readonly kind: "task-notification"
  readonly producer: "session-task"
  readonly runId: string
}

/** Why the model was asked to continue although its answer had ended. */
export type NudgeCause =
  | "blank"
  | "max_tokens"
  | "refusal"
  | "malformed_call"
  | "broken"
  | "stop_hook"
  | "structured_output"

/** `turn:nudged`: the model was asked to continue. Nudges are counted, so that every turn ends. */
export interface TurnNudged {
  readonly cause: NudgeCause
}

/** `lane:waiting`: a turn waits until its tenant runs fewer turns; repeated as its position improves. `position` 1 is next. */
export interface LaneWaiting {
  readonly position: number
  /** How many turns of the tenant may run at once. */
  readonly limit: number
  /** When the turn arrived (milliseconds since 1970). */
  readonly since: number
}

/** `lane:entered`: the turn's wait is over. */
export interface LaneEntered {
  readonly waited_ms: number
}

/** `turn:joined`: a queued prompt became part of another turn; its own turn ends here. */
export interface TurnJoined {
  readonly turn: string
  readonly prompt: TurnQueued["prompt"]
  readonly origin?: TurnOrigin
  /** The prompt was queued when that turn started: it was appended to the turn's prompt, and shares its outcome. */
  readonly first?: true
  /** As in `turn:queued`. */
  readonly acknowledge?: true
  readonly told?: true
}

/** `tool:ran`: a call took effect, and its hooks have not been called yet. */
export interface ToolRan {
  readonly tool_use_id: string
  readonly content: unknown
  readonly is_error?: boolean
  readonly output: unknown
  /** The data that an MCP server returned in addition to its content. */
  readonly extras?: McpExtras
  readonly duration_ms: number
}

/** `tool:printed`, never stored: what a running script has printed so far; only the last 8,192 characters. */
export interface ToolPrinted {
  readonly uuid: string
  readonly tool_use_id: string
  readonly output: string
  /** True when earlier output was cut off. */
  readonly truncated: boolean
}

/** `cwd:changed`: the conversation continues in another directory, the one in which a call of the shell ended. */
export interface CwdChanged {
  readonly cwd: string
}

/** `tool:skipped`: a call that never ran and whose turn has ended; `content` is its result for the model. */
export interface ToolSkipped {
  readonly tool_use_id: string
  readonly content: string
}

/** An item of the session's task list. `blocks` and `blockedBy` are ids of other items. */
export interface TaskItem {
  readonly id: string
  readonly subject: string
  readonly description: string
  readonly status: "pending" | "in_progress" | "completed"
  readonly activeForm?: string
  readonly owner?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly blocks: ReadonlyArray<string>
  readonly blockedBy: ReadonlyArray<string>
}

/** `task:changed`: the new state of changed items, and the ids of deleted ones; ids are never reused. */
export interface TaskChanged {
  readonly tasks: ReadonlyArray<TaskItem>
  readonly deleted?: ReadonlyArray<string>
}

/** `call:finished`: an answered model request, with its usage and cost. `usd` is null when the model has no price. */
export interface CallFinished {
  readonly message_id: string
  readonly request_id: string | null
  readonly model: string
  readonly stop_reason: string | null
  /** Why the model refused, as the API reports it. */
  readonly stop_details?: unknown
  readonly usage: Record<string, unknown>
  readonly usd: number | null
  readonly price_version: string
  readonly duration_ms: number
  /** True when the answer was discarded (a broken stream whose request was retried). */
  readonly wasted: boolean
  /** The estimated usage of an answer without an end; its price and the sums by model are computed from it. */
  readonly billed_usage?: Record<string, unknown>
  /** True when the API itself aborted the answer, which is then not billed. */
  readonly unbilled?: true
  /** True when the answer consists of blank texts only, which are left out. */
  readonly blank?: true
  /** The request belonged to another session: this session neither counts nor pays it. */
  readonly imported?: true
  /** The request summarizes the conversation or the progress: it is paid, but does not count as a request of the turn. */
  readonly purpose?: "compaction" | "progress_summary"
}

/** `hook:fired`: one hook event, as it is sent to the Queue. `outcome` is the combined outcome of its hooks. */
export interface HookFired {
  readonly id: string
  readonly hook_event_name: string
  readonly input: Record<string, unknown>
  readonly outcome: Record<string, unknown>
  /** Only for PreToolUse, which records a call: the fingerprint of the schema that checked its input. */
  readonly schema_fingerprint?: string
}

/**
 * `tool:called`: a client called a tool of the session itself, outside any turn. `content` and `is_error` are the tool's
 * result as in a turn, `output` its structured `tool_use_result`. The call is not part of the conversation.
 */
export interface ToolCalled {
  readonly tool_use_id: string
  readonly tool_name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly via: "mcp"
  /** The fingerprint of the tool's schema; absent when there is no such tool. */
  readonly schema_fingerprint?: string
  readonly content: unknown
  readonly is_error?: boolean
  readonly output: unknown
  /** Why the call failed, if the tool or the permissions gave a reason. */
  readonly reason?: string
  /** Who called it. */
  readonly actor?: Who
}

/** Fields of the loop's messages that the SDK's schemas do not declare. */
interface LoopFields {
  readonly assistant: {
    readonly is_api_error_message?: boolean
    readonly api_error_status?: number | null
    readonly api_error_type?: string
    readonly error_details?: string
    readonly refused_message_id?: string
    readonly terminal_reason?: string
  }
  readonly user: {
    readonly isReplay?: boolean
    readonly tool_result_meta?: ReadonlyArray<{
      readonly id: string
      readonly non_execution_kind?: string
      readonly permission_decision?: {
        readonly decision: string
        readonly source: string
        readonly reason_type?: string
      }
    }>
    /** The structured result of a subagent's call, which the SDK's messages of subagents do not have. */
    readonly subagent_tool_result?: unknown
  }
  readonly "system/init": { readonly original_cwd?: string }
}

type SdkType = Exclude<keyof typeof SDK_MESSAGES, "user/replay">

type SdkMessageOf<T extends SdkType> = (typeof SDK_MESSAGES)[T]["Type"] &
  (T extends keyof LoopFields ? LoopFields[T] : unknown)

type SdkPayloads = { readonly [T in SdkType as `sdk:${T}`]: SdkMessageOf<T> }

/** A message of the loop that the SDK's union does not have. */
interface LoopMessage {
  readonly type: string
  readonly uuid: string
  readonly session_id: string
}

/** The payload of every event that Perch writes or emits, by its name. */
export interface EventPayloads extends SdkPayloads {
  "sdk:command_lifecycle": LoopMessage & { readonly command_uuid: string; readonly state: string }
  "sdk:system/model_fallback": LoopMessage & {
    readonly trigger: string
    readonly original_model: string
    readonly fallback_model: string
    readonly content: string
  }
  "sdk:system/session_title_changed": LoopMessage & { readonly title: string | null }
  "turn:queued": TurnQueued
  "turn:nudged": TurnNudged
  "turn:joined": TurnJoined
  /** A queued prompt was withdrawn: its turn never runs. */
  "turn:cancelled": Readonly<Record<string, never>>
  /** The end of a turn that was imported from another session. */
  "turn:imported": Readonly<Record<string, never>>
  "lane:waiting": LaneWaiting
  "lane:entered": LaneEntered
  "call:finished": CallFinished
  "hook:fired": HookFired
  "ask:opened": AskOpened
  "ask:settled": AskSettled
  "command:invoked": CommandInvoked
  "command:ran": CommandRan
  "command:expanded": CommandExpanded
  "command:answered": CommandAnswered
  "tool:called": ToolCalled
  "tool:ran": ToolRan
  "tool:skipped": ToolSkipped
  "task:changed": TaskChanged
  "cwd:changed": CwdChanged
  "instructions:loaded": InstructionsLoaded
  "agent:started": AgentStarted
  "agent:ended": AgentEnded
  "agent:moved": AgentMoved
  "agent:messaged": AgentMessaged
  "agent:delivered": AgentDelivered
  "message:withheld": MessageWithheld
  "skills:listed": SkillsListed
  "files:mentioned": FilesMentioned
  "project:noticed": ProjectNoticed
  "prompt:mentioned": PromptMentioned
  "settings:taken": SettingsTaken
  "session:created": SessionCreated
  "session:changed": SessionChanged
  "session:forked": SessionForked
  "head:moved": HeadMoved
  "conversation:restarted": ConversationRestarted
  "conversation:reminded": ConversationReminded
  "plan:reminded": PlanReminded
  "definitions:loaded": DefinitionsLoaded
  "route:decided": RouteDecided
  "route:fell_back": RouteFellBack
  "bridge:called": BridgeCalled
  "progress:changed": ProgressChanged
  "snapshot:taken": SnapshotTaken
  "sandbox:violated": SandboxViolated
  "tool:printed": ToolPrinted
  "file:changed": FileChanged
  "turn:patched": TurnPatched
  "run:started": RunStarted
  "run:paused": RunPaused
  "run:resumed": RunResumed
  "run:timed_out": RunTimedOut
}

declare const unlisted: unique symbol
/** The name of an SDK message that is not in `EventPayloads`: an imported conversation may contain any. */
export type UnlistedName = `sdk:${string}` & { readonly [unlisted]: true }

export type EventName = keyof EventPayloads | UnlistedName

export type PayloadOf<N extends EventName> = N extends keyof EventPayloads ? EventPayloads[N] : UnknownMessage
