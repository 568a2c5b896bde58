// Receives the log's events in order; keeps what the session has cost and what the current turn has done.
// Invariant: everything in a `result` message can be read from the log, so a turn that a crash cut in two counts as one.
import { addModelUsage, addUsage, addUsd, emptyUsage, type ModelUsage, type NonNullableUsage } from "../model/prices.ts"
import { type CallFinished, EventNames, type LogEvent } from "../schemas/events.ts"
import type { ToolUse } from "./transcript.ts"

export interface PermissionDenial {
  readonly tool_name: string
  readonly tool_use_id: string
  readonly tool_input: unknown
}

/** What one turn has done so far. */
export class TurnTally {
  readonly turn: string
  startedAt = 0
  started = false
  /** Model requests that were answered. */
  requests = 0
  /** `user` messages emitted: `num_turns` is one more. */
  userMessages = 0
  apiMs = 0
  usage: NonNullableUsage = emptyUsage()
  stopReason: string | null = null
  lastText = ""
  firstMessageAt: number | null = null
  apiError: { readonly kind: string; readonly status: number | null; readonly text: string } | null = null
  /** True once the model was asked to say something visible. */
  nudged = false
  readonly denials: Array<PermissionDenial> = []
  readonly hookedCalls = new Set<string>()
  /** Results since the last PostToolBatch, in completion order. */
  batch: Array<{ readonly id: string; readonly content: unknown }> = []

  constructor(turn: string) {
    this.turn = turn
  }
}

interface UserPayload {
  readonly message: { readonly content: unknown }
  readonly isReplay?: boolean
  readonly tool_result_meta?: ReadonlyArray<{
    readonly id: string
    readonly permission_decision?: { readonly decision: string }
  }>
}

interface AssistantPayload {
  readonly error?: string
  readonly api_error_status?: number | null
  readonly message: {
    readonly model: string
    readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  }
}

/** Totals of the session, and the tally of the turn that runs. */
export class Accounting {
  modelUsage: Record<string, ModelUsage> = {}
  totalUsd = 0
  hasUnpriced = false
  requests = 0
  results = 0
  cacheRead = 0
  cacheWrite = 0
  tally: TurnTally | null = null
  readonly #toolUse: (id: string) => ToolUse | undefined

  constructor(toolUse: (id: string) => ToolUse | undefined) {
    this.#toolUse = toolUse
  }

  apply(event: LogEvent): void {
    if (event.name === EventNames.callFinished) this.#call(event.payload as CallFinished)
    if (event.turn !== null && this.tally?.turn !== event.turn && event.name !== EventNames.turnQueued) {
      this.tally = new TurnTally(event.turn)
    }
    const tally = this.tally
    if (tally === null || event.turn !== tally.turn) return
    switch (event.name) {
      case "sdk:system/init":
        tally.started = true
        tally.startedAt = event.at
        break
      case "sdk:assistant":
        this.#assistant(tally, event.payload as AssistantPayload, event.at)
        break
      case "sdk:user":
        this.#user(tally, event.payload as UserPayload)
        break
      case EventNames.hookFired:
        this.#hook(tally, event.payload as { hook_event_name: string; input: { tool_use_id?: string } })
        break
      case EventNames.callFinished:
        this.#turnCall(tally, event.payload as CallFinished)
        break
      default:
        if (event.name.startsWith("sdk:result")) {
          this.results += 1
          this.tally = null
        }
    }
  }

  #call(call: CallFinished): void {
    this.requests += 1
    if (call.usd === null) this.hasUnpriced = true
    else this.totalUsd = addUsd(this.totalUsd, call.usd)
    this.modelUsage = addModelUsage(this.modelUsage, call.model, call.usage, call.usd)
    this.cacheRead += numberAt(call.usage, "cache_read_input_tokens")
    this.cacheWrite += numberAt(call.usage, "cache_creation_input_tokens")
  }

  #turnCall(tally: TurnTally, call: CallFinished): void {
    tally.requests += 1
    tally.apiMs += call.duration_ms
    tally.usage = addUsage(tally.usage, call.usage)
    if (!call.wasted) tally.stopReason = call.stop_reason
  }

  #assistant(tally: TurnTally, payload: AssistantPayload, at: number): void {
    tally.firstMessageAt ??= at
    const text = payload.message.content.findLast((block) => block.type === "text")?.text
    if (text !== undefined) tally.lastText = text
    if (payload.error !== undefined)
      tally.apiError = { kind: payload.error, status: payload.api_error_status ?? null, text: text ?? "" }
  }

  #user(tally: TurnTally, payload: UserPayload): void {
    if (payload.isReplay === true) return
    tally.userMessages += 1
    if (Array.isArray(payload.message.content)) {
      for (const block of payload.message.content as ReadonlyArray<Record<string, unknown>>) {
        if (block["type"] === "tool_result")
          tally.batch.push({ id: String(block["tool_use_id"]), content: block["content"] })
      }
    }
    for (const meta of payload.tool_result_meta ?? []) {
      const use = this.#toolUse(meta.id)
      if (meta.permission_decision?.decision !== "reject" || use === undefined) continue
      tally.denials.push({ tool_name: use.name, tool_use_id: use.id, tool_input: use.input })
    }
  }

  #hook(tally: TurnTally, payload: { hook_event_name: string; input: { tool_use_id?: string } }): void {
    if (payload.hook_event_name === "PostToolBatch") tally.batch = []
    if (payload.hook_event_name === "PreToolUse" && payload.input.tool_use_id !== undefined) {
      tally.hookedCalls.add(payload.input.tool_use_id)
    }
  }
}

const numberAt = (usage: Record<string, unknown>, key: string): number => {
  const value = usage[key]
  return typeof value === "number" ? value : 0
}
