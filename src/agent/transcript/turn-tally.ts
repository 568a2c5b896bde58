// The tally of one turn: its counts, outcomes and state so far, which the accounting updates.
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { PromptEvent } from "./stopped-prompt.ts"
import { loggedHookOutcome } from "../calls/logged-hook-outcome.ts"
import type { NonNullableUsage } from "../../model/catalogue/prices.ts"
import { emptyUsage } from "../../schemas/sdk/messages/empty-usage.ts"
import type { SubtaskCompleteInput } from "../../schemas/interop/bridge.ts"
import type { AskSettled } from "../../schemas/log/ask-events.ts"
import type { CommandExpanded, CommandInvoked, CommandRan } from "../../schemas/log/command-events.ts"
import type { LoggedNode } from "../../schemas/log/file-events.ts"
import type { HookFired, NudgeCause, ToolRan, TurnJoined } from "../../schemas/log/event-payloads.ts"

export interface PermissionDenial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
}

/** What one turn has done so far. */
export class TurnTally {
  readonly turn: string
  readonly startedAt: number
  /** True when clients were sent a message of the turn before its first events. */
  announced = false
  started = false
  /** Model requests that were answered. */
  requests = 0
  /** Requests of another agent of a routed turn, which failed: they do not count for `maxTurns`. */
  requestsBefore = 0
  /** Other requests that do not count for `maxTurns`: the answer was discarded, cut off, blank or refused. */
  uncounted = 0
  /** Emitted `user` messages; `num_turns` is one more. */
  userMessages = 0
  apiMs = 0
  usage: NonNullableUsage = emptyUsage()
  /** `usage` before the last request was added to it; equal to `usage` if that request, for a summary or in a call, is not added. */
  usageBefore: NonNullableUsage = emptyUsage()
  /** The cost of its requests in USD, including those inside its calls. */
  usd = 0
  /** The last stop reason that the API gave, for the result. */
  stopReason: string | null = null
  /** The stop reason of the last answer; null if it had none. */
  answerStopReason: string | null = null
  /** The last compaction of the turn: the number of requests before it, and its `refills`. */
  lastCompaction: { readonly requests: number; readonly refills: number } | null = null
  /** Number of answers that the API paused. */
  pauses = 0
  /** The API's reason for refusing the last answer. */
  stopDetails: unknown = null
  /** The text of the last assistant message, if it has one. */
  lastText: string | undefined
  /** The text that clients were shown instead of the last message's text. */
  replaced: { readonly written: string; readonly text: string } | null = null
  firstMessageAt: number | null = null
  /** True when an answer consisted of blank texts only. */
  answeredBlank = false
  apiError: {
    readonly kind: string
    readonly status: number | null
    readonly text: string
    readonly terminalReason: string
    /** True when the turn ends with the error; else calls of the broken answer are kept, and the turn continues. */
    readonly final: boolean
    readonly details?: string
  } | null = null
  /** The model and request of the last answer. */
  model: string | null = null
  requestId: string | null = null
  messageId: string | null = null
  /** How often the loop asked the model to continue, by cause. */
  readonly nudges = new Map<NudgeCause, number>()
  /** The fallback model that answers instead of the session's own. */
  fallbackModel: string | null = null
  /** The value that the StructuredOutput tool accepted, and how often it refused one. */
  structured: { readonly value: unknown } | null = null
  structuredFailures = 0
  /** What a routed run reported when it called its subtask complete. */
  completed: SubtaskCompleteInput | null = null
  readonly denials: Array<PermissionDenial> = []
  /** Calls by the request id of their ask, and the calls that were refused. */
  readonly asked = new Map<string, string>()
  readonly refused: Set<string>
  /** The outcome of the prompt's UserPromptSubmit hooks, or of UserPromptExpansion hooks if they stop the prompt. */
  submitted: HookOutcome | null = null
  /** The event to which that outcome belongs. */
  submittedBy: PromptEvent = "UserPromptSubmit"
  /** The slash command that the prompt calls. */
  command: CommandInvoked | null = null
  /** Outcomes of the command's scripts by call id; the prompt is complete once all have one. */
  readonly scripts = new Map<string, CommandRan>()
  expanded = false
  /** A forked command's prompt after its scripts have run, and the report of its subagent. */
  expansion: CommandExpanded["prompt"] | null = null
  commandAnswer: string | null = null
  /** Ids of the model's calls. */
  readonly calls = new Set<string>()
  /** The outcome of PreToolUse hooks for each call. */
  readonly preToolUse = new Map<string, HookOutcome>()
  /** Calls that took effect but have no result yet, since their PostToolUse hooks have not been called. */
  readonly ran = new Map<string, ToolRan>()
  /** As the official SDK: an agent whose SubagentStart hook does not respond in time is stopped before its first request. */
  startTimedOut = false
  /** True when a hook of a tool call asked for the turn to end. */
  halted = false
  readonly hookCounts = new Map<string, number>()
  /** Prompts that were waiting when the turn started, and became part of it. */
  readonly gathered: Array<TurnJoined> = []
  /** Prompts that joined while the turn ran, and whose senders are sent their state. */
  readonly joined: Array<TurnJoined> = []
  /** The nodes at the last snapshot of the paths that its steps have changed. */
  readonly nodes = new Map<string, LoggedNode>()
  /** Results since the last PostToolBatch, in completion order. */
  batch: Array<{ readonly id: string; readonly content: unknown; readonly failed: boolean }> = []

  constructor(turn: string, startedAt: number, refused = new Set<string>()) {
    this.turn = turn
    this.startedAt = startedAt
    this.refused = refused
  }

  /** True when nothing was counted: events of a turn after its result start another, blank tally. */
  get isBlank(): boolean {
    return counted(this) === counted(new TurnTally(this.turn, this.startedAt))
  }

  /** If the turn were compacted now: how many compactions in a row each followed the one before after a few answers. */
  get refills(): number {
    const last = this.lastCompaction
    return last !== null && this.requests - last.requests <= RAPID_ANSWERS ? last.refills + 1 : 0
  }

  /** Records an answer of nothing but blank texts. As the official SDK: hooks get no earlier text in its place. */
  answerBlank(): void {
    this.answeredBlank = true
    this.lastText = undefined
  }

  /** Records the stop reason of the last answer, for the result as well. */
  stopWith(reason: string | null): void {
    this.stopReason = reason
    this.answerStopReason = reason
  }

  /** The agent of a routed turn failed, and another one continues: what the failed one caused does not end the turn. */
  routeFellBack(): void {
    this.requestsBefore = this.requests
    this.uncounted = 0
    this.apiError = null
    this.stopWith(null)
    this.halted = false
    this.completed = null
    this.batch = []
  }

  /** Records the outcome of a script of the turn's command. */
  scriptRan(script: CommandRan): void {
    const { tool_use_id, command, denied } = script
    this.scripts.set(tool_use_id, script)
    this.ran.delete(tool_use_id)
    if (denied === true) this.denials.push({ tool_name: "Bash", tool_use_id, tool_input: { command } })
  }

  expand({ prompt }: CommandExpanded): void {
    this.expanded = true
    if (this.command?.fork !== undefined) this.expansion = prompt
  }

  join(joined: TurnJoined): void {
    if (joined.first === true) this.gathered.push(joined)
    else if (joined.acknowledge === true) this.joined.push(joined)
  }

  settle({ request_id, answer }: AskSettled): void {
    const call = this.asked.get(request_id)
    if (call !== undefined && answer["behavior"] === "deny") this.refused.add(call)
  }

  /** Counts a hook event of the turn, and records its hooks' outcome. */
  hook(fired: HookFired): void {
    const { hook_event_name: name, input } = fired
    count(this.hookCounts, name)
    if (name === "PostToolBatch") this.batch = []
    const outcome = loggedHookOutcome(fired)
    const id = input["tool_use_id"]
    // After the start of the turn, the event is about a prompt that joins it.
    if (name === "UserPromptSubmit" && !this.started) this.submitted = outcome
    if (name === "UserPromptExpansion" && (outcome.block ?? outcome.stop) !== null) {
      this.submitted = outcome
      this.submittedBy = name
    }
    if (name === "PreToolUse" && typeof id === "string") this.preToolUse.set(id, outcome)
    if (name === "SubagentStart") this.startTimedOut = outcome.failures.some(({ kind }) => kind === "timeout")
    if (outcome.stop !== null && HALTING.has(name)) this.halted = true
    if (outcome.block !== null && name === "PostToolBatch") this.halted = true
  }
}

/** As the official SDK: a conversation that is full again after at most so many answers counts as refilled. */
const RAPID_ANSWERS = 2

const counted = (tally: TurnTally): string =>
  JSON.stringify(tally, (_, value: unknown) => (value instanceof Map || value instanceof Set ? value.size : value))

/** Events whose hooks end the turn, after its calls, with `continue: false`; for PostToolBatch a block ends it too. */
const HALTING: ReadonlySet<string> = new Set(["PreToolUse", "PreSkillShellCommand", "PostToolUse", "PostToolBatch"])

/** Adds one to the count of the key. */
export const count = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
