// One session that exists: its log and all that is read from it, and what clients may do with it.
// Invariant: every change is an event; whatever this class holds in memory can be read from the log again.
import { SessionMemory } from "../agent/memory.ts"
import type { AskAnswer } from "../agent/ports.ts"
import { systemMessage } from "../agent/sdk-messages.ts"
import { hookFired } from "../hooks/inputs.ts"
import { policyOf, type Policy } from "../permissions/policy.ts"
import {
  type AskOpened,
  EventNames,
  type HeadMoved,
  type HookFired,
  type LogEvent,
  type NewEvent,
  type SessionForked,
  type ToolSkipped,
  type TurnQueued,
} from "../schemas/events.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import type { PermissionMode, PermissionUpdate } from "../schemas/sdk/permissions.ts"
import type { CostReport, ReopenArgs, SessionInfo, SessionState, TodoEntry } from "../schemas/session-rpc.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { noAnswer, readAnswer } from "./ask-answers.ts"
import { AskBook, type AskRow } from "./ask-book.ts"
import { headPathOf, seqOfMessage } from "./head.ts"
import { Inbox, type InboxEntry } from "./inbox.ts"
import type { SessionLog } from "./log.ts"
import type { Meta, SessionRecord } from "./meta.ts"
import { type PromptHost, Prompts } from "./prompts.ts"
import { type Refusal, refuse } from "./refusal.ts"
import { costReport, sessionInfo, todoEntries, totalsOf } from "./session-report.ts"
import type { Sql } from "./tables.ts"

/** How long a question waits for its answer when the options say nothing. */
const ASK_TIMEOUT_MS = 24 * 60 * 60 * 1000

/** Answers may change the session's permissions this often. */
const MAX_PERMISSION_UPDATES = 1000

export interface SessionDeps {
  readonly sql: Sql
  readonly meta: Meta
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly record: SessionRecord
  readonly now: () => number
  readonly newUuid: () => string
  /** Something can run now. */
  readonly wake: () => void
  readonly alarmAt: (at: number) => void
  /** The permission rules that the client's MCP servers bring for their tools. */
  readonly serverRules: () => { readonly allow: ReadonlyArray<string>; readonly ask: ReadonlyArray<string> }
}

export const noMessage = (uuid: string): Refusal =>
  refuse("not_found_error", `there is no message ${uuid.slice(0, 50)} in the conversation of this session`)

const UNANSWERED_TEXT = "Nobody answered the permission request in time, so it was denied."
const NO_RESULT_TEXT = "No client gave the result of this call in time. Whether it took effect is not known."

const isClientTool = ({ ask }: AskRow): boolean => ask.kind === "client_tool"

/** The session took the answer in as a PermissionResult, or made it itself. */
const updatesOf = (answer: Readonly<Record<string, unknown>>) =>
  (answer["updatedPermissions"] ?? []) as ReadonlyArray<PermissionUpdate>

/** Requests with an Idempotency-Key are remembered up to this many. */
const MAX_REOPENS = 20

export class Session implements PromptHost {
  readonly inbox: Inbox
  readonly asks: AskBook
  readonly prompts: Prompts
  readonly #deps: SessionDeps
  #record: SessionRecord
  #memory: SessionMemory | null = null
  #parked: string | null
  #runningOptions: SessionOptions | null = null
  #starting: "resume" | null
  /** The state that clients were told last. */
  #told: SessionState
  /** True while the session is being erased: nothing new begins. */
  #closed = false

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#record = deps.record
    this.inbox = new Inbox(deps.sql)
    this.asks = new AskBook(deps.sql)
    this.#parked = deps.meta.get("parked") ?? null
    this.#starting = deps.meta.get("starting") ?? null
    this.#told = this.#lastTold()
    this.prompts = new Prompts(this)
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
    return head === undefined || head.turn === this.#parked || this.#closed ? undefined : head
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Nothing new begins until `reopen`; whoever waits for a turn is told where it stands. */
  close(): void {
    this.#closed = true
    this.prompts.changed()
  }

  reopen(): void {
    this.#closed = false
    this.#deps.wake()
  }

  parkedEntry(): InboxEntry | undefined {
    const head = this.inbox.head()
    return head !== undefined && head.turn === this.#parked ? head : undefined
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

  dropMemory(largerThan: number): void {
    if (this.#memory !== null && this.#memory.transcript.size > largerThan) this.#memory = null
  }

  /** After a transaction was rolled back, nothing that was counted in it holds. */
  rolledBack(): void {
    this.#memory = null
    this.#record = this.#deps.meta.get("session") ?? this.#record
    this.#told = this.#lastTold()
    this.inbox.reload()
    this.prompts.reload()
    this.asks.reload()
    this.#deps.workspace.forget()
  }

  append(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    this.#deps.log.append(events, change, (stored) => this.#memory?.apply(stored.event, stored.json.length), later)
    this.prompts.changed()
  }

  /** Tells the session's state, if it is not what was told last. */
  #stateEvents(turn: string | null, state: SessionState): ReadonlyArray<NewEvent> {
    if (this.#told === state) return []
    this.#told = state
    const stamp = { sessionId: this.#record.id, turn, uuid: this.#deps.newUuid(), at: this.#deps.now() }
    return [systemMessage(stamp, "session_state_changed", { state })]
  }

  // ---- questions

  answer(requestId: string, body: Readonly<Record<string, unknown>>, client?: string): Refusal | undefined {
    const ask = this.asks.find(requestId)
    if (ask === undefined) return refuse("not_found_error", "there is no such permission request in this session")
    const read = readAnswer(ask.ask, body)
    if ("problem" in read) return refuse("invalid_request_error", read.problem, read.field)
    const { answer } = read
    const updates = updatesOf(answer)
    if (ask.ask.kind === "plan" && updates.some((update) => "mode" in update && this.#isClosed(update.mode))) {
      const message = "bypassPermissions is for sessions that were opened with it, or for it"
      return refuse("invalid_request_error", message, "permissionMode")
    }
    if (this.#record.permission_updates.length + updates.length > MAX_PERMISSION_UPDATES) {
      return refuse("invalid_request_error", `a session takes at most ${MAX_PERMISSION_UPDATES} permission updates`)
    }
    if (ask.settled !== null) {
      return JSON.stringify(ask.settled.answer) === JSON.stringify(answer)
        ? undefined
        : refuse("conflict_error", "this permission request was settled before")
    }
    this.settle([ask], "client", answer, client)
    return undefined
  }

  /** Settles asks with one answer, in one transaction, and lets their turn go on. */
  settle(
    asks: ReadonlyArray<AskRow>,
    by: AskAnswer["by"],
    answer: Readonly<Record<string, unknown>>,
    client?: string,
  ): void {
    if (asks.length === 0) return
    const settled: AskAnswer = { by, answer }
    // No answer opens what the session was not opened for.
    const updates = updatesOf(answer).filter((update) => !("mode" in update && this.#isClosed(update.mode)))
    const turn = asks[0]?.turn ?? ""
    const left = this.asks.open.length - asks.length
    const record =
      updates.length === 0
        ? this.#record
        : this.#moded({ ...this.#record, permission_updates: [...this.#record.permission_updates, ...updates] })
    this.append(
      [
        ...asks.map((ask) => settledEvent(ask, settled, client)),
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

  /** `bypassPermissions` is for sessions that were opened with it, or for it. */
  #isClosed(mode: PermissionMode): boolean {
    const { allowDangerouslySkipPermissions: allowed, permissionMode } = this.#record.options
    return mode === "bypassPermissions" && allowed !== true && permissionMode !== mode
  }

  #modeEvents(turn: string | null, updates: ReadonlyArray<PermissionUpdate>): ReadonlyArray<NewEvent> {
    const mode = updates.findLast((update) => update.type === "setMode")
    if (mode === undefined) return []
    const stamp = { sessionId: this.#record.id, turn, uuid: this.#deps.newUuid(), at: this.#deps.now() }
    return [systemMessage(stamp, "status", { status: null, permissionMode: mode.mode })]
  }

  /** Asks that nobody answered in time are denied. */
  expireAsks(): void {
    const now = this.#deps.now()
    const late = this.asks.open.filter((ask) => ask.expiresAt <= now)
    const [calls, questions] = [late.filter(isClientTool), late.filter((ask) => !isClientTool(ask))]
    this.settle(questions, "expiry", noAnswer("permission", UNANSWERED_TEXT))
    this.settle(calls, "expiry", noAnswer("client_tool", NO_RESULT_TEXT))
  }

  park(turn: string): void {
    // The answer may have come while the turn was ending.
    if (this.asks.open.length === 0 || this.inbox.head()?.turn !== turn) return
    this.#deps.meta.set("parked", turn)
    this.#parked = turn
  }

  // ---- the running turn

  policy(): Policy {
    const options = this.runningOptions
    const { allow, ask } = this.#deps.serverRules()
    if (allow.length === 0 && ask.length === 0) return policyOf(options, this.#record.permission_updates)
    const { settings = {} } = options
    const asks = [...(settings.permissions?.ask ?? []), ...ask]
    const ruled = {
      ...options,
      allowedTools: [...(options.allowedTools ?? []), ...allow],
      settings: { ...settings, permissions: { ...settings.permissions, ask: asks } },
    }
    return policyOf(ruled, this.#record.permission_updates)
  }

  get runningOptions(): SessionOptions {
    return { ...this.#record.options, ...this.#runningOptions }
  }

  /** The options of `entry`'s turn hold from now on. */
  runs(entry: InboxEntry): TurnQueued {
    const queued = this.prompts.queued(entry)
    this.#runningOptions = queued.options as SessionOptions
    return queued
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
    const started = this.prompts.lifecycle(this.prompts.queued(entry), entry.turn, "started")
    const begun = this.#starting !== null && events.some(isSessionStart)
    this.append([...events, ...this.#stateEvents(entry.turn, "running"), ...started], () => {
      this.#deps.workspace.checkpoint(entry.turn)
      if (begun) this.#deps.meta.delete("starting")
    })
    if (begun) this.#starting = null
  }

  /** Opens a question together with the events that announce it. */
  openAsk(turn: string, question: Omit<AskOpened, "expires_at">, events: ReadonlyArray<NewEvent>): void {
    const timeout = this.runningOptions.ask_timeout_ms ?? ASK_TIMEOUT_MS
    const ask: AskOpened = { ...question, expires_at: this.#deps.now() + timeout }
    const opened: NewEvent = { name: EventNames.askOpened, payload: ask, uuid: ask.request_id, turn }
    this.append([...events, opened, ...this.#stateEvents(turn, "requires_action")], () =>
      this.asks.add(ask, turn, this.#deps.now()),
    )
    this.#deps.alarmAt(ask.expires_at)
  }

  /** Writes a turn's last events, then its result, and takes its prompt out of the inbox. */
  finish(entry: InboxEntry, events: ReadonlyArray<NewEvent>, result: () => NewEvent): void {
    const { turn } = entry
    const completed = this.prompts.lifecycle(this.prompts.queued(entry), turn, "completed")
    const open = this.asks.open.filter((ask) => ask.turn === turn)
    const interrupted = ({ ask }: AskRow): AskAnswer => {
      const answer = noAnswer(ask.kind, "The turn was interrupted.")
      return { by: "interrupt", answer: ask.kind === "client_tool" ? answer : { ...answer, interrupt: true } }
    }
    const more = this.inbox.open.length > 1
    this.append(
      [...open.map((ask) => settledEvent(ask, interrupted(ask))), ...events],
      (written) => {
        const seq = written.findLast((event) => event.name.startsWith("sdk:result"))?.seq
        if (seq === undefined) throw new Error("a turn was finished without its result")
        for (const ask of open) this.asks.settle(ask.requestId, interrupted(ask))
        this.inbox.settle(turn, seq)
        if (this.#parked !== null) this.#deps.meta.delete("parked")
      },
      () => [result(), ...completed, ...(more ? [] : this.#stateEvents(turn, "idle"))],
    )
    this.#parked = null
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
    const next = this.#moded(record)
    this.append([{ name: EventNames.sessionChanged, payload: change }], () => this.#deps.meta.set("session", next))
    this.#record = next
  }

  /** Changes options of the session, as a control request asks. `undefined` takes an option away. */
  setOptions(change: Readonly<Record<string, unknown>>, events: ReadonlyArray<NewEvent> = []): void {
    const options = Object.fromEntries(
      Object.entries({ ...this.#record.options, ...change }).filter(([, value]) => value !== undefined),
    )
    // The caller decoded what it changes.
    const record: SessionRecord = { ...this.#record, options: options as SessionOptions }
    if (JSON.stringify(record.options) === JSON.stringify(this.#record.options)) {
      if (events.length > 0) this.append(events)
      return
    }
    this.append([{ name: EventNames.sessionChanged, payload: { options: change } }, ...events], () =>
      this.#deps.meta.set("session", record),
    )
    this.#record = record
  }

  /** Why the turn that begins now is the first since the session was made or taken up; null when it is not. */
  get starting(): "startup" | "resume" | null {
    return this.memory.accounting.results === 0 ? "startup" : this.#starting
  }

  /**
   * Another client takes the session up: its options hold, and what only held for the last one does not. With `at` the
   * conversation goes on after that message. The same `once` again changes nothing.
   */
  takeUp({ options, at, once }: ReopenArgs): Refusal | undefined {
    const { meta, sql, log } = this.#deps
    const before = meta.get("reopens") ?? []
    const same = once === undefined ? undefined : before.find(({ key }) => key === once.key)
    if (same !== undefined) return same.fingerprint === once?.fingerprint ? undefined : otherRequest
    if (this.#closed) return refuse("conflict_error", "the session is being deleted")
    if (at !== undefined && this.inbox.head() !== undefined) {
      return refuse("conflict_error", "a turn is open: a session goes on from an earlier message between turns only")
    }
    const head = at === undefined ? null : seqOfMessage(sql, log, at)
    if (at !== undefined && head == null) return noMessage(at)
    const kept = this.#record.permission_updates.filter((update) => update.destination !== "session")
    const record: SessionRecord = { ...this.#record, options, permission_updates: kept }
    const changed: NewEvent = { name: EventNames.sessionChanged, payload: { options, reopened: true } }
    this.#appendMove([changed], head ?? null, () => {
      meta.set("session", record)
      meta.set("starting", "resume")
      if (once !== undefined) meta.set("reopens", [...before, once].slice(-MAX_REOPENS))
    })
    this.#record = record
    this.#starting = "resume"
    return undefined
  }

  /** The first words of a session that was copied from another; see `ForkExport`. */
  beginFork(parent: string, head: number | null): void {
    const { lastSeq: through } = this.#deps.log
    const forked: NewEvent = { name: EventNames.sessionForked, payload: { parent, through } satisfies SessionForked }
    this.#appendMove([forked, ...this.#stateEvents(null, "idle")], head, () => undefined)
  }

  /** Writes events and moves the conversation's head; calls whose results are cut off get others. */
  #appendMove(events: ReadonlyArray<NewEvent>, head: number | null, change: () => void): void {
    if (head === null) return this.append(events, change)
    const open = new Set(this.memory.transcript.openCalls().map(({ id }) => id))
    const moved: NewEvent = { name: EventNames.headMoved, payload: { to_seq: head } satisfies HeadMoved }
    this.append([...events, moved], change, () => {
      this.#memory = null
      const cut = this.memory.transcript.openCalls().filter(({ id }) => !open.has(id))
      return cut.map(({ id }) => ({
        name: EventNames.toolSkipped,
        payload: { tool_use_id: id, content: CUT_OFF_TEXT } satisfies ToolSkipped,
      }))
    })
  }

  /** The mode from now on, also in the turn that runs. */
  setMode(mode: PermissionMode): void {
    const update: PermissionUpdate = { type: "setMode", mode, destination: "session" }
    const others = this.#record.permission_updates.filter((known) => known.type !== "setMode")
    const record = this.#moded({ ...this.#record, permission_updates: [...others, update] })
    const turn = this.inbox.head()?.turn ?? null
    const next = policyOf({ ...record.options, ...this.#runningOptions }, record.permission_updates)
    // Nobody is told of a mode that holds already.
    const told = next.mode === this.policy().mode ? [] : this.#modeEvents(turn, [update])
    this.append(told, () => this.#deps.meta.set("session", record))
    this.#record = record
  }

  /** The record, which remembers the mode that holds now if plan mode follows it. */
  #moded(record: SessionRecord): SessionRecord {
    const before = this.policy().mode
    const next = policyOf({ ...record.options, ...this.#runningOptions }, record.permission_updates).mode
    return next === "plan" && before !== "plan" ? { ...record, mode_before_plan: before } : record
  }

  /** The mode in which the session works when its plan is accepted. */
  get modeBeforePlan(): PermissionMode {
    return this.#record.mode_before_plan ?? "default"
  }

  /** The same as `setMode` for a call that runs: the events, and the change for the transaction that writes them. */
  modeChange(turn: string, mode: PermissionMode) {
    const update: PermissionUpdate = { type: "setMode", mode, destination: "session" }
    const others = this.#record.permission_updates.filter((known) => known.type !== "setMode")
    const events = this.policy().mode === mode ? [] : this.#modeEvents(turn, [update])
    const record = this.#moded({ ...this.#record, permission_updates: [...others, update] })
    const commit = () => {
      this.#deps.meta.set("session", record)
      this.#record = record
    }
    return { events, commit: events.length === 0 ? () => undefined : commit }
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

/** What the model reads of a call whose result the conversation no longer has. */
const CUT_OFF_TEXT =
  "The conversation goes on from before this call's result was said. Check whether it took effect before you rely on it or repeat it."

export const otherRequest = refuse("unprocessable_error", "this idempotency key was used before with another request")

const isSessionStart = ({ name, payload }: NewEvent): boolean =>
  name === EventNames.hookFired && (payload as HookFired).hook_event_name === "SessionStart"

const settledEvent = (ask: AskRow, settled: AskAnswer, client?: string): NewEvent => ({
  name: EventNames.askSettled,
  payload: { request_id: ask.requestId, ...settled, ...(client === undefined ? {} : { client }) },
  turn: ask.turn,
})
