// Receives the events of a session; returns AG-UI's events (`format=ag-ui`, and `POST /v1/ag-ui`). A run is a turn, or the part
// of a turn between two waits for an answer.
// Invariant: runs do not overlap, and everything that a run has opened is closed before the run ends; what is streamed only
// anticipates the log.
import type { AskOpened, AskSettled } from "../../schemas/log/ask-events.ts"
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"
import { isTurnResult } from "../../schemas/log/events.ts"
import { framesOf, type LiveView, type ViewEvent } from "../live/live-view.ts"
import { foldBase, type SessionBase } from "../live/session-base.ts"
import type { ViewStart } from "../live/view-start.ts"
import type { Frame } from "../sdk.ts"
import { type AgUiEvent, type AgUiOutcome, todoPatch } from "./ag-ui-event.ts"
import { AnswerBlocks } from "./answer-blocks.ts"
import { interruptOf } from "./interrupts.ts"
import { OpenAgents } from "./open-agents.ts"
import { blocksIn, clientToolNames, inputOf } from "./payloads.ts"
import type { RequestedRun } from "./requested-run.ts"
import { RunUsage } from "./run-usage.ts"
import type { ShownRun } from "./shown-run.ts"
import { toolResults } from "./tool-results.ts"

const NOTICES: ReadonlySet<string> = new Set([
  "sdk:system/compact_boundary",
  "sdk:system/api_retry",
  "sdk:system/informational",
])

const NO_CALLS: ReadonlySet<string> = new Set()

export class AgUiView implements LiveView {
  readonly #wanted: RequestedRun | undefined
  readonly #threadId: string
  #base: SessionBase
  #run: ShownRun | null = null
  /** The turn that is running or waiting, and how many runs it has had. */
  #turn: { readonly id: string; runs: number } | null = null
  /** Open asks that the turn waits for, by request id; `#announced` has the ids of those that a run has ended with. */
  readonly #open = new Map<string, AskOpened>()
  readonly #announced = new Set<string>()
  /** Calls of the main thread and of subagents without a result: from the call's id to its tool's name. */
  readonly #calls = new Map<string, string>()
  readonly #blocks = new Map<string, AnswerBlocks>()
  #agents = new OpenAgents()
  /** Prompts whose turns have not ended, by turn. */
  readonly #queued = new Map<string, TurnQueued>()
  /** Events that occurred while the turn waited; the next run sends them first. */
  #postponed: Array<AgUiEvent> = []
  #out: Array<AgUiEvent> = []
  #sends: boolean
  /** True when the requested run has ended. */
  ended = false

  constructor({ sessionId, base }: Omit<ViewStart, "options">, wanted?: RequestedRun) {
    this.#wanted = wanted
    this.#threadId = wanted?.threadId ?? sessionId
    this.#base = base
    this.#sends = wanted === undefined
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    this.#out = []
    this.#fold(event)
    const { todos } = this.#base
    this.#base = foldBase(this.#base, event)
    if (this.#run !== null && this.#base.todos !== todos) {
      const delta = todoPatch(todos, this.#base.todos)
      if (delta.length > 0) this.#emit([{ type: "STATE_DELTA", delta }])
    }
    return framesOf(
      event.seq,
      this.#out.map((one) => ({ ...one, timestamp: event.at })),
    )
  }

  #fold(event: ViewEvent): void {
    const { name, turn, parent } = event
    if (isTurnResult(event)) return this.#result(event)
    switch (name) {
      case "turn:queued":
        if (turn !== null && event.payload.imported !== true) this.#queued.set(turn, event.payload)
        return
      case "turn:cancelled":
        return turn === null ? undefined : this.#cancelledPrompt(turn)
      case "sdk:system/init":
        if (parent === null) this.#ensure(turn)
        return
      case "sdk:stream_event":
        if (this.#run === null || turn !== this.#run.turn) return
        return this.#streamed(parent, event.payload.event as Readonly<Record<string, unknown>>) // the API's own event
      case "sdk:assistant": {
        if (!this.#belongs(turn, parent)) return
        const { id, content } = event.payload.message
        this.#attribute(parent, [
          ...this.#stepOf(parent, String(id)),
          ...this.#blocksOf(parent).log(String(id), blocksIn(content)),
        ])
        for (const block of blocksIn(content)) {
          if (block["type"] === "tool_use") this.#calls.set(String(block["id"]), String(block["name"]))
        }
        return
      }
      case "sdk:user": {
        const results = toolResults(event.payload.message.content)
        for (const { toolCallId } of results) this.#calls.delete(toolCallId)
        if (!this.#belongs(turn, parent)) return
        const answered = this.#wanted?.answered ?? NO_CALLS
        return this.#attribute(
          parent,
          results.filter(({ toolCallId }) => !answered.has(toolCallId)),
        )
      }
      case "call:finished":
        this.#run?.usage.add(event.payload)
        if (parent !== null || event.payload.purpose !== undefined) return
        this.#emit(this.#endStep())
        if (this.#run !== null && this.#open.size > 0) this.#pause()
        return
      case "ask:opened":
        return this.#opened(turn, event.payload)
      case "ask:settled":
        return this.#settled(turn, event.payload)
      case "agent:started":
        this.#agents.started(event.payload)
        // Opened now, because a subagent may end without another event.
        return this.#run === null ? undefined : this.#emit(this.#agents.enter(event.payload.thread))
      case "agent:ended":
        return this.#emit(this.#agents.ended(event.payload))
      default:
        if (NOTICES.has(name) && this.#belongs(turn, parent)) {
          this.#attribute(parent, [{ type: "CUSTOM", name: name.slice("sdk:system/".length), value: event.payload }])
        }
    }
  }

  /** Starts the turn's first run at its first visible event. False for events that belong to no running turn. */
  #belongs(turn: string | null, parent: string | null): boolean {
    if (turn === null) return false
    if (this.#turn?.id === turn) return true
    if (parent !== null) return false
    this.#ensure(turn)
    return true
  }

  #ensure(turn: string | null): void {
    if (turn !== null && this.#turn?.id !== turn) this.#begin(turn)
  }

  /** Whether the requested run starts here. */
  #begins(at: { readonly turn: string } | { readonly ask: string }): boolean {
    const begins = this.#wanted?.begins
    if (begins === undefined) return false
    if ("turn" in at) return "turn" in begins && begins.turn === at.turn
    return "asks" in begins && begins.asks.has(at.ask)
  }

  #begin(turn: string, ask?: string): void {
    const isFirst = this.#turn?.id !== turn
    if (this.#turn === null || isFirst) this.#turn = { id: turn, runs: 0 }
    const { runs } = this.#turn
    this.#turn.runs += 1
    const wanted = this.#wanted
    if (wanted !== undefined && !this.ended && this.#begins(ask === undefined ? { turn } : { ask })) this.#sends = true
    const id = this.#sends && wanted !== undefined ? wanted.runId : runs === 0 ? turn : `${turn}:${runs}`
    this.#run = { turn, id, steps: 0, step: null, usage: new RunUsage() }
    const { state, messages, parentRunId } = wanted ?? {}
    this.#emit([
      {
        type: "RUN_STARTED",
        threadId: this.#threadId,
        runId: id,
        protocolVersion: "1.0",
        ...(parentRunId === undefined ? {} : { parentRunId }),
        ...(wanted === undefined && runs === 0
          ? inputOf(this.#queued.get(turn), { threadId: this.#threadId, runId: id, turn })
          : {}),
      },
      ...(messages === undefined ? [] : [{ type: "MESSAGES_SNAPSHOT", messages } as const]),
      { type: "STATE_SNAPSHOT", snapshot: { ...state, todos: this.#base.todos } },
      ...this.#postponed,
    ])
    this.#postponed = []
  }

  /** The prompt was cancelled before its turn began: the requested run ends now, even if an earlier turn is still running. */
  #cancelledPrompt(turn: string): void {
    this.#queued.delete(turn)
    if (!this.ended && this.#begins({ turn })) this.#cancelled(turn)
  }

  #cancelled(turn: string): void {
    // What an earlier turn has opened is not part of the requested run.
    this.#blocks.clear()
    this.#agents = new OpenAgents()
    this.#postponed = []
    this.#begin(turn)
    this.#end({ type: "cancelled" })
  }

  /** Ends the requested run as cancelled when the session is erased before it has ended. */
  gone(): ReadonlyArray<Frame> {
    const { begins } = this.#wanted ?? {}
    this.#out = []
    if (begins !== undefined && this.#sends) this.#end({ type: "cancelled" })
    else if (begins !== undefined && !this.ended) {
      this.#sends = true
      this.#cancelled("turn" in begins ? begins.turn : (this.#turn?.id ?? ""))
    }
    return framesOf(null, this.#out)
  }

  #end(outcome: AgUiOutcome, result?: unknown): void {
    const run = this.#run
    if (run === null) return
    this.#close()
    this.#emit([
      {
        type: "RUN_FINISHED",
        threadId: this.#threadId,
        runId: run.id,
        outcome,
        ...(result === undefined ? {} : { result }),
        ...run.usage.field,
      },
    ])
    this.#over()
  }

  #over(): void {
    this.#run = null
    if (this.#wanted === undefined || !this.#sends) return
    this.#sends = false
    this.ended = true
  }

  /** Closes the blocks, the step and the subagents that the run has opened. */
  #close(): void {
    for (const [thread, blocks] of this.#blocks) this.#attribute(thread === "" ? null : thread, blocks.close())
    this.#emit([...this.#endStep(), ...this.#agents.leave()])
  }

  #result(event: Extract<ViewEvent, { readonly name: `sdk:result/${string}` }>): void {
    const { turn, payload } = event
    this.#ensure(turn)
    if (this.#run === null && turn !== null) this.#begin(turn)
    if (payload.terminal_reason?.startsWith("aborted_") === true) this.#end({ type: "cancelled" })
    else if (payload.subtype === "success" && !payload.is_error) {
      this.#end({ type: "success" }, payload.structured_output ?? payload.result)
    } else {
      // A turn that ended with an error of the model's API has the subtype `success`.
      const [message, code] =
        payload.subtype === "success" ? [payload.result, "api_error"] : [payload.errors.join("\n"), payload.subtype]
      this.#emit([{ type: "RUN_ERROR", message, code, ...this.#run?.usage.field }])
      for (const blocks of this.#blocks.values()) blocks.close()
      this.#agents.leave()
      this.#over()
    }
    if (turn !== null) this.#queued.delete(turn)
    this.#turn = null
    this.#open.clear()
    this.#announced.clear()
    this.#blocks.clear()
    this.#calls.clear()
    this.#postponed = []
  }

  #opened(turn: string | null, ask: AskOpened): void {
    if (turn === null || ask.detached === true) return
    // The client's request contains the answer to it.
    if (this.#sends && this.#wanted?.answered.has(ask.tool_use_id) === true) return
    this.#ensure(turn)
    this.#open.set(ask.request_id, ask)
    // While an answer is streaming, the pause waits for its end: more calls may follow.
    if (this.#run !== null && this.#run.step === null) this.#pause()
  }

  /** Ends the run with what the turn waits for: with interrupts, or with calls of the client's own tools if there are none. */
  #pause(): void {
    const asks = [...this.#open.values()]
    const interrupts = asks.filter(({ kind }) => kind !== "client_tool")
    for (const { request_id: id } of interrupts.length > 0 ? interrupts : asks) this.#announced.add(id)
    const asked = interrupts.map((ask) => interruptOf(ask, this.#agents.ofAgent(ask.agent_id)))
    if (asked.length > 0) return this.#end({ type: "interrupt", interrupts: asked })
    if (this.#wanted !== undefined && this.#wanted.protocolVersion === undefined) return this.#end({ type: "success" })
    const tools = new Set([
      ...asks.map(({ tool_name: name }) => name),
      ...clientToolNames(this.#queued.get(this.#turn?.id ?? ""), this.#base.options),
    ])
    const pending = [...this.#calls].filter(([, tool]) => tools.has(tool)).map(([id]) => id)
    this.#end({ type: "success", pendingToolCallIds: pending })
  }

  /** Starts the next run when no ask is open; or a run that only names the open asks, again for a client that answered some. */
  #settled(turn: string | null, { request_id: id }: AskSettled): void {
    const ask = this.#open.get(id)
    if (!this.#open.delete(id) || turn === null) return
    // Not pending any more: its result follows.
    if (ask?.kind === "client_tool") this.#calls.delete(ask.tool_use_id)
    if (this.#run !== null) return
    if (this.#open.size === 0) return this.#begin(turn, id)
    const others = [...this.#open.keys()]
    const isLastAnswer = this.#begins({ ask: id }) && !others.some((other) => this.#begins({ ask: other }))
    if (!isLastAnswer && others.every((other) => this.#announced.has(other))) return
    this.#begin(turn, id)
    this.#pause()
  }

  #streamed(parent: string | null, event: Readonly<Record<string, unknown>>): void {
    const message = event["type"] === "message_start" ? Reflect.get(Object(event["message"]), "id") : undefined
    const step = message === undefined ? [] : this.#stepOf(parent, String(message))
    this.#attribute(parent, [...step, ...this.#blocksOf(parent).stream(event)])
  }

  #blocksOf(parent: string | null): AnswerBlocks {
    const key = parent ?? ""
    const known = this.#blocks.get(key) ?? new AnswerBlocks()
    this.#blocks.set(key, known)
    return known
  }

  /** Starts the step of a model request of the main thread; the id of its answer identifies the step. */
  #stepOf(parent: string | null, message: string): ReadonlyArray<AgUiEvent> {
    if (parent !== null || this.#run === null || this.#run.step === message) return []
    const before = this.#endStep()
    this.#run.steps += 1
    this.#run.step = message
    return [...before, { type: "STEP_STARTED", stepName: `step ${this.#run.steps}` }]
  }

  #endStep(): ReadonlyArray<AgUiEvent> {
    if (this.#run === null || this.#run.step === null) return []
    this.#run.step = null
    return [{ type: "STEP_FINISHED", stepName: `step ${this.#run.steps}` }]
  }

  /** Emits events of the main thread, or of a subagent. */
  #attribute(parent: string | null, events: ReadonlyArray<AgUiEvent>): void {
    if (events.length === 0) return
    const subagentRunId = this.#agents.idOf(parent)
    if (parent !== null && subagentRunId === undefined) return
    if (subagentRunId === undefined) return this.#emit(events)
    if (this.#run !== null) this.#emit(this.#agents.enter(parent))
    this.#emit(events.map((one) => ({ ...one, subagentRunId })))
  }

  #emit(events: ReadonlyArray<AgUiEvent>): void {
    if (this.#run === null && this.#turn !== null) this.#postponed.push(...events)
    else if (this.#sends) this.#out.push(...events)
  }
}
