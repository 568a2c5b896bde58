// Receives a session that exists; returns its parts wired together: log, workspace, runner and outbox.
import type { ManagedRuntime } from "effect"
import type { Hooks } from "../agent/ports.ts"
import type { MessagesApi } from "../model/messages-api.ts"
import { fetchSettings, guardedFetch, hookFetchSettings } from "../net/guarded-fetch.ts"
import { writeTurn } from "../observe/data-points.ts"
import { TurnMeter } from "../observe/turn-meter.ts"
import type { Env } from "../schemas/env.ts"
import type { CallFinished } from "../schemas/log/event-payloads.ts"
import { EventNames } from "../schemas/log/events.ts"
import { PageCache } from "../tools/web/page-cache.ts"
import { Workspace } from "../workspace/workspace.ts"
import { BackgroundTasks } from "./turns/background-tasks.ts"
import type { Feed } from "./feed/feed.ts"
import { ceilingOf, quotasOf } from "./files/files.ts"
import { logLine } from "./server-log.ts"
import { SessionLog } from "./storage/log.ts"
import type { Meta, OutboxCursors, SessionRecord } from "./storage/meta.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { Clients } from "./control/clients.ts"
import { Control } from "./control/control.ts"
import { clientControl } from "./control/client-control.ts"
import { ForkExport } from "./fork/fork-export.ts"
import { headMovesOf } from "./storage/head.ts"
import { HookPort } from "./hooks/hook-port.ts"
import { McpServers } from "./control/mcp-servers.ts"
import { ledgerOf } from "./storage/tool-ledger.ts"
import { isOffline } from "./turns/model-runtime.ts"
import { Outbox } from "./storage/outbox.ts"
import { Session } from "./session.ts"
import type { CountedSql } from "./storage/tables.ts"
import { ToolCalls } from "./turns/direct-tool-call.ts"
import { EphemeralSession } from "./storage/ephemeral.ts"
import type { Refusal } from "./refusal.ts"
import type { TenantShare } from "./turns/tenant-share.ts"
import { TurnRunner } from "./turns/turn-runner.ts"
import { type TurnServiceDeps, turnServices } from "./turns/turn-services.ts"
import { Generation } from "./turns/generation.ts"
import { invocationOf } from "./turns/invocation.ts"
import { webhookSecrets } from "./hooks/webhook-secrets.ts"

/** From the end of a turn to the flush of what it wrote. */
const FLUSH_AFTER_MS = 300
/** An idle session keeps at most this much of its conversation (characters of JSON). */
const IDLE_MEMORY = 1024 * 1024
const NOTHING_SENT: OutboxCursors = { d1_seq: 0, queue_seq: 0, head_seq: 0, stored_seq: 0 }

export interface OpenSession {
  readonly forkExport: ForkExport
  readonly ephemeral: EphemeralSession
  readonly session: Session
  readonly log: SessionLog
  readonly workspace: Workspace
  readonly runner: TurnRunner
  readonly outbox: Outbox
  readonly toolCalls: ToolCalls
  readonly clients: Clients
  readonly hooks: Hooks["Service"]
  readonly control: Control
  readonly background: BackgroundTasks
  readonly share: TenantShare
  /** Whether a prompt may be taken: null when it may. A promise when the tenant's object must be asked. */
  readonly admit: () => Refusal | null | Promise<Refusal | null>
}

export interface OpenSessionDeps {
  readonly tenant: string
  readonly id: string
  readonly ctx: DurableObjectState
  readonly env: Env
  readonly sql: CountedSql
  readonly meta: Meta
  readonly record: SessionRecord
  readonly feed: Feed
  readonly share: TenantShare
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  readonly armAlarm: (at: number) => void
  /** Sends to D1 and the Queue what they lack. */
  readonly flush: () => void
  /** Ends the session when it is not to be kept and nobody is there. */
  readonly lookAfter: () => void
  /** Ends the turn that runs or waits. */
  readonly interrupt: () => Promise<boolean>
}

/** Whether something goes on without another line of a client: a turn, or a command whose end begins one. */
export const isBusy = ({ session, background }: Pick<OpenSession, "session" | "background">): boolean =>
  session.inbox.head() !== undefined || background.running().length > 0

export const openSession = (deps: OpenSessionDeps): OpenSession => {
  const { ctx, env, sql, meta, feed } = deps
  const now = () => Date.now()
  const newUuid = () => crypto.randomUUID()
  const transactionSync = <A>(run: () => A): A => ctx.storage.transactionSync(run)
  const ceiling = ceilingOf(env.PERCH_WORKSPACE_LIMITS)
  const workspace = new Workspace({ sql, transactionSync }, now, {
    directories: [deps.record.cwd],
    quotas: () => quotasOf(session.record.options, ceiling),
  })
  const log: SessionLog = new SessionLog({
    sql,
    transactionSync,
    now,
    newUuid,
    onAppended: (events) => {
      feed.publish(events)
      for (const { event } of events) meter.see(event)
      if (outbox.isDue()) deps.flush()
    },
    onRollback: () => {
      session.rolledBack()
      background.reload()
    },
  })
  const session: Session = new Session({
    sql,
    meta,
    log,
    workspace,
    record: deps.record,
    now,
    newUuid,
    wake: () => runner.start(),
    alarmAt: deps.armAlarm,
    serverRules: () => mcp.rules(),
    limits: () => deps.share.limits,
  })
  const { share } = deps
  /** A prompt behind a turn has that turn's slot. */
  const admit = () => (session.inbox.head() === undefined ? share.beginTurn() : null)
  const giveBack = () => {
    if (session.inbox.head() === undefined) share.endTurn()
  }
  const tellIdle = () => {
    if (!isBusy({ session, background })) feed.mark("=idle")
  }
  const background = new BackgroundTasks({
    sessionId: deps.id,
    folder: `${deps.record.cwd === "/" ? "" : deps.record.cwd}/.perch/tasks`,
    meta,
    append: (events, change) => session.append(events, change),
    notice: (text, origin) => session.prompts.notice(text, origin),
    ended: (id) => session.memory.endedTask(id),
    wake: () => {
      runner.start()
      deps.flush()
    },
    keepAlive: (work) => {
      ctx.waitUntil(work)
      deps.armAlarm(now() + CHECK_INTERVAL_MS)
    },
    changed: tellIdle,
    now,
    newUuid,
  })
  const cursors = (): OutboxCursors => meta.get("outbox") ?? NOTHING_SENT
  const outbox: Outbox = new Outbox({
    tenant: deps.tenant,
    sessionId: deps.id,
    db: env.DB,
    queue: env.HOOKS,
    webhooks: env.WEBHOOKS,
    lastSeq: () => log.lastSeq,
    read: (after, limit) => log.read({ after, limit, order: "asc" }).map((stored) => stored.event),
    headMoves: () => headMovesOf(log),
    foldFrom: (seq) => session.inbox.firstOpenAt(seq) ?? seq + 1,
    info: () => session.info(),
    hookSeqs: (after, through, limit) => log.seqsNamed(EventNames.hookFired, { after, through, limit }),
    eventAt: (seq) => log.at(seq)?.event,
    copiedThrough: () => log.lastNamed(EventNames.sessionForked)?.event.payload.through ?? 0,
    load: cursors,
    // JSON has no undefined: a cursor that is removed is not written.
    save: (change) => meta.set("outbox", { ...cursors(), ...change } as OutboxCursors),
    now,
  })
  const meter = new TurnMeter({
    tenant: deps.tenant,
    sessionId: deps.id,
    requestsOf: (turn) => requestsOfTurn(log, turn),
    report: (report) => {
      if (env.PERCH_LOG !== "quiet") logLine("info", "turn", { ...report })
      writeTurn(env.METRICS, report)
    },
  })
  const clients = new Clients({
    meta,
    send: (client, frame) => feed.frame(client, frame),
    isAttached: (client) => feed.isAttached(client),
    now,
  })
  const mcp = new McpServers(clients, newUuid)
  const hooks = new HookPort({
    clients,
    sessionId: deps.id,
    options: () => session.runningOptions,
    media: log.media,
    fetch: guardedFetch(hookFetchSettings(env)),
    secrets: webhookSecrets({ db: env.DB, tenant: deps.tenant, rootKey: env.PERCH_ROOT_KEY, now, newUuid }),
    now,
    fired: (event) => session.fired(event),
    newUuid,
  }).service
  const web = {
    fetch: guardedFetch(fetchSettings(env.PERCH_FETCH_ALLOW, env.PERCH_FETCH_RESOLVER)),
    pages: new PageCache(now),
  }
  const apiKeySource = isOffline(env) ? "none" : "ANTHROPIC_API_KEY"
  const services: TurnServiceDeps = {
    ledger: ledgerOf(sql, now),
    workspace,
    web,
    now,
    newUuid,
    apiKeySource,
    hooks,
    background,
    mcp,
    emit: (event) => feed.emit(event),
    beforeModelRequest: () => feed.deferFlush(),
    wantsPartials: (turn) => feed.wantsPartials(turn),
    listeners: () => feed.size,
  }
  let flushing: ReturnType<typeof setTimeout> | null = null
  /**
   * Turns that follow one another are sent together: at the end of the next one, if it runs by then, or when it has run
   * for long. If this process dies before, the heartbeat's alarm sends them.
   */
  const flushSoon = () => {
    flushing ??= setTimeout(() => {
      flushing = null
      if (runner.current === null) deps.flush()
    }, FLUSH_AFTER_MS)
  }
  const runner: TurnRunner = new TurnRunner({
    sessionId: deps.id,
    runtime: deps.runtime,
    next: () => (toolCalls.changing ? undefined : session.runnable()),
    parked: () => session.asks.parkedEntry(),
    services: (entry, signal, run) => turnServices(session, services, entry, signal, run),
    generation: new Generation(meta),
    hasBegun: (turn) => {
      const { tally } = session.memory.accounting
      return tally?.turn === turn && tally.started
    },
    lastSeq: () => log.lastSeq,
    invocation: invocationOf(env),
    handOver: () => deps.armAlarm(now()),
    now,
    ready: () => mcp.ready,
    park: (turn) => session.asks.park(turn),
    heartbeat: () => {
      deps.armAlarm(now() + CHECK_INTERVAL_MS)
      share.resumeTurn()
    },
    idle: () => {
      share.endTurn()
      tellIdle()
      session.dropMemory(IDLE_MEMORY)
      flushSoon()
      deps.lookAfter()
    },
    keepAlive: (work) => ctx.waitUntil(work),
    rowsWritten: () => sql.rowsWritten,
    debug: env.PERCH_LOG === "debug",
  })
  const toolCalls: ToolCalls = new ToolCalls({
    session,
    log,
    workspace,
    web,
    runtime: deps.runtime,
    hooks,
    mcpTools: () => mcp.tools,
    mcpRejected: () => mcp.rejected(),
    now,
    newUuid,
    changed: () => {
      runner.start()
      deps.flush()
    },
  })
  const control = new Control({
    session,
    clients,
    handlers: clientControl({
      session,
      clients,
      mcp,
      hooks,
      workspace,
      log,
      apiKeySource,
      background,
      interrupt: deps.interrupt,
      runtime: deps.runtime,
      withdraw: (requestId) => feed.withdraw(requestId),
      admit,
      requested: giveBack,
      newUuid,
      now,
    }),
    send: (client, frame) => clients.reply(client, frame),
    admit,
    submitted: giveBack,
    holdEvents: () => feed.hold(),
    keepAlive: (work) => ctx.waitUntil(work),
    newUuid,
  })
  const forkExport = new ForkExport({ sql, session, log, workspace, newUuid })
  const ephemeral = new EphemeralSession({
    meta,
    applies: () => session.record.options.persistSession === false,
    attached: (leaving) =>
      ctx.getWebSockets().some((socket) => socket !== leaving && socket.readyState === WebSocket.OPEN),
    busy: () => session.inbox.head() !== undefined,
    lastAt: () => log.lastAt,
    now,
    alarmAt: deps.armAlarm,
  })
  const turns = { session, runner, share, admit }
  return { ...turns, forkExport, ephemeral, log, workspace, outbox, toolCalls, clients, hooks, control, background }
}

/** Of a turn that another process began, at most this many requests are summed. */
const MOST_REQUESTS = 10_000

const requestsOfTurn = (log: SessionLog, turn: string): ReadonlyArray<CallFinished> =>
  log
    .read({ after: 0, limit: MOST_REQUESTS, order: "asc", name: EventNames.callFinished, turn })
    .map(({ event }) => event.payload)
