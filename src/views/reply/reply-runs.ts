// Receives events of a session in order; returns the steps of its runs. A run is a turn of the main thread.
// Invariant: the steps of stored events depend on these events alone, including their times: a streamed step has the time of the
// stored event before it. Settings are fixed when a run starts: the session's, then its turn's, then the reader's (the last wins).
import { changedOptions } from "../../schemas/rpc/option-changes.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { MessagingTools, ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { ViewEvent } from "../live/live-view.ts"
import { MessagingSends } from "./messaging-sends.ts"
import { agentStep, type ReplyStep, type RunStep } from "./reply-steps.ts"
import { RunReply } from "./run-reply.ts"
import { type AnswerBlock, answerBlocks, type LiveChange, liveChangeOf, toolResults } from "./sdk-blocks.ts"

/** Options of sessions and turns; they were checked when the server accepted them. */
export interface ReplyOptions {
  readonly reply?: ReplySettings
  readonly messaging_tools?: MessagingTools
}

interface Run {
  id: string
  readonly turn: string | null
  readonly reply: RunReply
  /** Time of the last stored event that produced steps, in milliseconds since 1970. */
  ts: number
  compacting: "no" | "running" | "done"
}

type ResultEvent = Extract<ViewEvent, { readonly name: `sdk:result/${string}` }>

const NOTHING: ReadonlyArray<RunStep> = []

export class ReplyRuns {
  readonly #own: ReplySettings
  #session: ReplyOptions
  /** For turns that have not begun: their own options, and the ids of their runs. */
  readonly #turns = new Map<string, { readonly options: ReplyOptions; readonly runId?: string }>()
  #run: Run | null = null
  /** The reply of the last run that has ended. */
  #last: RunReply | null = null

  /** `own` are the reader's settings, which take precedence. */
  constructor(session: ReplyOptions, own: ReplySettings = {}) {
    this.#session = session
    this.#own = own
  }

  /** The reply of the running run, or of the last one. */
  get reply(): RunReply | null {
    return this.#run?.reply ?? this.#last
  }

  apply(event: ViewEvent): ReadonlyArray<RunStep> {
    if (this.#isPrelude(event)) return NOTHING
    const run = this.#run
    if (event.name === "sdk:system/init")
      return event.parent === null && event.turn !== run?.turn ? this.#start(event) : NOTHING
    if (isCompacting(event) && event.parent === null && event.turn !== run?.turn) {
      const started = this.#start(event)
      return this.#run === null ? started : [...started, ...this.#stored(this.#run, event)]
    }
    if (run === null || event.turn !== run.turn) return NOTHING
    if (event.parent !== null) return this.#ofAgent(run, event)
    if (event.name === "sdk:stream_event") return this.#live(run, liveChangeOf(event.payload))
    return this.#stored(run, event)
  }

  /** Applies events that only concern later runs: their options and ids. Returns false for all other events. */
  #isPrelude(event: ViewEvent): boolean {
    switch (event.name) {
      case EventNames.turnQueued: {
        const { options, run } = event.payload
        const runId = run === undefined ? {} : { runId: run.run_id }
        if (event.turn !== null) this.#turns.set(event.turn, { options, ...runId })
        return true
      }
      case EventNames.turnJoined:
        this.#turns.delete(event.payload.turn)
        return true
      case EventNames.turnCancelled:
      case EventNames.turnImported:
        this.#turns.delete(event.turn ?? "")
        return true
      case EventNames.sessionCreated:
        this.#session = event.payload.options
        return true
      case EventNames.sessionForked:
        this.#session = event.payload.options ?? this.#session
        return true
      case EventNames.sessionChanged: {
        const { options, reopened } = event.payload
        if (options !== undefined) this.#session = reopened === true ? options : changedOptions(this.#session, options)
        return true
      }
      default:
        return false
    }
  }

  #start(event: ViewEvent): ReadonlyArray<RunStep> {
    const turn = event.turn ?? ""
    const { options = {}, runId = turn } = this.#turns.get(turn) ?? {}
    this.#turns.delete(turn)
    const settings = { ...this.#session.reply, ...options.reply, ...this.#own }
    const sends = new MessagingSends(options.messaging_tools ?? this.#session.messaging_tools ?? [])
    const reply = new RunReply({ settings, sends })
    this.#run = { id: runId, turn: event.turn, reply, ts: event.at, compacting: "no" }
    return [...this.#timed(this.#run, [started(event.at)], event.at), "commit"]
  }

  #timed({ id: runId }: Run, steps: ReadonlyArray<ReplyStep>, ts: number): ReadonlyArray<RunStep> {
    return steps.map((step) => ({ runId, ts, step }))
  }

  /** A subagent's texts are reported as partial results of the call that started it. */
  #ofAgent(run: Run, event: ViewEvent): ReadonlyArray<RunStep> {
    if (event.name !== "sdk:assistant" || event.seq === null || event.parent === null) return NOTHING
    const texts = textsOf(answerBlocks(event.payload))
    if (texts.length === 0) return NOTHING
    const steps = run.reply.updateCall(event.parent, texts.join("\n"))
    if (steps.length === 0) return NOTHING
    const back = this.#rollback(run)
    run.ts = event.at
    return [...back, ...this.#timed(run, steps, event.at), "commit"]
  }

  #rollback({ reply }: Run): ReadonlyArray<RunStep> {
    if (!reply.hasUnstored) return NOTHING
    reply.forget()
    return ["rollback"]
  }

  #live(run: Run, change: LiveChange | null): ReadonlyArray<RunStep> {
    const { reply } = run
    switch (change?.kind) {
      case "message": {
        if (reply.messageId === change.id) {
          // The message is streamed again from its start, for example for a reader who joins: the earlier steps are void.
          if (!reply.hasUnstored) return NOTHING
          const back = this.#rollback(run)
          return [...back, ...this.#timed(run, reply.startMessage(change.id), run.ts)]
        }
        const back = this.#rollback(run)
        const ended = this.#endMessage(run, run.ts)
        return [...back, ...ended, ...this.#timed(run, reply.startMessage(change.id), run.ts)]
      }
      case "block": {
        const id = reply.messageId
        const back = reply.hasOpenBlock ? this.#rollback(run) : NOTHING
        const again = id === undefined ? [] : reply.startMessage(id)
        if (change.block !== null) reply.startBlock(change.block)
        const steps = change.block === null || change.text === "" ? [] : reply.pushBlock(change.block, change.text)
        return [...back, ...this.#timed(run, [...again, ...steps], run.ts)]
      }
      case "delta":
        return this.#timed(run, reply.pushBlock(change.block, change.text), run.ts)
      default:
        return NOTHING
    }
  }

  /** Steps of a stored event other than a block of an answer. Steps that were streamed ahead are rolled back, to be sent again. */
  #certain(run: Run, at: number, steps: () => ReadonlyArray<ReplyStep>): ReadonlyArray<RunStep> {
    const back = this.#rollback(run)
    const timed = this.#timed(run, steps(), at)
    if (timed.length === 0) return back
    run.ts = at
    return [...back, ...timed, "commit"]
  }

  #endMessage(run: Run, at: number): ReadonlyArray<RunStep> {
    const steps = this.#timed(run, run.reply.endMessage(), at)
    if (steps.length === 0) return NOTHING
    run.ts = at
    return [...steps, "commit"]
  }

  #stored(run: Run, event: ViewEvent): ReadonlyArray<RunStep> {
    const { reply } = run
    switch (event.name) {
      case "sdk:assistant": {
        const ended = this.#endCompaction(run, event.at, false)
        const blocks = answerBlocks(event.payload)
        const { message, is_api_error_message: isFailure } = event.payload
        if (isFailure === true) {
          const text = textsOf(blocks).join("\n")
          return [...ended, ...this.#certain(run, event.at, () => [...reply.endMessage(), ...reply.fail(text)])]
        }
        return [...ended, ...this.#answer(run, String(message.id ?? event.uuid), blocks, event.at)]
      }
      case "sdk:user": {
        const results = toolResults(event.payload)
        if (results.length === 0) return NOTHING
        const ended = this.#endCompaction(run, event.at, false)
        const output = results.length === 1 ? event.payload.tool_use_result : undefined
        return [
          ...ended,
          ...this.#certain(run, event.at, () =>
            results.flatMap(({ id, content, isError }) => reply.endCall(id, content, isError, output)),
          ),
        ]
      }
      case EventNames.callFinished: {
        if (event.payload.purpose !== undefined || event.payload.message_id !== reply.messageId) return NOTHING
        const back = this.#rollback(run)
        return [...back, ...this.#endMessage(run, event.at)]
      }
      case "sdk:system/status": {
        const { status, compact_result: result } = event.payload
        if (status === "compacting" && run.compacting === "no") {
          run.compacting = "running"
          return this.#certain(run, event.at, () => [
            ...reply.endMessage(),
            agentStep("compaction", { phase: "start" }),
          ])
        }
        if (status !== null || run.compacting !== "running") return NOTHING
        // Whether the request is retried is only known from the `conversation:restarted` event.
        if (result === "success") run.compacting = "done"
        else return this.#endCompaction(run, event.at, false, true)
        return NOTHING
      }
      case EventNames.conversationRestarted:
        return this.#endCompaction(run, event.at, event.payload.retry === true)
      case EventNames.runPaused:
        // The turn waits for the client's own tools: this run ends, and another run continues with their results.
        return this.#certain(run, event.at, () => [...reply.endMessage(), lifecycle("", event.at)])
      case EventNames.runResumed:
        run.id = event.payload.run_id
        reply.resume()
        return this.#certain(run, event.at, () => [started(event.at)])
      default:
        return event.name.startsWith("sdk:result/") ? this.#end(run, event as ResultEvent) : NOTHING // by its name
    }
  }

  /** The steps of the stored blocks of an answer, without those of the first block that were already streamed. */
  #answer(run: Run, id: string, blocks: ReadonlyArray<AnswerBlock>, at: number): ReadonlyArray<RunStep> {
    const { reply } = run
    const steps: Array<RunStep> = []
    if (blocks.length === 0) return NOTHING
    if (reply.messageId !== id) {
      steps.push(...this.#rollback(run), ...this.#endMessage(run, run.ts))
      steps.push(...this.#timed(run, reply.startMessage(id), run.ts))
    }
    for (const block of blocks) {
      const isStreamed = block.kind !== "call" && reply.isBeginning(block.kind, block.text)
      if (!isStreamed && reply.hasUnstored) {
        steps.push(...this.#rollback(run), ...this.#timed(run, reply.startMessage(id), run.ts))
      }
      const stored =
        block.kind === "call"
          ? reply.storeCall(block.id, block.name, block.input)
          : reply.storeBlock(block.kind, block.text)
      steps.push(...this.#timed(run, stored, block.kind === "call" ? at : run.ts))
    }
    // Committed even if there are no new steps: everything that was streamed of these blocks is now stored.
    run.ts = at
    return [...steps, "commit"]
  }

  #endCompaction(run: Run, at: number, willRetry: boolean, failed = false): ReadonlyArray<RunStep> {
    if (run.compacting !== "done" && !failed) return NOTHING
    run.compacting = "no"
    return this.#certain(run, at, () => {
      if (willRetry) run.reply.restart()
      return [agentStep("compaction", { phase: "end", willRetry })]
    })
  }

  #end(run: Run, { at, payload }: ResultEvent): ReadonlyArray<RunStep> {
    const { reply } = run
    const { terminal_reason: reason = "" } = payload
    const isAborted = String(reason).startsWith("aborted")
    const texts = payload.subtype === "success" ? (payload.is_error ? [payload.result] : []) : payload.errors
    const error = isAborted ? "" : texts.join("\n")
    const ended = this.#endCompaction(run, at, false)
    const steps = this.#certain(run, at, () => [
      ...reply.endMessage(),
      ...(error === "" || reply.failed ? [] : reply.fail(error)),
      ...reply.end(),
      lifecycle(error, at),
    ])
    this.#last = reply
    this.#run = null
    return [...ended, ...steps]
  }
}

/** With `/compact`, the compaction starts before the turn's `system/init`. */
const isCompacting = (event: ViewEvent): boolean =>
  event.name === "sdk:system/status" && event.payload.status === "compacting"

const textsOf = (blocks: ReadonlyArray<AnswerBlock>): ReadonlyArray<string> =>
  blocks.flatMap((block) => (block.kind === "text" ? [block.text] : []))

const started = (at: number): ReplyStep => agentStep("lifecycle", { phase: "start", startedAt: at }, { phase: "start" })

const lifecycle = (error: string, at: number): ReplyStep => {
  const shown = error === "" ? { phase: "end" } : { phase: "error", error }
  return agentStep("lifecycle", { ...shown, endedAt: at }, shown)
}
