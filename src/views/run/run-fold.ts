// Receives the events of a run in order; returns the run's result: the current state while it runs, the final one when it is over.
// Invariant: a pure fold of durable events of the log; events of other turns are ignored.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { CallFinished } from "../../schemas/log/event-payloads.ts"
import { isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { RunStarted } from "../../schemas/runs/run-events.ts"
import type {
  EmbeddedRunResult,
  PendingToolCall,
  RunMeta,
  RunTokens,
  SystemPromptReport,
} from "../../schemas/runs/run-result.ts"
import type { RunRuntime } from "../../schemas/runs/run-runtime.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"
import { viewEventOf } from "../live/view-event.ts"
import { ReplyFold } from "../reply/reply-fold.ts"
import type { ReplyOptions } from "../reply/reply-runs.ts"
import { systemPromptReport } from "./prompt-report.ts"
import { type FailedRequest, runErrorKind } from "./run-errors.ts"

type Tokens = Required<RunTokens>

export interface FoldedRun {
  /** The session's id as the run's caller knows it. */
  readonly sessionId: string
  /** The turn that the run is a section of; `firstSeq` is the seq of the run's first event. */
  readonly turn: string
  readonly firstSeq: number
}

export class RunFold {
  readonly #run: FoldedRun
  readonly #reply: ReplyFold
  #started: RunStarted | null = null
  #startedAt: number | null = null
  #endedAt: number | null = null
  #runtime: RunRuntime = "live"
  #model: string | null = null
  #usage: Tokens | null = null
  #lastCall: Tokens | null = null
  #compactions = 0
  #compactionFailed = false
  #failed: FailedRequest | null = null
  #aborted = false
  #stopReason: string | null = null
  #terminalReason: string | null = null
  #pending: ReadonlyArray<PendingToolCall> | null = null

  constructor(run: FoldedRun, session: ReplyOptions = {}, settings: ReplySettings = {}) {
    this.#run = run
    this.#reply = new ReplyFold(session, settings)
  }

  /** True when the run's last event was applied. */
  get isOver(): boolean {
    return this.#endedAt !== null
  }

  apply(event: LogEvent): void {
    if (event.turn !== this.#run.turn || this.isOver) return
    this.#reply.apply(viewEventOf(event))
    if (event.name === "run:started") {
      this.#runtime = event.payload.runtime
      this.#started = event.payload
    }
    // Earlier events of the turn belong to another run.
    if (event.seq < this.#run.firstSeq) return
    if (isTurnResult(event)) return this.#end(event)
    switch (event.name) {
      case "run:started":
      case "run:resumed":
        this.#startedAt = event.at
        return
      case "run:timed_out":
        this.#aborted = true
        return
      case "run:paused":
        this.#endedAt = event.at
        this.#stopReason = "tool_calls"
        this.#pending = event.payload.calls.map(({ id, name, input }) => ({
          id,
          name,
          arguments: JSON.stringify(input),
        }))
        return
      case "turn:cancelled":
        this.#endedAt = event.at
        this.#startedAt = event.at
        this.#aborted = true
        return
      case "sdk:system/init":
        if (event.parent_tool_use_id === null) this.#model ??= event.payload.model
        return
      case "sdk:system/compact_boundary":
        this.#compactions += 1
        this.#compactionFailed = false
        return
      case "sdk:system/status":
        if (event.payload.compact_result === "failed") this.#compactionFailed = true
        return
      case "call:finished":
        return this.#called(event.payload, event.parent_tool_use_id)
      case "sdk:assistant":
        if (event.parent_tool_use_id === null) this.#answered(event.payload)
    }
  }

  /** Ends the run, because its session was erased. */
  erased(): void {
    this.#endedAt = this.#startedAt ?? 0
    this.#aborted = true
  }

  #called(call: CallFinished, parent: string | null): void {
    if (call.imported === true) return
    const tokens = tokensOf(call.usage)
    this.#usage = this.#usage === null ? tokens : sumOf(this.#usage, tokens)
    if (parent !== null || call.purpose !== undefined || call.wasted) return
    this.#lastCall = tokens
    this.#model = call.model
  }

  #answered(message: Extract<LogEvent, { readonly name: "sdk:assistant" }>["payload"]): void {
    if (message.is_api_error_message !== true) return
    const { error_details: details, api_error_status: status = null } = message
    this.#failed = { text: textOf(message.message), status, ...(details === undefined ? {} : { details }) }
  }

  #end({ at, payload }: Extract<LogEvent, { readonly name: `sdk:result/${string}` }>): void {
    this.#endedAt = at
    this.#startedAt ??= at
    const reason = payload.terminal_reason ?? null
    this.#terminalReason = reason
    if (reason?.startsWith("aborted_") === true) this.#aborted = true
    this.#stopReason = payload.is_error ? reason : "completed"
    if ("errors" in payload && payload.errors[0] !== undefined) this.#failed ??= { text: payload.errors[0] }
  }

  get #provider(): string {
    return this.#runtime === "offline" ? "offline" : "anthropic"
  }

  get #report(): SystemPromptReport | null {
    const { report, session_key: key } = this.#started ?? {}
    if (report === undefined || this.#startedAt === null || this.#model === null) return null
    return systemPromptReport(report, {
      generatedAt: this.#startedAt,
      sessionId: this.#run.sessionId,
      ...(key === undefined ? {} : { sessionKey: key }),
      provider: this.#provider,
      model: this.#model,
    })
  }

  get #meta(): RunMeta {
    const kind =
      this.#failed === null
        ? null
        : runErrorKind(this.#failed, {
            terminalReason: this.#terminalReason,
            compactionFailed: this.#compactionFailed,
          })
    return {
      durationMs: this.#startedAt === null || this.#endedAt === null ? 0 : this.#endedAt - this.#startedAt,
      ...(this.#model === null
        ? {}
        : {
            agentMeta: {
              sessionId: this.#run.sessionId,
              provider: this.#provider,
              model: this.#model,
              ...(this.#usage === null ? {} : { usage: this.#usage }),
              ...(this.#lastCall === null ? {} : { lastCallUsage: this.#lastCall }),
              ...(this.#compactions === 0 ? {} : { compactionCount: this.#compactions }),
            },
          }),
      ...(this.#aborted ? { aborted: true } : {}),
      ...(this.#report === null ? {} : { systemPromptReport: this.#report }),
      ...(kind === null || this.#failed === null ? {} : { error: { kind, message: this.#failed.text } }),
      ...(this.#stopReason === null ? {} : { stopReason: this.#stopReason }),
      ...(this.#pending === null ? {} : { pendingToolCalls: this.#pending }),
    }
  }

  result(): EmbeddedRunResult {
    const { payloads, didSendViaMessagingTool, messagingToolSentTexts, messagingToolSentTargets } = this.#reply
    return {
      ...(payloads.length === 0 ? {} : { payloads }),
      meta: this.#meta,
      ...(didSendViaMessagingTool ? { didSendViaMessagingTool, messagingToolSentTexts, messagingToolSentTargets } : {}),
    }
  }
}

const tokensOf = (usage: Readonly<Record<string, unknown>>): Tokens => {
  const input = usageCount(usage["input_tokens"])
  const output = usageCount(usage["output_tokens"])
  const cacheRead = usageCount(usage["cache_read_input_tokens"])
  const cacheWrite = usageCount(usage["cache_creation_input_tokens"])
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite }
}

const sumOf = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  total: a.total + b.total,
})

const textOf = ({ content }: { readonly content: ReadonlyArray<{ readonly type: string }> }): string =>
  content.flatMap((block) => ("text" in block && typeof block.text === "string" ? [block.text] : [])).join("\n")
