// Receives the log's events in order; keeps the session's costs and the tally of the current turn.
// Invariant: everything in a `result` message can be read from the log, so that a turn which a crash interrupted counts as one.
import { resolveModel } from "../../model/catalogue/models.ts"
import { addBreakdowns, breakdownOf, emptyBreakdown } from "../../model/catalogue/cost-breakdown.ts"
import { addModelUsage, addUsage, addUsd, type ModelUsage } from "../../model/catalogue/prices.ts"
import type { BridgeCalled, SubtaskCompleteInput } from "../../schemas/interop/bridge.ts"
import type { CallFinished, NudgeCause, PayloadOf } from "../../schemas/log/event-payloads.ts"
import { isToolResultBlock } from "../../schemas/sdk/messages/type-guards.ts"
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import { type CostBreakdown, usageCount } from "../../schemas/sdk/messages/usage.ts"
import { isTooShort } from "../compaction/compaction-ranges.ts"
import type { SavedAccounting, UsedSinceClear } from "./saved-accounting.ts"
import type { ToolUse } from "./transcript.ts"
import { count, type PermissionDenial, TurnTally } from "./turn-tally.ts"

/** The session's totals, and the tally of the running turn. */
export class Accounting {
  modelUsage: Record<string, ModelUsage> = {}
  /** The cost of each model's requests, by kind of token; their sum is `totalUsd`. */
  readonly costs = new Map<string, CostBreakdown>()
  totalUsd = 0
  /** The session's cost in USD when a client last resumed it. */
  usdBefore = 0
  hasUnpriced = false
  requests = 0
  results = 0
  /** The value of `results` when the session was last resumed, or was created as a fork. */
  resultsBefore = 0
  cacheRead = 0
  cacheWrite = 0
  /** The API's usage of the last answer. */
  lastUsage: Readonly<Record<string, unknown>> | null = null
  /** The model of the last answer. */
  lastModel: string | null = null
  /** Consecutive failed compactions, without those that failed because the conversation was too short. */
  failedCompactions = 0
  /** Usage since the conversation was cleared; null when it never was. */
  #sinceClear: UsedSinceClear | null = null
  tally: TurnTally | null = null
  /** Tallies of turns that other prompts have joined, and that another turn was put before. */
  readonly #postponed = new Map<string, TurnTally>()
  readonly #toolUse: (id: string) => ToolUse | undefined

  constructor(toolUse: (id: string) => ToolUse | undefined) {
    this.#toolUse = toolUse
  }

  /** Null while a turn runs. */
  save(): SavedAccounting | null {
    const { modelUsage, hasUnpriced, lastUsage, lastModel, tally, failedCompactions } = this
    if ((tally !== null && !tally.isBlank) || this.#postponed.size > 0) return null
    return {
      modelUsage,
      costs: [...this.costs],
      numbers: [this.totalUsd, this.usdBefore, this.cacheRead, this.cacheWrite],
      counts: [this.requests, this.results, this.resultsBefore],
      hasUnpriced,
      lastUsage,
      lastModel,
      turn: tally === null ? null : [tally.turn, tally.startedAt],
      failedCompactions,
      sinceClear: this.#sinceClear,
    }
  }

  /** Restores the stored state. */
  take(saved: SavedAccounting): void {
    const { modelUsage, costs, numbers, counts, turn, sinceClear } = saved
    this.modelUsage = { ...modelUsage }
    for (const [model, cost] of costs) this.costs.set(model, cost)
    ;[this.totalUsd, this.usdBefore, this.cacheRead, this.cacheWrite] = numbers
    ;[this.requests, this.results, this.resultsBefore = 0] = counts
    this.hasUnpriced = saved.hasUnpriced
    this.lastUsage = saved.lastUsage
    this.lastModel = saved.lastModel ?? null
    this.failedCompactions = saved.failedCompactions
    this.#sinceClear = sinceClear === null ? null : { ...sinceClear }
    if (turn !== null) this.tally = new TurnTally(...turn)
  }

  apply(event: LogEvent): void {
    const reopened = event.name === EventNames.sessionChanged && event.payload.reopened === true
    if (reopened) this.usdBefore = this.totalUsd
    if (reopened || event.name === EventNames.sessionForked) this.resultsBefore = this.results
    if (event.parent_tool_use_id !== null) return this.#applyInner(event)
    if (event.name === EventNames.callFinished) this.#call(event.payload, event.payload.purpose !== undefined)
    // The counts so far belong to another conversation.
    if (event.name === EventNames.conversationRestarted && event.payload.cause !== "media") {
      this.failedCompactions = 0
      if (event.payload.cause === "clear") this.#sinceClear = { usd: 0, models: {} }
    }
    if (event.name === "sdk:system/status") this.#status(event.payload)
    if (event.name === EventNames.conversationRestarted || event.name === EventNames.headMoved) this.lastUsage = null
    if (event.turn !== null && this.tally?.turn !== event.turn) {
      if (event.name === EventNames.turnCancelled) this.#postponed.delete(event.turn)
      if (!OF_WAITING.has(event.name)) this.#switchTo(event.turn, event.at)
    }
    const tally = this.tally
    if (tally === null || event.turn !== tally.turn) return
    this.#count(tally, event)
    if (isTurnResult(event)) this.results += 1
    if (isTurnResult(event) || event.name === EventNames.turnImported) this.tally = null
  }

  #switchTo(turn: string, at: number): void {
    const { tally } = this
    if (tally !== null && !tally.started && tally.gathered.length > 0) this.#postponed.set(tally.turn, tally)
    this.tally = this.tallyOf(turn) ?? new TurnTally(turn, at)
    this.#postponed.delete(turn)
  }

  /** The tally of a turn that runs or waits; undefined before the first event that counts. */
  tallyOf(turn: string): TurnTally | undefined {
    return this.tally?.turn === turn ? this.tally : this.#postponed.get(turn)
  }

  #status({ compact_result: result, compact_error: error }: PayloadOf<"sdk:system/status">): void {
    if (result === "failed" && !isTooShort(error)) this.failedCompactions += 1
  }

  /** Counts an event inside a tool call: the call's own requests count and cost, but are not part of the conversation. */
  #applyInner(event: LogEvent): void {
    if (event.name !== EventNames.callFinished) return
    this.#call(event.payload, true)
    const { tally } = this
    if (tally === null || event.turn !== tally.turn) return
    tally.usd = addUsd(tally.usd, event.payload.usd ?? 0)
    tally.apiMs += event.payload.duration_ms
    tally.usageBefore = tally.usage
  }

  /** Adds refused calls of the turn's subagents, which the turn's result lists too. */
  addDenials(turn: string | null, denials: ReadonlyArray<PermissionDenial>): void {
    if (turn !== null && this.tally?.turn === turn) this.tally.denials.push(...denials)
  }

  /** Records that a hook replaced the text of the last counted message with `text` for clients. */
  showed({ turn, payload }: LogEvent<"sdk:assistant">, text: string): void {
    const written = lastTextOf(payload.message.content)
    if (this.tally?.turn === turn && written !== undefined) this.tally.replaced = { written, text }
  }

  /** The sums that results report. As the official SDK: those of the conversation, which restart with `/clear`. */
  get ofConversation(): { readonly usd: number; readonly models: Readonly<Record<string, ModelUsage>> } {
    return this.#sinceClear ?? { usd: this.totalUsd, models: this.modelUsage }
  }

  /** USD spent by the session since a client last resumed it, and by the running turn. */
  get spent(): { readonly session: number; readonly turn: number } {
    return { session: this.totalUsd - this.usdBefore, turn: this.tally?.usd ?? 0 }
  }

  /** Starts the tally of a subagent's run, which has no `system/init`. `refused` is the session's set, as are its asks. */
  begin(turn: string, at: number, refused?: Set<string>): void {
    this.tally = new TurnTally(turn, at, refused)
    this.tally.started = true
  }

  /** Counts an event of the turn. */
  #count(tally: TurnTally, event: LogEvent): void {
    switch (event.name) {
      case "sdk:system/status":
        tally.announced ||= !tally.started
        break
      case "sdk:system/init":
        tally.started = true
        break
      case "sdk:assistant":
        this.#assistant(tally, event.payload, event.at)
        break
      case "sdk:user":
        this.#user(tally, event.payload)
        break
      case EventNames.hookFired:
        tally.hook(event.payload)
        break
      case EventNames.commandInvoked:
        tally.command = event.payload
        break
      case EventNames.commandRan:
        tally.scriptRan(event.payload)
        break
      case EventNames.commandExpanded:
        tally.expand(event.payload)
        break
      case EventNames.commandAnswered:
        tally.commandAnswer = event.payload.answer
        tally.lastText = event.payload.answer
        break
      case EventNames.conversationRestarted:
        if (event.payload.cause === "compact")
          tally.lastCompaction = { requests: tally.requests, refills: tally.refills }
        break
      case EventNames.turnNudged:
        this.#nudged(tally, event.payload.cause)
        break
      case EventNames.turnJoined:
        tally.join(event.payload)
        break
      case EventNames.askOpened:
        tally.asked.set(event.payload.request_id, event.payload.tool_use_id)
        break
      case EventNames.askSettled:
        tally.settle(event.payload)
        break
      case EventNames.snapshotTaken:
        for (const node of event.payload.nodes) tally.nodes.set(node.path, node)
        break
      case EventNames.toolRan:
        tally.ran.set(event.payload.tool_use_id, event.payload)
        break
      case "sdk:system/model_fallback":
        tally.fallbackModel = event.payload.fallback_model
        break
      case EventNames.routeFellBack:
        tally.routeFellBack()
        break
      case EventNames.bridgeCalled:
        if (event.payload.tool === "subtask_complete") tally.completed = completionOf(event.payload)
        break
      case EventNames.callFinished:
        this.#turnCall(tally, event.payload)
    }
  }

  #call(call: CallFinished, inner: boolean): void {
    if (call.imported === true) return
    this.requests += 1
    if (!inner && call.unbilled !== true) {
      this.lastUsage = call.usage
      this.lastModel = call.model
    }
    if (call.usd === null || resolveModel(call.model).listed === null) this.hasUnpriced = true
    if (call.usd !== null) this.#pay(call, call.usd)
    if (call.unbilled === true) return
    const used = [call.model, call.billed_usage ?? call.usage, call.usd] as const
    this.modelUsage = addModelUsage(this.modelUsage, ...used)
    if (this.#sinceClear !== null) this.#sinceClear.models = addModelUsage(this.#sinceClear.models, ...used)
    this.cacheRead += usageCount(call.usage["cache_read_input_tokens"])
    this.cacheWrite += usageCount(call.usage["cache_creation_input_tokens"])
  }

  #pay({ model, usage, billed_usage: billed }: CallFinished, usd: number): void {
    this.totalUsd = addUsd(this.totalUsd, usd)
    if (this.#sinceClear !== null) this.#sinceClear.usd = addUsd(this.#sinceClear.usd, usd)
    const before = this.costs.get(model) ?? emptyBreakdown()
    this.costs.set(model, addBreakdowns(before, breakdownOf(model, billed ?? usage, usd)))
  }

  /** Counts a request of the turn. One that is not for an answer, such as that for a summary, adds only its cost and duration. */
  #turnCall(tally: TurnTally, call: CallFinished): void {
    tally.usd = addUsd(tally.usd, call.usd ?? 0)
    tally.apiMs += call.duration_ms
    if (call.purpose === "compaction") tally.usageBefore = tally.usage
    if (call.purpose !== undefined) return
    tally.requests += 1
    tally.model = call.model
    tally.requestId = call.request_id
    tally.messageId = call.message_id
    tally.usageBefore = tally.usage
    tally.usage = addUsage(tally.usage, call.usage)
    if (call.wasted) tally.uncounted += 1
    if (call.blank === true) tally.answerBlank()
    if (call.wasted) return
    tally.answerStopReason = call.stop_reason
    if (call.stop_reason === null) return
    tally.stopWith(call.stop_reason)
    if (call.stop_reason === "pause_turn") tally.pauses += 1
    tally.stopDetails = call.stop_details ?? null
  }

  /** Counts a nudge. After a refusal, the answer's calls are dropped from the batch: no hook receives them. */
  #nudged(tally: TurnTally, cause: NudgeCause): void {
    count(tally.nudges, cause)
    if (UNCOUNTED.has(cause)) tally.uncounted += 1
    if (cause !== "refusal") return
    tally.stopWith(null)
    tally.batch = []
  }

  #assistant(tally: TurnTally, payload: PayloadOf<"sdk:assistant">, at: number): void {
    tally.firstMessageAt ??= at
    tally.replaced = null
    for (const id of callsIn(payload.message.content)) tally.calls.add(id)
    const text = lastTextOf(payload.message.content)
    if (payload.error !== undefined || payload.is_api_error_message === true) {
      const status = payload.api_error_status ?? null
      const terminalReason = payload.terminal_reason ?? "api_error"
      const { error_details: details, message } = payload
      tally.apiError = {
        kind: payload.error ?? "unknown",
        status,
        text: text ?? "",
        terminalReason,
        final: message.stop_reason !== "tool_use",
        ...(details === undefined ? {} : { details }),
      }
      tally.stopWith(message.stop_reason === undefined ? tally.stopReason : message.stop_reason)
      return
    }
    tally.lastText = text
  }

  #user(tally: TurnTally, payload: PayloadOf<"sdk:user">): void {
    if (payload.isReplay === true) return
    if (tally.started) tally.userMessages += 1
    if (typeof payload.message.content !== "string") {
      for (const block of payload.message.content) {
        if (!isToolResultBlock(block)) continue
        const id = block.tool_use_id
        if (tally.started) tally.batch.push({ id, content: block.content, failed: block.is_error === true })
        tally.ran.delete(id)
        if (this.#toolUse(id)?.name !== STRUCTURED_OUTPUT) continue
        if (block.is_error === true) tally.structuredFailures += 1
        else tally.structured = { value: payload.tool_use_result }
      }
    }
    for (const meta of payload.tool_result_meta ?? []) {
      const use = this.#toolUse(meta.id)
      const { decision, source } = meta.permission_decision ?? {}
      // An approval whose changed input is invalid is no denial. A stopped turn's results have no decision: `refused` has it.
      const rejected = decision === "reject" && source !== "permission_updated_input_invalid"
      if (use === undefined || (!rejected && !tally.refused.has(meta.id))) continue
      tally.denials.push({ tool_name: use.name, tool_use_id: use.id, tool_input: use.input })
    }
  }
}

/** Events of a waiting prompt, which may arrive while another turn runs. */
const OF_WAITING: ReadonlySet<string> = new Set([
  EventNames.turnQueued,
  EventNames.turnCancelled,
  EventNames.laneWaiting,
  EventNames.laneEntered,
  "sdk:command_lifecycle",
])

const STRUCTURED_OUTPUT = "StructuredOutput"

/** Nudges whose further request, as in the official SDK, does not count for `maxTurns`. */
const UNCOUNTED: ReadonlySet<NudgeCause> = new Set(["max_tokens", "blank", "broken", "refusal", "malformed_call"])

/** The input of SubtaskComplete, which the tool has decoded. */
const completionOf = ({ input }: BridgeCalled) => input as unknown as SubtaskCompleteInput

const callsIn = (content: ReadonlyArray<{ readonly type: string; readonly id?: unknown }>): ReadonlyArray<string> =>
  content.flatMap(({ type, id }) => (type === "tool_use" && typeof id === "string" ? [id] : []))

const lastTextOf = (content: ReadonlyArray<{ readonly type: string; readonly text?: string }>): string | undefined =>
  content.findLast((block) => block.type === "text")?.text
