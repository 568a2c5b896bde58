// The Durable Object of a session: receives RPC calls, feed sockets and alarms; hands them to the session it holds.
// Invariant: an object whose session was never created, or was erased, answers `not_found_error` and writes nothing.
import { DurableObject } from "cloudflare:workers"
import { Effect, type ManagedRuntime } from "effect"
import type { Env } from "../schemas/env.ts"
import { EventNames } from "../schemas/events.ts"
import type { MessagesApi } from "../model/messages-api.ts"
import {
  type CreateArgs,
  type EraseReceipt,
  ERROR_STATUS,
  type ForkArgs,
  type RpcError,
  type RpcResult,
  type SessionInfo,
  type SessionRpc,
} from "../schemas/session-rpc.ts"
import { eraseSession } from "../store/sessions.ts"
import { queueBatches, queueMessagesOf, sendToQueue } from "../store/delivery/hook-message.ts"
import { projectParts } from "../views/parts.ts"
import { pendingAsk } from "./ask-book.ts"
import { openFrames } from "./ask-frames.ts"
import { Feed } from "./feed.ts"
import { answerArchiveRequest, answerFileRequest, diffFiles, rewindFiles, toFilesPage } from "./files.ts"
import { ClientSockets } from "./client-sockets.ts"
import { formOf } from "./listener.ts"
import { logLine } from "./log-line.ts"
import type { SessionLog } from "./log.ts"
import { Meta, newRecord, type SessionRecord } from "./meta.ts"
import { modelRuntime } from "./model-runtime.ts"
import { HEARTBEAT_MS, openSession, type OpenSession } from "./open-session.ts"
import { finishFork, forkedRecord, importFork, ParentLost } from "./fork-import.ts"
import { writeHistory } from "./history.ts"
import { isRefusal, otherRequest, type Refusal } from "./refusal.ts"
import { CountedSql, createTables, hasTables } from "./tables.ts"

/** How long a key remembers which session it meant. */
const CLAIM_MS = 24 * 60 * 60 * 1000

/** The newest checkpoints are listed, so many at most. */
const MAX_CHECKPOINTS = 10_000

export class SessionObject extends DurableObject<Env> implements SessionRpc {
  readonly #sql: CountedSql
  readonly #tenant: string
  readonly #id: string
  readonly #feed: Feed
  readonly #sockets: ClientSockets
  #runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never> | null = null
  #open: OpenSession | null = null
  #erased = false
  /** Settles when the copy that is being made is done, or has failed. */
  #forking: Promise<null> | null = null
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql = new CountedSql(ctx.storage.sql)
    const name = ctx.id.name ?? ""
    const slash = name.indexOf("/")
    this.#tenant = name.slice(0, slash)
    this.#id = name.slice(slash + 1)
    this.#feed = new Feed({
      accept: (socket) => ctx.acceptWebSocket(socket),
      sockets: () => ctx.getWebSockets(),
      log: () => this.#mustBeOpen().log,
      turnWantsPartials: () => this.#open?.session.runningOptions.includePartialMessages === true,
      partialNow: () => this.#partialNow(),
      busy: () => this.#mustBeOpen().session.inbox.head() !== undefined,
      unanswered: (client) => this.#unanswered(client),
      missed: (client) => this.#mustBeOpen().clients.missed(client),
    })
    this.#sockets = new ClientSockets({
      feed: this.#feed,
      session: () => this.#open,
      changed: (leaving) => this.#lookAfter(leaving),
      keepAlive: (work) => ctx.waitUntil(work),
    })
    // A client's sign of life is answered without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(KEEP_ALIVE, KEEP_ALIVE))
    if (hasTables(this.#sql)) void ctx.blockConcurrencyWhile(() => this.#wake())
  }

  /** Rows written since the object started. */
  get rowsWritten(): number {
    return this.#sql.rowsWritten
  }

  async #wake(): Promise<void> {
    const meta = new Meta(this.#sql)
    const record = meta.get("session")
    if (record === undefined) {
      this.#erased = meta.get("erased") !== undefined
      // A fork that was cut off: whoever asked for it was told nothing, and asks again.
      if (meta.get("forking") !== undefined) await this.#removeAll()
      return
    }
    this.#alarmAt = await this.ctx.storage.getAlarm()
    this.#open = this.#build(record, meta)
    if (this.env.PERCH_LOG === "debug") logLine("debug", "session object started", { session: this.#id })
    this.#open.background.recover()
    this.#open.runner.start()
  }

  #build(record: SessionRecord, meta: Meta): OpenSession {
    this.#runtime ??= modelRuntime(this.env)
    return openSession({
      tenant: this.#tenant,
      id: this.#id,
      ctx: this.ctx,
      env: this.env,
      sql: this.#sql,
      meta,
      record,
      feed: this.#feed,
      runtime: this.#runtime,
      armAlarm: (at) => this.#armAlarm(at),
      flush: () => this.#flush(),
      lookAfter: () => this.#lookAfter(),
      interrupt: () => this.#stopTurn(),
    })
  }

  #mustBeOpen(): OpenSession {
    if (this.#open === null) throw new Error("the session does not exist")
    return this.#open
  }

  /** Answers with the session, or says that there is none. */
  async #with<A>(use: (open: OpenSession) => Promise<A | Refusal> | A | Refusal): Promise<RpcResult<A>> {
    if (this.#open === null) return notFound
    const value = await use(this.#open)
    return isRefusal(value) ? { ok: false, error: value.refused } : { ok: true, value }
  }

  /** What a client whose connection came back is asked again. */
  #unanswered(client: string) {
    const { session, clients } = this.#mustBeOpen()
    return [...openFrames(session.asks.open), ...clients.unanswered(client)]
  }

  #partialNow() {
    const current = this.#open?.runner.current
    if (current == null || !current.live.open) return null
    return {
      turn: current.turn,
      events: current.live.decoder.partial(),
      wrap: (event: unknown) => ({
        type: "stream_event",
        event,
        session_id: this.#id,
        parent_tool_use_id: null,
        uuid: crypto.randomUUID(),
      }),
    }
  }

  // ---- the session's life

  async create(args: CreateArgs): Promise<RpcResult<{ readonly session: SessionInfo; readonly created: boolean }>> {
    const made = this.#create(args)
    if (isRefusal(made)) return { ok: false, error: made.refused }
    return { ok: true, value: { session: this.#mustBeOpen().session.info(), created: made } }
  }

  /** What there is under this id already: the same request's session (`false`), or a reason why it can't be made. */
  #taken(fingerprint: string | undefined): false | Refusal | undefined {
    if (this.#erased) return conflict("a session with this id was deleted; ids are not used again")
    if (this.#forking !== null) return conflict("a session with this id is being made")
    if (this.#open === null) return this.#claimed === undefined ? undefined : otherRequest
    if (fingerprint === undefined) return conflict("a session with this id exists")
    return fingerprint === this.#open.session.record.fingerprint ? false : otherRequest
  }

  get #claimed() {
    return hasTables(this.#sql) ? new Meta(this.#sql).get("claim") : undefined
  }

  #create(args: CreateArgs): boolean | Refusal {
    const taken = this.#taken(args.fingerprint)
    if (taken !== undefined) return taken
    const record = newRecord(this.#tenant, this.#id, args, Date.now())
    this.ctx.storage.transactionSync(() => {
      createTables(this.#sql)
      new Meta(this.#sql).set("session", record)
    })
    this.#open = this.#build(record, new Meta(this.#sql))
    const { session, log } = this.#open
    session.append([{ name: EventNames.sessionCreated, payload: { ...args.session } }], () =>
      writeHistory(log, session.inbox, args.history ?? []),
    )
    this.#flush()
    this.#lookAfter()
    return true
  }

  /** Copies another session. Nothing of it is there before all of it is. */
  async fork(args: ForkArgs): ReturnType<SessionRpc["fork"]> {
    // A request that is sent again gets what the first one made.
    while (this.#forking !== null) await this.#forking
    const taken = this.#taken(args.fingerprint)
    if (isRefusal(taken)) return { ok: false, error: taken.refused }
    if (taken === undefined) {
      const forked = this.#fork(args)
      this.#forking = Promise.allSettled([forked]).then(() => (this.#forking = null))
      const refused = await forked
      if (refused !== undefined) return { ok: false, error: refused }
    }
    return { ok: true, value: { session: this.#mustBeOpen().session.info(), created: taken === undefined } }
  }

  async #fork(args: ForkArgs): Promise<RpcError | undefined> {
    const { sql, tenant, id } = { sql: this.#sql, tenant: this.#tenant, id: this.#id }
    const { storage } = this.ctx
    const source = this.env.SESSIONS.getByName(`${tenant}/${args.parent}`)
    const started = await source.exportStart(args.at === undefined ? {} : { at: args.at })
    if (!started.ok) return started.error
    // If this process dies meanwhile, the alarm wakes the object and what it has is removed.
    this.#armAlarm(Date.now() + HEARTBEAT_MS)
    const transactionSync = <A>(run: () => A): A => storage.transactionSync(run)
    const deps = { sql, transactionSync, now: () => Date.now(), tenant, id, source }
    try {
      await importFork(deps, args.parent, started.value)
    } catch (error) {
      await this.#removeAll()
      if (error instanceof ParentLost) return { type: "not_found_error", message: error.message }
      throw error
    }
    const record = forkedRecord(deps, started.value, args)
    const open = storage.transactionSync(() => {
      finishFork(sql, record)
      const made = this.#build(record, new Meta(sql))
      made.session.resumption.beginFork(args.parent, started.value.head)
      return made
    })
    this.#open = open
    this.#flush()
    this.#lookAfter()
    return undefined
  }

  async #removeAll(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    this.#alarmAt = null
  }

  async exportStart({ at }: Parameters<SessionRpc["exportStart"]>[0]): ReturnType<SessionRpc["exportStart"]> {
    return this.#with(({ forkExport }) => forkExport.start(at))
  }

  async exportLog({ cut, after }: Parameters<SessionRpc["exportLog"]>[0]): ReturnType<SessionRpc["exportLog"]> {
    return this.#with(({ forkExport }) => forkExport.events(cut, after))
  }

  async exportFiles({ cut, after }: Parameters<SessionRpc["exportFiles"]>[0]): ReturnType<SessionRpc["exportFiles"]> {
    return this.#with(({ forkExport }) => forkExport.files(cut, after))
  }

  async exportBlobs(args: Parameters<SessionRpc["exportBlobs"]>[0]): ReturnType<SessionRpc["exportBlobs"]> {
    return this.#with(({ forkExport }) => forkExport.blobs(args.hashes, args.from))
  }

  async claim({ fingerprint, session }: Parameters<SessionRpc["claim"]>[0]): ReturnType<SessionRpc["claim"]> {
    while (this.#forking !== null) await this.#forking
    const claimed = this.#claimed
    const taken =
      claimed === undefined ? this.#taken(fingerprint) : claimed.fingerprint === fingerprint ? false : otherRequest
    if (isRefusal(taken)) return { ok: false, error: taken.refused }
    if (taken === false) return { ok: true, value: { session: claimed?.session ?? this.#id } }
    this.ctx.storage.transactionSync(() => {
      createTables(this.#sql)
      new Meta(this.#sql).set("claim", { fingerprint, session })
    })
    this.#armAlarm(Date.now() + CLAIM_MS)
    return { ok: true, value: { session } }
  }

  async reopen(args: Parameters<SessionRpc["reopen"]>[0]): Promise<RpcResult<SessionInfo>> {
    return this.#with(({ session }) => {
      const refused = session.resumption.takeUp(args)
      if (refused !== undefined) return refused
      this.#flush()
      this.#lookAfter()
      return session.info()
    })
  }

  async info(): Promise<RpcResult<SessionInfo>> {
    return this.#with(({ session }) => session.info())
  }

  async patch(change: Parameters<SessionRpc["patch"]>[0]): Promise<RpcResult<SessionInfo>> {
    return this.#with(({ session }) => {
      session.patch(change)
      this.#flush()
      this.#lookAfter()
      return session.info()
    })
  }

  async erase(): ReturnType<SessionRpc["erase"]> {
    return this.#with(async (open) => {
      open.session.close()
      try {
        await this.#stopTurn()
        return await this.#eraseAll(open)
      } finally {
        // Still here: what went wrong is told to the client, who may try again.
        if (this.#open !== null) {
          open.session.reopen()
          open.background.reopen()
        }
      }
    })
  }

  /** D1 first: from then on the session is not listed, and what is late is not stored. */
  async #eraseAll({ session, log, workspace, outbox, background }: OpenSession): Promise<EraseReceipt> {
    background.close()
    session.append([session.endEvent()])
    const events = log.lastSeq
    const { nodes: files } = workspace.totals()
    const ended = log.read({ after: events - 1, limit: 1, order: "asc" }).map((stored) => stored.event)
    const batches = queueBatches(queueMessagesOf(this.#tenant, this.#id, ended))
    const at = new Date().toISOString()
    await Effect.runPromise(
      Effect.andThen(sendToQueue(this.env.HOOKS, batches), eraseSession(this.env.DB, this.#tenant, this.#id, at)),
    )
    for (const socket of this.ctx.getWebSockets()) socket.close(1000, "the session was deleted")
    outbox.stop()
    this.#open = null
    this.#erased = true
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
    this.#alarmAt = null
    createTables(this.#sql)
    new Meta(this.#sql).set("erased", { at: Date.parse(at) })
    return { id: this.#id, deleted: true, deleted_at: at, events, files }
  }

  // ---- prompts and their turns

  async submit(args: Parameters<SessionRpc["submit"]>[0]): ReturnType<SessionRpc["submit"]> {
    if (args.create !== undefined) {
      const made = this.#create(args.create)
      if (isRefusal(made)) return { ok: false, error: made.refused }
    }
    return this.#with(async ({ session }) => {
      if (args.onBusy === "interrupt" && session.inbox.find(args.turn) === undefined) await this.#stopTurn()
      return session.prompts.submit(args)
    })
  }

  async wait(turn: string, timeoutMs: number): ReturnType<SessionRpc["wait"]> {
    return this.#with(async ({ session }) => (await session.prompts.wait(turn, timeoutMs)) ?? noTurn)
  }

  async interrupt(): ReturnType<SessionRpc["interrupt"]> {
    return this.#with(async ({ session }) => {
      const queued = session.inbox.open.slice(1).map((entry) => entry.turn)
      const interrupted = await this.#stopTurn()
      return { interrupted, still_queued: queued }
    })
  }

  async #stopTurn(): Promise<boolean> {
    const { session, runner } = this.#mustBeOpen()
    const parked = session.questions.parkedEntry()
    if (parked === undefined) return runner.interrupt()
    await runner.interruptParked(parked)
    return true
  }

  // ---- questions

  async asks(): ReturnType<SessionRpc["asks"]> {
    return this.#with(({ session }) => session.asks.open.map(pendingAsk))
  }

  async answer(requestId: string, answer: Record<string, unknown>): ReturnType<SessionRpc["answer"]> {
    return this.#with(
      ({ session }) =>
        session.questions.answer(requestId, answer) ?? { request_id: requestId, status: "settled" as const },
    )
  }

  /** Frames that a client sends by HTTP. */
  async clientFrames(
    ...[client, frames]: Parameters<SessionRpc["clientFrames"]>
  ): ReturnType<SessionRpc["clientFrames"]> {
    return this.#with(({ control }) => {
      for (const frame of frames) control.take(client, frame, crypto.randomUUID())
      return { accepted: frames.length }
    })
  }

  // ---- reading

  async events(query: Parameters<SessionRpc["events"]>[0]): ReturnType<SessionRpc["events"]> {
    return this.#with(({ log }) => {
      const found = log.read({ ...query, limit: query.limit + 1 })
      const events = found.slice(0, query.limit).map((stored) => stored.event)
      return { events, has_more: found.length > query.limit, last_seq: log.lastSeq }
    })
  }

  async messages(query: Parameters<SessionRpc["messages"]>[0]): ReturnType<SessionRpc["messages"]> {
    return this.#with(({ log }) => {
      const all = projectParts(this.#id, events(log))
      const from = query.after === undefined ? 0 : all.findIndex((message) => message.info.id === query.after) + 1
      if (query.after !== undefined && from === 0) return noMessage
      const page = all.slice(from, from + query.limit)
      return { messages: page as ReadonlyArray<unknown>, has_more: from + query.limit < all.length }
    })
  }

  async todos(): ReturnType<SessionRpc["todos"]> {
    return this.#with(({ session }) => ({ todos: session.todos() }))
  }

  async cost(): ReturnType<SessionRpc["cost"]> {
    return this.#with(({ session }) => session.cost())
  }

  async tools(): ReturnType<SessionRpc["tools"]> {
    return this.#with(({ toolCalls }) => toolCalls.listed())
  }

  async callTool(...call: Parameters<SessionRpc["callTool"]>): ReturnType<SessionRpc["callTool"]> {
    return this.#with(({ toolCalls }) => toolCalls.call(...call))
  }

  async files(query: Parameters<SessionRpc["files"]>[0]): ReturnType<SessionRpc["files"]> {
    return this.#with(({ workspace }) => toFilesPage(workspace, query))
  }

  async rewind(args: Parameters<SessionRpc["rewind"]>[0]): ReturnType<SessionRpc["rewind"]> {
    return this.#with((open) => rewindFiles(open, args))
  }

  async diff(query: Parameters<SessionRpc["diff"]>[0]): ReturnType<SessionRpc["diff"]> {
    return this.#with(({ workspace }) => diffFiles(workspace, query))
  }

  async checkpoints(): ReturnType<SessionRpc["checkpoints"]> {
    return this.#with(({ workspace }) => ({ checkpoints: workspace.checkpoints().slice(-MAX_CHECKPOINTS) }))
  }

  // ---- sockets, files, alarm

  override async fetch(request: Request): Promise<Response> {
    if (this.#open === null) return Response.json(notFound.error, { status: 404 })
    const url = new URL(request.url)
    if (url.pathname === "/feed") return this.#sockets.open(url, "feed")
    if (url.pathname === "/socket") return this.#sockets.open(url, formOf(url))
    if (url.pathname.startsWith("/files/")) return answerFileRequest(this.#open.workspace, request, url)
    if (url.pathname === "/archive") return answerArchiveRequest(this.#open.workspace, request, url)
    return Response.json({ type: "not_found_error", message: "no such path" }, { status: ERROR_STATUS.not_found_error })
  }

  /** Lines of a client of the control protocol. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sockets.message(socket, message)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#sockets.left(socket, code === 1000 || code === 1001)
    // 1005 and 1006 say that no code came; they may not be sent back.
    socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.left(socket, false)
  }

  #armAlarm(at: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= at) return
    this.#alarmAt = at
    void this.ctx.storage.setAlarm(at)
  }

  /** Arms the next alarm first, then looks after what is due. Never waits for a turn, never throws. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null
    const now = Date.now()
    if (this.#open === null) {
      if (this.#forking !== null) this.#armAlarm(now + HEARTBEAT_MS)
      else if (this.#claimed !== undefined) await this.#removeAll()
      return
    }
    const { session, runner, outbox, background } = this.#open
    background.recover()
    if (session.runnable() !== undefined || background.running().length > 0) this.#armAlarm(now + HEARTBEAT_MS)
    const expiry = Math.min(...session.asks.open.map((ask) => ask.expiresAt).filter((at) => at > now))
    if (Number.isFinite(expiry)) this.#armAlarm(expiry)
    session.questions.expire()
    runner.start()
    if (outbox.behind) this.#flush()
    this.#lookAfter()
  }

  /** A session that is not to be kept goes once nobody is there. */
  #lookAfter(leaving?: WebSocket): void {
    if (this.#open === null || this.#open.session.closed || !this.#open.unkept.isOver(leaving)) return
    this.ctx.waitUntil(
      this.erase().then(
        () => undefined,
        (error: unknown) => {
          logLine("warn", "a session that is not kept could not be erased and will be tried again", {
            session: this.#id,
            error,
          })
          this.#armAlarm(Date.now() + HEARTBEAT_MS)
        },
      ),
    )
  }

  /** Sends what D1 and the Queue lack, beside whatever runs; a failure arms the alarm. */
  #flush(): void {
    if (this.#open === null) return
    const { outbox } = this.#open
    // If this process dies before the flush is done, the alarm does it.
    if (outbox.behind) this.#armAlarm(Date.now() + HEARTBEAT_MS)
    this.ctx.waitUntil(
      outbox.flush().then(() => {
        if (outbox.retryAt !== null && this.#open !== null) this.#armAlarm(outbox.retryAt)
      }),
    )
  }
}

/** The official browser client's line, byte for byte. */
const KEEP_ALIVE = '{"type":"keep_alive"}\n'

const notFound = { ok: false, error: { type: "not_found_error", message: "there is no such session" } } as const
const noTurn: Refusal = { refused: { type: "not_found_error", message: "there is no such turn in this session" } }

const noMessage: Refusal = {
  refused: { type: "not_found_error", message: "there is no such message in this session" },
}

const conflict = (message: string): Refusal => ({ refused: { type: "conflict_error", message } })

function* events(log: SessionLog) {
  for (const stored of log.all()) yield stored.event
}
