// One session that exists: its log and all that is read from it, its record, and the turn that runs. What clients do with it
// goes through its prompts, questions and permissions.
// Invariant: every change is an event; whatever this class holds in memory can be read from the log again.
import { SessionMemory } from "../agent/transcript/projection.ts"
import { joinedPrompt } from "../agent/messages/prompt-text.ts"
import { promptEcho, systemMessage } from "../agent/messages/sdk-messages.ts"
import { hookFired } from "../hooks/inputs.ts"
import type { TurnJoined, TurnQueued } from "../schemas/log/event-payloads.ts"
import { EventNames, isTurnResult, type LogEvent, type NewEvent } from "../schemas/log/events.ts"
import { maskOptions } from "../schemas/sdk/options/masked-options.ts"
import { type Actor, actorField } from "../schemas/access.ts"
import type { Limits } from "../schemas/limits.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { CostReport, TodoEntry } from "../schemas/rpc/reports.ts"
import type { SessionInfo, SessionState } from "../schemas/rpc/session.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { AskStore } from "./storage/ask-store.ts"
import { headPathOf } from "./storage/head.ts"
import { Inbox, type InboxEntry } from "./storage/inbox.ts"
import type { SessionLog } from "./storage/log.ts"
import type { SessionRecord } from "./storage/meta.ts"
import type { Refusal } from "./refusal.ts"
import { type Change, refusalOf } from "./access/rights.ts"
import { isAcknowledged, type PromptHost, Prompts } from "./prompts/prompts.ts"
import { type AskDeps, type AskHost, Asks } from "./asks/asks.ts"
import { Resumption, type ResumptionDeps, type ResumptionHost } from "./prompts/resumption.ts"
import { type PermissionDeps, type PermissionHost, SessionPermissions } from "./asks/session-permissions.ts"
import { costReport, sessionInfo, todoEntries, totalsOf } from "./session-report.ts"
import { TurnHooks } from "./hooks/queued-turn-hooks.ts"
import { TurnReports } from "./turns/turn-reports.ts"
import { TurnWaits } from "./turns/turn-waits.ts"

export interface SessionDeps extends AskDeps, PermissionDeps, ResumptionDeps {
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly record: SessionRecord
  /** What holds for the session's tenant now. */
  readonly limits: () => Limits
}

export class Session implements PromptHost, AskHost, PermissionHost, ResumptionHost {
  readonly inbox: Inbox
  readonly askStore: AskStore
  readonly prompts: Prompts
  readonly asks: Asks
  readonly permissions: SessionPermissions
  readonly resumption: Resumption
  readonly turnHooks: TurnHooks
  readonly turns: TurnReports
  readonly turnWaits: TurnWaits
  readonly #deps: SessionDeps
  #record: SessionRecord
  #memory: SessionMemory | null = null
  #runningOptions: SessionOptions | null = null
  #merged: {
    readonly options: SessionOptions
    readonly running: SessionOptions | null
    readonly merged: SessionOptions
  } | null = null
  /** The state that clients were told last. */
  #told: SessionState
  /** True while the session is being erased: nothing new begins. */
  #closed = false

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#record = deps.record
    this.inbox = new Inbox(deps.sql)
    this.askStore = new AskStore(deps.sql)
    this.#told = this.#lastTold()
    this.turnHooks = new TurnHooks(deps.meta)
    const { inbox, askStore } = this
    this.turns = new TurnReports({ sessionId: this.id, sql: deps.sql, inbox, askStore, log: deps.log })
    this.turnWaits = new TurnWaits({ inbox, askStore, reports: this.turns, closed: () => this.#closed })
    this.prompts = new Prompts(this)
    this.asks = new Asks(this, deps)
    this.permissions = new SessionPermissions(this, deps)
    this.resumption = new Resumption(this, deps)
  }

  get id(): string {
    return this.#record.id
  }

  get log(): SessionLog {
    return this.#deps.log
  }

  wake(): void {
    this.#deps.wake()
  }

  newUuid(): string {
    return this.#deps.newUuid()
  }

  #lastTold(): SessionState {
    const told = this.#deps.log.lastNamed("sdk:system/session_state_changed")
    return told === undefined ? "idle" : told.event.payload.state
  }

  get record(): SessionRecord {
    return this.#record
  }

  get state(): SessionState {
    if (this.inbox.head() === undefined) return "idle"
    return this.askStore.open.length > 0 ? "requires_action" : "running"
  }

  /** The turn to run now: the head of the inbox, unless it is parked. */
  runnable(): InboxEntry | undefined {
    return this.#closed || this.asks.parkedEntry() !== undefined ? undefined : this.inbox.head()
  }

  get limits(): Limits {
    return this.#deps.limits()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Nothing new begins until `reopen`; a request that waits for a turn ends. */
  close(): void {
    this.#closed = true
    this.turnWaits.changed()
  }

  reopen(): void {
    this.#closed = false
    this.#deps.wake()
  }

  /** What the log says, folded. Read from the log when it is not held. */
  get memory(): SessionMemory {
    if (this.#memory === null) {
      const { log } = this.#deps
      const path = headPathOf(log)
      this.#memory = new SessionMemory(this.#record.cwd)
      for (const { event, json } of log.all()) this.#memory.apply(event, json.length, path.has(event.seq))
    }
    return this.#memory
  }

  /** Where the conversation stands: the directory that its shell is in, or the session's own when that is gone. */
  get cwd(): string {
    const { cwd } = this.memory
    return cwd === this.#record.cwd || this.#deps.workspace.isDirectory(cwd) ? cwd : this.#record.cwd
  }

  /** The memory is read from the log again when it is needed. */
  forget(): void {
    this.#memory = null
  }

  dropMemory(largerThan: number): void {
    if (this.#memory !== null && this.#memory.transcript.size > largerThan) this.forget()
  }

  /** After a transaction was rolled back, nothing that was counted in it holds. */
  rolledBack(): void {
    this.forget()
    this.#record = this.#deps.meta.get("session") ?? this.#record
    this.#told = this.#lastTold()
    this.inbox.reload()
    this.prompts.reload()
    this.askStore.reload()
    this.#deps.workspace.forget()
  }

  append(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    this.#deps.log.append(events, change, (stored) => this.#memory?.apply(stored.event, stored.json.length), later)
    this.turnWaits.changed()
  }

  /** Writes events together with the session's new record, if it is another one, and with what else changes. */
  changeRecord(
    record: SessionRecord,
    events: ReadonlyArray<NewEvent>,
    change?: () => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    const write = () => {
      if (record !== this.#record) this.#deps.meta.set("session", record)
      change?.()
    }
    this.append(events, write, later)
    this.#record = record
  }

  /** The same inside a transaction that others began: they write the events. */
  keepRecord(record: SessionRecord): void {
    this.#deps.meta.set("session", record)
    this.#record = record
  }

  /** Tells the session's state, if it is not what was told last. */
  stateEvents(turn: string | null, state: SessionState): ReadonlyArray<NewEvent> {
    if (this.#told === state) return []
    this.#told = state
    const stamp = { sessionId: this.#record.id, turn, uuid: this.#deps.newUuid(), at: this.#deps.now() }
    return [systemMessage(stamp, "session_state_changed", { state })]
  }

  // ---- the running turn

  get runningOptions(): SessionOptions {
    return this.runningOptionsOf(this.#record)
  }

  /** What the session and the running turn may cost. */
  get budgets(): { readonly session?: number; readonly turn?: number } {
    const session = this.#record.options.maxBudgetUsd
    const turn = this.#runningOptions?.maxBudgetUsd
    return { ...(session === undefined ? {} : { session }), ...(turn === undefined ? {} : { turn }) }
  }

  /** The options that would hold now if this were the session's record. */
  runningOptionsOf({ options }: SessionRecord): SessionOptions {
    const running = this.#runningOptions
    // Rules are asked at every command of a script: the same parts give the same object.
    if (this.#merged?.options !== options || this.#merged.running !== running)
      this.#merged = { options, running, merged: { ...options, ...running } }
    return this.#merged.merged
  }

  /** The options of `entry`'s turn hold from now on. Prompts that wait behind it may become part of it. */
  beginTurn(entry: InboxEntry): TurnQueued {
    this.prompts.gather(entry)
    const queued = this.prompts.queued(entry)
    this.#runningOptions = this.turnHooks.unmasked(entry.turn, queued.options as SessionOptions)
    const others = this.#gathered(entry)
    return others.length === 0
      ? queued
      : { ...queued, prompt: others.reduce((prompt, other) => joinedPrompt(prompt, other.prompt), queued.prompt) }
  }

  /** Prompts that are part of a prompt's turn since it began. */
  #gathered({ turn }: InboxEntry): ReadonlyArray<TurnJoined> {
    const { tally } = this.memory.accounting
    return tally?.turn === turn ? tally.gathered : []
  }

  /** The prompts of the turn that their senders gave a name. */
  named(entry: InboxEntry): ReadonlyArray<string> {
    const own = isAcknowledged(this.prompts.queued(entry)) ? [entry.turn] : []
    return [...own, ...this.#gathered(entry).flatMap((joined) => (isAcknowledged(joined) ? [joined.turn] : []))]
  }

  /** As the official SDK: of prompts that are one turn, the last is sent again as all of them. */
  #echoes(entry: InboxEntry): ReadonlyArray<NewEvent> {
    const { prompt: own, synthetic } = this.prompts.queued(entry)
    // As there: a synthetic prompt is sent again where it joins a turn, and not where it begins one.
    if (synthetic === true) return []
    const prompts = [{ turn: entry.turn, prompt: own }, ...this.#gathered(entry)]
    let all: TurnQueued["prompt"] | undefined
    return prompts.flatMap(({ turn, prompt }, index) => {
      all = all === undefined ? prompt : joinedPrompt(all, prompt)
      return this.echo(entry.turn, turn, index === prompts.length - 1 ? all : prompt)
    })
  }

  echo(turn: string, uuid: string, prompt: TurnQueued["prompt"], synthetic = false): ReadonlyArray<NewEvent> {
    if (this.runningOptions.replay_user_messages !== true) return []
    return [promptEcho({ sessionId: this.#record.id, turn, uuid, at: this.#deps.now() }, prompt, synthetic)]
  }

  /** Tells all whose prompts are in the turn. */
  #lifecycle(entry: InboxEntry, state: string): ReadonlyArray<NewEvent> {
    const own = this.prompts.lifecycle(this.prompts.queued(entry), entry.turn, state)
    return [...own, ...this.#gathered(entry).flatMap((one) => this.prompts.lifecycle(one, one.turn, state))]
  }

  /** How often the turn that runs has fired a hook event; null when none runs. */
  fired(event: string): { readonly turn: string; readonly count: number } | null {
    const head = this.inbox.head()
    if (head === undefined) return null
    const { tally } = this.memory.accounting
    return { turn: head.turn, count: tally?.turn === head.turn ? (tally.hookCounts.get(event) ?? 0) : 0 }
  }

  /** Writes a turn's first events, and that the session runs. */
  begin(entry: InboxEntry, events: ReadonlyArray<NewEvent>): void {
    const started = this.#lifecycle(entry, "started")
    const begins = this.resumption.begins(events)
    const state = this.stateEvents(entry.turn, "running")
    this.append([...events, ...this.#echoes(entry), ...state, ...started], () => {
      this.#deps.workspace.checkpoint(entry.turn)
      if (begins) this.resumption.forgetStarting()
    })
    if (begins) this.resumption.begun()
  }

  /** Writes a turn's last events, then its result, and takes its prompt out of the inbox. */
  finish(entry: InboxEntry, events: ReadonlyArray<NewEvent>, result: () => NewEvent): void {
    const { turn } = entry
    const completed = this.#lifecycle(entry, "completed")
    const interrupted = this.asks.interrupted(turn)
    const more = this.inbox.open.length > 1
    this.append(
      [...interrupted.events, ...events],
      (written) => {
        const seq = written.findLast(isTurnResult)?.seq
        if (seq === undefined) throw new Error("a turn was finished without its result")
        interrupted.commit()
        this.inbox.settle(turn, seq)
        this.turnHooks.forget(turn, this.prompts.queued(entry).options)
        this.asks.forgetParked()
      },
      () => [result(), ...completed, ...(more ? [] : this.stateEvents(turn, "idle"))],
    )
    this.asks.unparked()
    this.#runningOptions = null
  }

  // ---- reading and changing

  info(): SessionInfo {
    return sessionInfo(this.#record, this.state, this.#deps.log, totalsOf(this.#memory, this.#deps.log))
  }

  todos(): ReadonlyArray<TodoEntry> {
    return todoEntries(this.memory)
  }

  cost(): CostReport {
    return costReport(this.memory.accounting)
  }

  /** Changes the session as a client asks; returns why it may not. */
  patch(
    change: {
      readonly title?: string | null
      readonly metadata?: Record<string, string>
      readonly options?: SessionOptions
    },
    by?: Actor,
  ): Refusal | undefined {
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
    const refused = this.refusal(record, by, { options: change.options ?? {} })
    if (refused !== undefined) return refused
    const next = this.permissions.withModeBeforePlan(record)
    const shown = change.options === undefined ? change : { ...change, options: maskOptions(change.options) }
    this.changeRecord(next, [{ name: EventNames.sessionChanged, payload: { ...shown, ...actorField(by) } }])
    return undefined
  }

  turnRefusal(options: SessionOptions, by: Actor | undefined): Refusal | undefined {
    if (by === undefined || Object.keys(options).length === 0) return undefined
    const record = this.#record
    return this.refusal({ ...record, options: { ...record.options, ...options } }, by, { options })
  }

  /** Why the actor may not make a change. */
  refusal(
    after: SessionRecord,
    by: Actor | undefined,
    named: Change["named"],
    suggested: Change["suggested"] = [],
  ): Refusal | undefined {
    return refusalOf(by, { before: this.#record, after, named, suggested })
  }

  /**
   * Changes options of the session, as a control request asks; returns why it may not. `undefined` takes an option away.
   */
  setOptions(
    change: Readonly<Record<string, unknown>>,
    events: ReadonlyArray<NewEvent> = [],
    by?: Actor,
  ): Refusal | undefined {
    const options = Object.fromEntries(
      Object.entries({ ...this.#record.options, ...change }).filter(([, value]) => value !== undefined),
    )
    // The caller decoded what it changes.
    const record: SessionRecord = { ...this.#record, options: options as SessionOptions }
    if (JSON.stringify(record.options) === JSON.stringify(this.#record.options)) {
      if (events.length > 0) this.append(events)
      return undefined
    }
    const refused = this.refusal(record, by, { options: change as SessionOptions })
    if (refused !== undefined) return refused
    const changed = { name: EventNames.sessionChanged, payload: { options: maskOptions(change), ...actorField(by) } }
    this.changeRecord(record, [changed, ...events])
    return undefined
  }

  /** The last event of a session that is being erased, for the Queue. */
  endEvent(): NewEvent<"hook:fired"> {
    return hookFired(
      { sessionId: this.#record.id, cwd: this.#record.cwd, turn: null },
      this.#deps.newUuid(),
      "SessionEnd",
      { reason: "other" },
    )
  }
}
