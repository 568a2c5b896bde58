// One session that exists: its log and all that is read from it, and what clients may do with it.
// Invariant: every change is an event; whatever this class holds in memory can be read from the log again.
import { Effect, Schema } from "effect"
import { SessionMemory } from "../agent/memory.ts"
import type { AskAnswer } from "../agent/ports.ts"
import { systemMessage } from "../agent/sdk-messages.ts"
import { modelOf } from "../agent/step-request.ts"
import { hookFired } from "../hooks/inputs.ts"
import { policyOf, type Policy } from "../permissions/policy.ts"
import { addUsd } from "../model/prices.ts"
import {
  type AskOpened,
  type CallFinished,
  EventNames,
  type LogEvent,
  type NewEvent,
  type TurnQueued,
} from "../schemas/events.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import { PermissionResult, type PermissionUpdate } from "../schemas/sdk/permissions.ts"
import type {
  CostReport,
  RpcError,
  SessionInfo,
  SessionState,
  SubmitArgs,
  Submitted,
  TurnStatus,
} from "../schemas/session-rpc.ts"
import { builtInTools, toolByName } from "../tools/registry.ts"
import type { Tool } from "../tools/tool.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { AskBook, type AskRow, pendingAsk } from "./ask-book.ts"
import { Inbox, type InboxEntry } from "./inbox.ts"
import type { SessionLog } from "./log.ts"
import type { Meta, SessionRecord } from "./meta.ts"
import type { Sql } from "./tables.ts"
import type { TurnServices } from "./turn-runner.ts"

/** How long a question waits for its answer. */
export const ASK_EXPIRY_MS = 24 * 60 * 60 * 1000
/** How long a turn waits in memory before it parks. */
const WAIT_IN_MEMORY_MS = 60_000

export interface SessionDeps {
  readonly sql: Sql
  readonly meta: Meta
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly record: SessionRecord
  readonly now: () => number
  readonly newUuid: () => string
  readonly apiKeySource: string
  readonly emit: (turn: string, name: string, payload: unknown) => void
  readonly wantsPartials: (turn: string) => boolean
  /** Clients that listen now: a turn without any parks at once when it must ask. */
  readonly listeners: () => number
  /** Something can run now. */
  readonly wake: () => void
  readonly alarmAt: (at: number) => void
}

export type Refusal = { readonly refused: RpcError }
const refuse = (type: RpcError["type"], message: string): Refusal => ({ refused: { type, message } })

export class Session {
  readonly inbox: Inbox
  readonly asks: AskBook
  readonly #deps: SessionDeps
  #record: SessionRecord
  #memory: SessionMemory | null = null
  #parked: string | null
  #runningOptions: SessionOptions | null = null
  /** The state that clients were told last. */
  #told: SessionState
  readonly #waiters = new Set<() => void>()

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#record = deps.record
    this.inbox = new Inbox(deps.sql)
    this.asks = new AskBook(deps.sql)
    this.#parked = deps.meta.get("parked") ?? null
    this.#told = this.#lastTold()
  }

  #lastTold(): SessionState {
    const told = this.#deps.log.lastNamed("sdk:system/session_state_changed")
    return told === undefined ? "idle" : (told.event.payload as { state: SessionState }).state
  }

  get record(): SessionRecord {
    return this.#record
  }

  get state(): SessionState {
    if (this.inbox.head() === undefined) return "idle"
    return this.asks.open.length > 0 ? "requires_action" : "running"
  }

  /** The turn to run now: the head of the inbox, unless it is parked. */
  runnable(): InboxEntry | undefined {
    const head = this.inbox.head()
    return head === undefined || head.turn === this.#parked ? undefined : head
  }

  parkedEntry(): InboxEntry | undefined {
    const head = this.inbox.head()
    return head !== undefined && head.turn === this.#parked ? head : undefined
  }

  /** What the log says, folded. Read from the log when it is not held. */
  get memory(): SessionMemory {
    if (this.#memory === null) {
      this.#memory = new SessionMemory(this.#record.cwd)
      for (const { event, json } of this.#deps.log.all()) this.#memory.apply(event, json.length)
    }
    return this.#memory
  }

  dropMemory(largerThan: number): void {
    if (this.#memory !== null && this.#memory.transcript.size > largerThan) this.#memory = null
  }

  /** After a transaction was rolled back, nothing that was counted in it holds. */
  rolledBack(): void {
    this.#memory = null
    this.#told = this.#lastTold()
    this.inbox.reload()
    this.asks.reload()
    this.#deps.workspace.forget()
  }

  append(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    this.#deps.log.append(events, change, (stored) => this.#memory?.apply(stored.event, stored.json.length), later)
    for (const wake of this.#waiters) wake()
  }

  /** Tells the session's state, if it is not what was told last. */
  #stateEvents(turn: string, state: SessionState): ReadonlyArray<NewEvent> {
    if (this.#told === state) return []
    this.#told = state
    const stamp = { sessionId: this.#record.id, turn, uuid: this.#deps.newUuid(), at: this.#deps.now() }
    return [systemMessage(stamp, "session_state_changed", { state })]
  }

  // ---- prompts

  submit(args: SubmitArgs): Submitted | Refusal {
    const known = this.inbox.find(args.turn)
    if (known !== undefined) {
      if (known.fingerprint !== args.fingerprint) {
        return refuse("unprocessable_error", "this prompt id was used before with another request")
      }
      return { turn_id: args.turn, status: this.#statusOf(known), seq: known.seq }
    }
    const busy = this.inbox.head() !== undefined
    if (busy && args.onBusy === "reject") return refuse("conflict_error", "the session is busy with another turn")
    const payload: TurnQueued = { prompt: args.prompt as TurnQueued["prompt"], options: args.options }
    const queued: NewEvent = { name: EventNames.turnQueued, payload, uuid: args.turn, turn: args.turn }
    const seq = this.#deps.log.lastSeq + 1
    this.append([queued], () => {
      this.inbox.add({ turn: args.turn, seq, fingerprint: args.fingerprint })
    })
    this.#deps.wake()
    return { turn_id: args.turn, status: busy ? "queued" : "running", seq }
  }

  #statusOf(entry: InboxEntry): Submitted["status"] {
    if (entry.resultSeq !== null) return "finished"
    if (this.inbox.head()?.turn !== entry.turn) return "queued"
    return this.asks.open.length > 0 ? "requires_action" : "running"
  }

  /** Where a turn stands, or undefined when the session never had it. */
  turnStatus(turn: string): TurnStatus | undefined {
    const entry = this.inbox.find(turn)
    if (entry === undefined) return undefined
    const status = this.#statusOf(entry)
    if (status === "requires_action") {
      return { status, turn_id: turn, pending: this.asks.open.map(pendingAsk) }
    }
    if (status !== "finished") return { status, turn_id: turn }
    const result = this.#deps.log.at(entry.resultSeq ?? 0)?.event.payload
    // resultSeq is the seq of the turn's result message.
    return { status, turn_id: turn, result: result as Record<string, unknown> }
  }

  /** Resolves when the turn has ended or waits for an answer, or after `timeoutMs`. */
  async wait(turn: string, timeoutMs: number): Promise<TurnStatus | undefined> {
    const settled = () => {
      const status = this.turnStatus(turn)
      return status === undefined || status.status === "finished" || status.status === "requires_action"
    }
    if (!settled()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          this.#waiters.delete(check)
          resolve()
        }
        const check = () => {
          if (settled()) done()
        }
        const timer = setTimeout(done, timeoutMs)
        this.#waiters.add(check)
      })
    }
    return this.turnStatus(turn)
  }

  // ---- questions

  answer(requestId: string, body: Readonly<Record<string, unknown>>): Refusal | undefined {
    const ask = this.asks.find(requestId)
    if (ask === undefined) return refuse("not_found_error", "there is no such permission request in this session")
    const decoded = Schema.decodeUnknownResult(PermissionResult, { onExcessProperty: "error" })(body)
    if (decoded._tag === "Failure") {
      return refuse(
        "invalid_request_error",
        'the answer must be {behavior:"allow", updatedInput?, updatedPermissions?} or {behavior:"deny", message, interrupt?}',
      )
    }
    if (ask.settled !== null) {
      return JSON.stringify(ask.settled.answer) === JSON.stringify(decoded.success)
        ? undefined
        : refuse("conflict_error", "this permission request was settled before")
    }
    // PermissionResult is a plain object.
    this.settle([ask], "client", decoded.success as unknown as Record<string, unknown>)
    return undefined
  }

  /** Settles asks with one answer, in one transaction, and lets their turn go on. */
  settle(asks: ReadonlyArray<AskRow>, by: AskAnswer["by"], answer: Readonly<Record<string, unknown>>): void {
    if (asks.length === 0) return
    const settled: AskAnswer = { by, answer }
    const updates = (answer["updatedPermissions"] ?? []) as ReadonlyArray<PermissionUpdate>
    const turn = asks[0]?.turn ?? ""
    const left = this.asks.open.length - asks.length
    const record =
      updates.length === 0
        ? this.#record
        : { ...this.#record, permission_updates: [...this.#record.permission_updates, ...updates] }
    this.append(
      [
        ...asks.map((ask) => settledEvent(ask, settled)),
        ...this.#modeEvents(turn, updates),
        ...(left === 0 ? this.#stateEvents(turn, "running") : []),
      ],
      () => {
        for (const ask of asks) this.asks.settle(ask.requestId, settled)
        if (record !== this.#record) this.#deps.meta.set("session", record)
        if (this.#parked !== null) this.#deps.meta.delete("parked")
      },
    )
    this.#record = record
    this.#parked = null
    for (const ask of asks) this.asks.wake(ask.requestId, settled)
    this.#deps.wake()
  }

  #modeEvents(turn: string, updates: ReadonlyArray<PermissionUpdate>): ReadonlyArray<NewEvent> {
    const mode = updates.findLast((update) => update.type === "setMode")
    if (mode === undefined) return []
    const stamp = { sessionId: this.#record.id, turn, uuid: this.#deps.newUuid(), at: this.#deps.now() }
    return [systemMessage(stamp, "status", { status: null, permissionMode: mode.mode })]
  }

  /** Asks that nobody answered in time are denied. */
  expireAsks(): void {
    const now = this.#deps.now()
    const late = this.asks.open.filter((ask) => ask.expiresAt <= now)
    this.settle(late, "expiry", {
      behavior: "deny",
      message: "Nobody answered the permission request in time, so it was denied.",
    })
  }

  park(turn: string): void {
    // The answer may have come while the turn was ending.
    if (this.asks.open.length === 0 || this.inbox.head()?.turn !== turn) return
    this.#deps.meta.set("parked", turn)
    this.#parked = turn
  }

  // ---- the running turn

  policy(): Policy {
    return policyOf({ ...this.#record.options, ...this.#runningOptions }, this.#record.permission_updates)
  }

  get runningOptions(): SessionOptions {
    return { ...this.#record.options, ...this.#runningOptions }
  }

  /** What the loop is given to run the turn of `entry`. */
  services(entry: InboxEntry, signal: AbortSignal): TurnServices {
    const queued = this.#deps.log.at(entry.seq)?.event.payload as TurnQueued
    // The route decoded the options before the prompt was queued.
    this.#runningOptions = queued.options as SessionOptions
    const options = this.runningOptions
    const { memory } = this
    const { turn } = entry
    return {
      log: {
        append: (events, change) => Effect.sync(() => this.append(events, change)),
        emit: (event) => Effect.sync(() => this.#deps.emit(turn, event.name, event.payload)),
        wantsPartials: () => this.#deps.wantsPartials(turn),
      },
      asks: {
        find: (toolUseId) => {
          const ask = this.asks.ofCall(turn, toolUseId)
          return ask === undefined ? undefined : { requestId: ask.requestId, answer: ask.settled }
        },
        open: (ask, events) =>
          Effect.sync(() => this.#openAsk({ ...ask, expires_at: this.#deps.now() + ASK_EXPIRY_MS }, turn, events)),
        wait: (requestId) =>
          Effect.suspend(() => this.asks.wait(requestId, this.#deps.listeners() === 0 ? 0 : WAIT_IN_MEMORY_MS)),
      },
      ledger: {
        wasStarted: (id) =>
          this.#deps.sql.exec("SELECT 1 FROM tool_runs WHERE tool_use_id = ?", id).toArray().length > 0,
        start: (id, tool) =>
          Effect.sync(() => {
            this.#deps.sql.exec(
              "INSERT INTO tool_runs (tool_use_id, tool, started_at) VALUES (?, ?, ?)",
              id,
              tool,
              this.#deps.now(),
            )
          }),
        settle: (id) => {
          this.#deps.sql.exec("UPDATE tool_runs SET settled_at = ? WHERE tool_use_id = ?", this.#deps.now(), id)
        },
      },
      turn: {
        sessionId: this.#record.id,
        turn,
        cwd: this.#record.cwd,
        prompt: queued.prompt,
        options,
        memory,
        workspace: this.#deps.workspace,
        tools: toolsFor(options),
        toolByName,
        first: memory.accounting.results === 0,
        apiKeySource: this.#deps.apiKeySource,
        signal,
        policy: () => this.policy(),
        now: this.#deps.now,
        newUuid: this.#deps.newUuid,
        begin: (events) => Effect.sync(() => this.append([...events, ...this.#stateEvents(turn, "running")])),
        finish: (events, result) => Effect.sync(() => this.#finish(turn, events, result)),
      },
    }
  }

  #openAsk(ask: AskOpened, turn: string, events: ReadonlyArray<NewEvent>): void {
    const opened: NewEvent = { name: EventNames.askOpened, payload: ask, uuid: ask.request_id, turn }
    this.append([...events, opened, ...this.#stateEvents(turn, "requires_action")], () =>
      this.asks.add(ask, turn, this.#deps.now()),
    )
    this.#deps.alarmAt(ask.expires_at)
  }

  #finish(turn: string, events: ReadonlyArray<NewEvent>, result: () => NewEvent): void {
    const open = this.asks.open.filter((ask) => ask.turn === turn)
    const interrupted: AskAnswer = {
      by: "interrupt",
      answer: { behavior: "deny", message: "The turn was interrupted.", interrupt: true },
    }
    const more = this.inbox.open.length > 1
    this.append(
      [...open.map((ask) => settledEvent(ask, interrupted)), ...events],
      (written) => {
        const seq = written.findLast((event) => event.name.startsWith("sdk:result"))?.seq
        if (seq === undefined) throw new Error("a turn was finished without its result")
        for (const ask of open) this.asks.settle(ask.requestId, interrupted)
        this.inbox.settle(turn, seq)
        if (this.#parked !== null) this.#deps.meta.delete("parked")
      },
      () => [result(), ...(more ? [] : this.#stateEvents(turn, "idle"))],
    )
    this.#parked = null
  }

  // ---- reading and changing

  /** Results and cost so far: from memory when it is held, otherwise from the last result and what came after it. */
  #totals(): { readonly results: number; readonly usd: number } {
    if (this.#memory !== null)
      return { results: this.#memory.accounting.results, usd: this.#memory.accounting.totalUsd }
    const last = this.#deps.log.lastNamed("sdk:result/")
    // Both events were written by the loop.
    const result = last?.event.payload as { readonly result_index: number; readonly total_cost_usd: number } | undefined
    let usd = result?.total_cost_usd ?? 0
    const after = this.#deps.log.read({
      after: last?.event.seq ?? 0,
      limit: 10_000,
      order: "asc",
      name: EventNames.callFinished,
    })
    for (const { event } of after) usd = addUsd(usd, (event.payload as CallFinished).usd ?? 0)
    return { results: result === undefined ? 0 : result.result_index + 1, usd }
  }

  info(): SessionInfo {
    const totals = this.#totals()
    const { id, title, cwd, options, metadata, created_at: createdAt } = this.#record
    return {
      id,
      type: "session",
      title,
      cwd,
      state: this.state,
      model: modelOf(options),
      permissionMode: policyOf(options, this.#record.permission_updates).mode,
      options,
      metadata,
      created_at: new Date(createdAt).toISOString(),
      updated_at: new Date(Math.max(this.#deps.log.lastAt, createdAt)).toISOString(),
      turns: totals.results,
      total_cost_usd: totals.usd,
      last_seq: this.#deps.log.lastSeq,
    }
  }

  cost(): CostReport {
    const { accounting } = this.memory
    const read = accounting.cacheRead
    const cached = read + accounting.cacheWrite
    return {
      total_cost_usd: accounting.totalUsd,
      has_unpriced: accounting.hasUnpriced,
      model_usage: accounting.modelUsage as unknown as Record<string, Record<string, unknown>>,
      cache_hit_rate: cached === 0 ? null : read / cached,
      requests: accounting.requests,
    }
  }

  patch(change: {
    readonly title?: string | null
    readonly metadata?: Record<string, string>
    readonly options?: SessionOptions
  }): void {
    const mode = change.options?.permissionMode
    const record: SessionRecord = {
      ...this.#record,
      ...(change.title === undefined ? {} : { title: change.title }),
      ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
      ...(change.options === undefined ? {} : { options: { ...this.#record.options, ...change.options } }),
      // A mode that is set now wins over modes that answers set before.
      ...(mode === undefined
        ? {}
        : { permission_updates: this.#record.permission_updates.filter((update) => update.type !== "setMode") }),
    }
    this.append([{ name: EventNames.sessionChanged, payload: change }], () => this.#deps.meta.set("session", record))
    this.#record = record
  }

  /** The last event of a session that is being erased, for the Queue. */
  endEvent(): NewEvent {
    return hookFired(
      { sessionId: this.#record.id, cwd: this.#record.cwd, turn: null },
      this.#deps.newUuid(),
      "SessionEnd",
      { reason: "other" },
    )
  }
}

const settledEvent = (ask: AskRow, settled: AskAnswer): NewEvent => ({
  name: EventNames.askSettled,
  payload: { request_id: ask.requestId, ...settled },
  turn: ask.turn,
})

/** The tools of a session: all, or those that `tools` names, without those that `disallowedTools` names bare. */
const toolsFor = (options: SessionOptions): ReadonlyArray<Tool> => {
  const { tools, disallowedTools = [] } = options
  const chosen = Array.isArray(tools)
    ? builtInTools.filter((tool) => tools.some((name) => toolByName(name) === tool))
    : builtInTools
  return chosen.filter((tool) => !disallowedTools.some((name) => toolByName(name) === tool))
}
