// What one turn has done so far, as the accounting counts it.
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { PromptEvent } from "./stopped-prompt.ts"
import { loggedHookOutcome } from "../calls/logged-hook-outcome.ts"
import { emptyUsage, type NonNullableUsage } from "../../model/catalogue/prices.ts"
import type { SubtaskCompleteInput } from "../../schemas/interop/bridge.ts"
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
  /** Clients were sent a message of it before its first events. */
  announced = false
  started = false
  /** Model requests that were answered. */
  requests = 0
  /** How many of them another agent made, which failed: they do not count for `maxTurns`. */
  requestsBefore = 0
  /** How many of them count for no `maxTurns` either: nothing was kept of the answer, or it was cut, blank or refused. */
  uncounted = 0
  /** `user` messages emitted: `num_turns` is one more. */
  userMessages = 0
  apiMs = 0
  usage: NonNullableUsage = emptyUsage()
  /** The same without the last request. */
  usageBefore: NonNullableUsage = emptyUsage()
  /** What its requests have cost, those inside its calls included. */
  usd = 0
  stopReason: string | null = null
  /** Answers that the API paused. */
  pauses = 0
  /** Why the last answer was refused, as the API gave it. */
  stopDetails: unknown = null
  /** The text of the last assistant message, if it was one. */
  lastText: string | undefined
  /** What clients were shown in place of the last message's text. */
  replaced: { readonly written: string; readonly text: string } | null = null
  firstMessageAt: number | null = null
  apiError: {
    readonly kind: string
    readonly status: number | null
    readonly text: string
    readonly terminalReason: string
    /** The turn ends with it; otherwise calls of the answer that broke are kept, and it goes on. */
    readonly final: boolean
    readonly details?: string
  } | null = null
  /** The model and request of the last answer. */
  model: string | null = null
  requestId: string | null = null
  messageId: string | null = null
  /** How often the loop asked the model to go on, by cause. */
  readonly nudges = new Map<NudgeCause, number>()
  /** The model that answers instead of the session's own, since that one is overloaded. */
  fallbackModel: string | null = null
  /** The value that the StructuredOutput tool took, and how often it refused one. */
  structured: { readonly value: unknown } | null = null
  structuredFailures = 0
  /** What a routed run reported when it called its subtask complete. */
  completed: SubtaskCompleteInput | null = null
  readonly denials: Array<PermissionDenial> = []
  /** The calls that questions are about, by the question, and those that were refused. */
  readonly asked = new Map<string, string>()
  readonly refused: Set<string>
  /** The outcome of UserPromptSubmit hooks for the prompt; that of UserPromptExpansion hooks where they stop it. */
  submitted: HookOutcome | null = null
  /** The event of that outcome. */
  submittedBy: PromptEvent = "UserPromptSubmit"
  /** The slash command that the prompt calls. */
  command: CommandInvoked | null = null
  /** Outcomes of the command's scripts, by their calls; once all have one the prompt is there. */
  readonly scripts = new Map<string, CommandRan>()
  expanded = false
  /** What the command became once its scripts had run, and what its subagent has reported. */
  expansion: CommandExpanded["prompt"] | null = null
  commandAnswer: string | null = null
  /** Ids of the calls that the model made. */
  readonly calls = new Set<string>()
  /** The outcome of PreToolUse hooks for each call. */
  readonly preToolUse = new Map<string, HookOutcome>()
  /** Calls that took effect and whose hooks have not been called. */
  readonly ran = new Map<string, ToolRan>()
  /** A hook of a tool asked for the turn to end. */
  halted = false
  readonly hookCounts = new Map<string, number>()
  /** Prompts that waited when the turn began, and are part of it. */
  readonly gathered: Array<TurnJoined> = []
  /** What the paths that its steps have changed held at the last snapshot. */
  readonly nodes = new Map<string, LoggedNode>()
  /** Results since the last PostToolBatch, in completion order. */
  batch: Array<{ readonly id: string; readonly content: unknown }> = []

  constructor(turn: string, startedAt: number, refused = new Set<string>()) {
    this.turn = turn
    this.startedAt = startedAt
    this.refused = refused
  }

  /** True when it has counted nothing: after a result, events of its turn begin another one. */
  get isBlank(): boolean {
    return counted(this) === counted(new TurnTally(this.turn, this.startedAt))
  }

  /** A hook event of the turn, and what its hooks answered. */
  hook(fired: HookFired): void {
    const { hook_event_name: name, input } = fired
    count(this.hookCounts, name)
    if (name === "PostToolBatch") this.batch = []
    const outcome = loggedHookOutcome(fired)
    const id = input["tool_use_id"]
    // Once the turn has begun, it is a prompt that joins it.
    if (name === "UserPromptSubmit" && !this.started) this.submitted = outcome
    if (name === "UserPromptExpansion" && (outcome.block ?? outcome.stop) !== null) {
      this.submitted = outcome
      this.submittedBy = name
    }
    if (name === "PreToolUse" && typeof id === "string") this.preToolUse.set(id, outcome)
    if (outcome.stop !== null && HALTING.has(name)) this.halted = true
    if (outcome.block !== null && name === "PostToolBatch") this.halted = true
  }
}

const counted = (tally: TurnTally): string =>
  JSON.stringify(tally, (_, value: unknown) => (value instanceof Map || value instanceof Set ? value.size : value))

/** A hook of these events that says `continue: false` ends the turn once its calls are done; PostToolBatch may block too. */
const HALTING: ReadonlySet<string> = new Set(["PreToolUse", "PostToolUse", "PostToolBatch"])

/** One more under the key. */
export const count = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
