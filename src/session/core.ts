// The core of a session that exists: its log and everything that is read from it, its record, and the parts that change it.
// Each part receives the core and calls the others through it.
// Invariant: every change is an event; whatever is kept in memory here can be read from the log again.
import { systemMessage } from "../agent/messages/sdk-messages.ts"
import type { SessionMemory } from "../agent/transcript/projection.ts"
import { hookFired } from "../hooks/inputs.ts"
import type { TurnMeter } from "../observe/turn-meter.ts"
import type { Actor } from "../schemas/access.ts"
import { startOf } from "../permissions/places.ts"
import type { Limits } from "../schemas/limits.ts"
import type { LogEvent, NewEvent } from "../schemas/log/events.ts"
import type { CostReport } from "../schemas/api/catalogue.ts"
import type { TodoEntry } from "../schemas/api/api.ts"
import type { SessionInfo, SessionState } from "../schemas/rpc/session.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import { Workspace } from "../workspace/workspace.ts"
import { type Change, refusalOf } from "./access/rights.ts"
import { Asks } from "./asks/asks.ts"
import { SessionPermissions } from "./asks/session-permissions.ts"
import { SessionCommands } from "./commands/session-commands.ts"
import { Clients } from "./control/clients.ts"
import { McpServers } from "./control/mcp-servers.ts"
import { SessionDefinitions } from "./definitions/session-definitions.ts"
import { logDelivery } from "./delivery/log-delivery.ts"
import { notifyRun } from "./delivery/run-notice.ts"
import type { Feed } from "./feed/feed.ts"
import { ceilingOf, quotasOf } from "./files/workspace-limits.ts"
import { TurnSecrets } from "./hooks/turn-secrets.ts"
import type { SessionLife } from "./life.ts"
import type { Maintenance } from "./maintenance.ts"
import type { ObjectContext } from "./object-context.ts"
import { type RemoteServers, sessionServers } from "./mcp/remote-servers.ts"
import { SessionProject } from "./project/session-project.ts"
import { SkillHooks } from "./project/skill-hooks.ts"
import { Prompts } from "./prompts/prompts.ts"
import { Resumption } from "./prompts/resumption.ts"
import { captureOf } from "./recording/capture-of.ts"
import type { OpenRecording } from "./recording/player.ts"
import type { SessionCapture } from "./recording/session-capture.ts"
import { RecordChanges } from "./record-changes.ts"
import type { Refusal } from "./refusal.ts"
import { costReport, sessionInfo, todoEntries, totalsOf } from "./session-report.ts"
import { AskStore } from "./storage/ask-store.ts"
import { Inbox, type InboxEntry } from "./storage/inbox.ts"
import { SessionLog, type StoredEvent } from "./storage/log.ts"
import type { Meta, SessionRecord, Totals } from "./storage/meta.ts"
import { Outbox } from "./storage/outbox.ts"
import { SessionFold } from "./storage/session-fold.ts"
import { steadyClock } from "./storage/steady-clock.ts"
import { BackgroundTasks } from "./turns/background-tasks.ts"
import { RunningTurn } from "./turns/running-turn.ts"
import type { TenantShare } from "./lanes/tenant-share.ts"
import { turnMeter } from "./turns/turn-metering.ts"
import { TurnReports } from "./turns/turn-reports.ts"
import type { TurnRunner } from "./turns/turn-runner.ts"
import { TurnWaits } from "./turns/turn-waits.ts"

/** What a session is opened with. */
export interface SessionSeed {
  readonly context: ObjectContext
  readonly life: SessionLife
  readonly feed: Feed
  readonly share: TenantShare
  readonly maintenance: Pick<Maintenance, "askOpened" | "flush" | "flushSoon" | "wrote">
  readonly meta: Meta
  readonly record: SessionRecord
  readonly openRecording: OpenRecording
}

export class SessionCore {
  // The object, its sockets and its storage.
  readonly context: ObjectContext
  readonly life: SessionLife
  readonly feed: Feed
  readonly share: TenantShare
  readonly maintenance: SessionSeed["maintenance"]
  readonly meta: Meta
  readonly log: SessionLog
  /** Null unless the session is recorded, or plays a recording. */
  readonly capture: SessionCapture | null
  /** Folds the log into the projection. */
  readonly fold: SessionFold
  readonly inbox: Inbox
  readonly askStore: AskStore
  readonly workspace: Workspace
  // What its turns are made of: clients, MCP servers, definitions, commands, the project.
  readonly clients: Clients
  readonly mcp: McpServers
  readonly remoteMcp: RemoteServers
  readonly definitions: SessionDefinitions
  readonly commands: SessionCommands
  readonly project: SessionProject
  readonly skillHooks: SkillHooks
  readonly turnSecrets: TurnSecrets
  // Its turns: their prompts, asks, permissions and reports.
  readonly turns: TurnReports
  readonly turnWaits: TurnWaits
  readonly prompts: Prompts
  readonly asks: Asks
  readonly permissions: SessionPermissions
  readonly resumption: Resumption
  readonly changes: RecordChanges
  readonly runningTurn: RunningTurn
  readonly background: BackgroundTasks
  readonly outbox: Outbox
  readonly steadyNow = steadyClock(this)
  readonly #meter: TurnMeter
  #runner: TurnRunner | null = null
  #record: SessionRecord
  /** The state that was last sent to clients. */
  #sentState: SessionState

  constructor({ context, life, feed, share, maintenance, meta, record, openRecording }: SessionSeed) {
    this.context = context
    this.life = life
    this.feed = feed
    this.share = share
    this.maintenance = maintenance
    this.meta = meta
    this.#record = record
    this.capture = captureOf(this, openRecording)
    this.log = new SessionLog(context, this.capture?.rider)
    this.fold = new SessionFold(this.log, context, () => this.#record.cwd)
    const rested = meta.get("outbox")?.rested
    this.inbox = new Inbox(context.sql, rested?.seq)
    this.askStore = new AskStore(context.sql, rested?.seq)
    const ceiling = ceilingOf(context.env.PERCH_WORKSPACE_LIMITS)
    this.workspace = new Workspace(context, context.now, {
      directories: [record.cwd],
      quotas: () => quotasOf(this.#record.options, ceiling),
      // A turn that started since has made a checkpoint of its own.
      ...(rested?.checkpoint === undefined
        ? {}
        : { checkpoint: { place: rested.checkpoint, later: () => this.inbox.turnsSinceRest } }),
    })
    this.#sentState = this.#lastSentState()
    this.clients = new Clients(this)
    this.remoteMcp = sessionServers(this)
    this.mcp = new McpServers(this.clients, context.newUuid, this.remoteMcp, this.capture)
    this.project = new SessionProject(this)
    this.skillHooks = new SkillHooks(this)
    this.definitions = new SessionDefinitions(this)
    this.commands = new SessionCommands(this)
    this.turnSecrets = new TurnSecrets(meta)
    this.turns = new TurnReports(this)
    this.turnWaits = new TurnWaits(this)
    this.prompts = new Prompts(this)
    this.asks = new Asks(this)
    this.permissions = new SessionPermissions(this)
    this.resumption = new Resumption(this)
    this.changes = new RecordChanges(this)
    this.runningTurn = new RunningTurn(this)
    this.background = new BackgroundTasks(this)
    this.outbox = new Outbox(logDelivery(this))
    this.#meter = turnMeter(this)
  }

  get id(): string {
    return this.#record.id
  }

  get record(): SessionRecord {
    return this.#record
  }

  /** The tenant's limits as they are now. */
  get limits(): Limits {
    return this.share.limits
  }

  /** True once the erasure has started: nothing new may start. */
  get isClosed(): boolean {
    return this.life.isClosed
  }

  get state(): SessionState {
    if (this.askStore.open.length > 0) return "requires_action"
    return this.inbox.head() === undefined ? "idle" : "running"
  }

  /** Whether work continues without further input of a client: a turn, or a command whose end starts one. */
  get isBusy(): boolean {
    return this.inbox.head() !== undefined || this.background.running().length > 0
  }

  /** Call it once, when the session is opened. */
  runTurnsWith(runner: TurnRunner): void {
    this.#runner = runner
    this.capture?.controls(runner.control)
  }

  /** Starts the runner. Call it when something may be runnable. */
  wake(): void {
    this.#runner?.start()
  }

  /** The turn to run now: the head of the inbox, unless it is parked. A turn that a prompt replaces runs once more, to end. */
  runnable(): InboxEntry | undefined {
    return this.isClosed || this.asks.holdsHead ? undefined : this.inbox.head()
  }

  /**
   * Whether a prompt may be queued: null when it may, a promise when the tenant's object must be asked. A prompt that is
   * queued behind a turn uses that turn's slot.
   */
  admit(): Refusal | null | Promise<Refusal | null> {
    return this.inbox.head() === undefined ? this.share.beginTurn() : null
  }

  /** Releases the slot when the admitted prompt started no turn. */
  releaseUnused(): void {
    if (this.inbox.head() === undefined) this.share.endTurn()
  }

  /** Notifies clients that count their lines that the session is idle. */
  announceIdle(): void {
    if (!this.isBusy) this.feed.mark("=idle")
  }

  /** The projection. It is folded from the log when it is not in memory. */
  get memory(): SessionMemory {
    return this.fold.memory
  }

  /** The current directory of the conversation's shell, or the session's own when that is no longer a directory of the session. */
  get cwd(): string {
    return startOf(this.memory.cwd, this.#record.cwd, this.workspace, () => this.permissions.policy())
  }

  /** The effective options, including those of the running turn. */
  get runningOptions(): SessionOptions {
    return this.runningOptionsOf(this.#record)
  }

  /** The effective options if this were the session's record. */
  runningOptionsOf({ options }: SessionRecord): SessionOptions {
    return this.project.effective(options, this.runningTurn.options)
  }

  /** Appends events in one transaction with the writes of `change`, then delivers them. `later` may add events in it. */
  append(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    const stored = this.#commit(events, change, later)
    // Committed events go to the sockets now, and to D1, the Queue and the webhooks soon.
    this.feed.publish(stored)
    if (this.#record.run !== undefined) notifyRun(this, this.#record.run, stored)
    for (const { event } of stored) this.#meter.see(event)
    if (this.outbox.wrote(stored)) this.maintenance.flush()
    else this.maintenance.wrote()
    this.runningTurn.wrote(stored)
  }

  #commit(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): ReadonlyArray<StoredEvent> {
    try {
      return this.log.append(events, change, (stored) => this.fold.apply(stored), later)
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** After a rollback: drops what the transaction changed in memory, and reads the stored state again. */
  #rollBack(): void {
    this.fold.drop()
    this.#record = this.meta.get("session") ?? this.#record
    this.#sentState = this.#lastSentState()
    this.inbox.reload()
    this.prompts.reload()
    this.askStore.reload()
    this.workspace.forget()
    this.background.reload()
  }

  /** Appends events in one transaction with the session's record, if it differs, and the writes of `change`. */
  changeRecord(
    record: SessionRecord,
    events: ReadonlyArray<NewEvent>,
    change?: () => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): void {
    const write = () => {
      if (record !== this.#record) this.meta.set("session", record)
      change?.()
    }
    this.append(events, write, later)
    this.#record = record
  }

  /** Stores the record inside the caller's transaction; the caller appends the events. */
  keepRecord(record: SessionRecord): void {
    this.meta.set("session", record)
    this.#record = record
  }

  /** Why the actor may not make a change; undefined when it may. */
  refusal(
    after: SessionRecord,
    by: Actor | undefined,
    named: Change["named"],
    suggested: Change["suggested"] = [],
  ): Refusal | undefined {
    return refusalOf(by, { before: this.#record, after, named, suggested })
  }

  /** The event of the session's state; none when it is the state that was last sent to clients. */
  stateEvents(turn: string | null, state: SessionState): ReadonlyArray<NewEvent> {
    if (this.#sentState === state) return []
    this.#sentState = state
    const { newUuid, now } = this.context
    const stamp = { sessionId: this.#record.id, turn, uuid: newUuid(), at: now() }
    return [systemMessage(stamp, "session_state_changed", { state })]
  }

  #lastSentState(): SessionState {
    const sent = this.log.lastNamed("sdk:system/session_state_changed")
    return sent === undefined ? "idle" : sent.event.payload.state
  }

  get totals(): Totals {
    return totalsOf(this.fold, this.log, this.meta.get("outbox")?.rested)
  }

  info(): SessionInfo {
    const { totals } = this
    const effectiveOptions = this.project.withSettings(this.#record.options)
    const lane = this.runningTurn.lane.info(this.inbox.head()?.turn)
    return sessionInfo(this.#record, this.log, { state: this.state, totals, effectiveOptions, lane })
  }

  todos(): ReadonlyArray<TodoEntry> {
    return todoEntries(this.memory)
  }

  cost(): CostReport {
    return costReport(this.memory.accounting, this.record.options)
  }

  /** The last event of a session that is being erased, for the Queue. */
  endEvent(): NewEvent<"hook:fired"> {
    const base = { sessionId: this.#record.id, cwd: this.#record.cwd, turn: null }
    return hookFired(base, this.context.newUuid(), "SessionEnd", { reason: "other" })
  }
}
