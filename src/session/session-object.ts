// The Durable Object of a session: receives RPC calls, feed sockets and alarms; hands them to the session it holds.
// Invariant: an object whose session was never created, or was erased, answers `not_found_error` and writes nothing.
import { DurableObject } from "cloudflare:workers"
import { type ManagedRuntime, Schema } from "effect"
import type { MessagesApi } from "../model/messages-api.ts"
import { Actor, ACTOR_HEADER } from "../schemas/access.ts"
import type { Env } from "../schemas/env.ts"
import { ERROR_STATUS, type RpcResult } from "../schemas/errors/rpc-error.ts"
import type { SessionRpc } from "../schemas/rpc/session-rpc.ts"
import { StoreError } from "../store/store-error.ts"
import { Blobs } from "../workspace/blobs.ts"
import { Alarm, CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { exportPage } from "./backup/session-export.ts"
import { pendingAsk } from "./storage/ask-store.ts"
import { SessionCreation } from "./creation.ts"
import { runningAnswer, unanswered } from "./feed/catch-up.ts"
import { ClientSockets } from "./control/client-sockets.ts"
import { SessionErasure } from "./erasure.ts"
import { Feed } from "./feed/feed.ts"
import {
  answerArchiveRequest,
  answerFileRequest,
  diffFiles,
  newestCheckpoints,
  rewindFiles,
  toFilesPage,
} from "./files/files.ts"
import { clientName, formOf } from "./feed/listener.ts"
import { logLine } from "./server-log.ts"
import { Media } from "./media/media.ts"
import { Meta, type SessionRecord } from "./storage/meta.ts"
import { modelRuntime } from "./turns/model-runtime.ts"
import { isBusy, type OpenSession, openSession } from "./wire-session.ts"
import { eventsPage } from "./pages/events-page.ts"
import { mediaResponse } from "./pages/media-response.ts"
import { messagesResponse } from "./pages/messages-page.ts"
import { isRefusal, type Refusal, refuse } from "./refusal.ts"
import { SocketWatch } from "./access/socket-watch.ts"
import { CountedSql, createTables, hasTables } from "./storage/tables.ts"
import { TenantShare } from "./turns/tenant-share.ts"
import { Maintenance } from "./maintenance.ts"

export class SessionObject extends DurableObject<Env> implements SessionRpc {
  readonly #sql: CountedSql
  readonly #tenant: string
  readonly #id: string
  readonly #feed: Feed
  readonly #sockets: ClientSockets
  readonly #share: TenantShare
  readonly #alarm: Alarm
  readonly #creation: SessionCreation
  readonly #maintenance: Maintenance
  readonly #erasure: SessionErasure
  readonly #watch: SocketWatch
  #runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never> | null = null
  #open: OpenSession | null = null
  #erased = false

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
      partialNow: () => (this.#open === null ? null : runningAnswer(this.#open, this.#id)),
      busy: () => isBusy(this.#mustBeOpen()),
      asks: () => this.#mustBeOpen().session.askStore.open.map(pendingAsk),
      unanswered: (client, answers) => unanswered(this.#mustBeOpen(), client, answers),
      missed: (client) => this.#mustBeOpen().clients.missed(client),
    })
    this.#sockets = new ClientSockets({
      feed: this.#feed,
      session: () => this.#open,
      limits: () => this.#share.limits,
      changed: (leaving) => this.#erasure.lookAfter(leaving),
      keepAlive: (work) => ctx.waitUntil(work),
    })
    this.#share = new TenantShare({
      env,
      tenant: this.#tenant,
      id: this.#id,
      keepAlive: (work) => ctx.waitUntil(work),
      now: () => Date.now(),
    })
    this.#alarm = new Alarm(ctx.storage)
    const shared = {
      tenant: this.#tenant,
      id: this.#id,
      sql: this.#sql,
      alarm: this.#alarm,
      open: () => this.#open,
      keepAlive: (work: Promise<void>) => ctx.waitUntil(work),
      now: () => Date.now(),
    }
    this.#creation = new SessionCreation({
      ...shared,
      transactionSync: (run) => ctx.storage.transactionSync(run),
      other: (id) => env.SESSIONS.getByName(`${this.#tenant}/${id}`),
      erased: () => this.#erased,
      build: (record, meta) => this.#build(record, meta),
      begun: (open) => (this.#open = open),
      written: () => this.#written(),
    })
    this.#maintenance = new Maintenance(shared)
    this.#watch = new SocketWatch({ ...shared, db: env.DB, sockets: () => ctx.getWebSockets() })
    this.#erasure = new SessionErasure({
      ...shared,
      db: env.DB,
      queue: env.HOOKS,
      webhooks: env.WEBHOOKS,
      sockets: () => ctx.getWebSockets(),
      ended: () => {
        this.#open = null
        this.#erased = true
        this.#share.closeSession()
      },
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
      if (meta.get("forking") !== undefined) await this.#alarm.removeAll()
      return
    }
    // One that an earlier version made lacks the tables that came since.
    createTables(this.#sql)
    await this.#alarm.recall()
    this.#open = this.#build(record, meta)
    if (this.env.PERCH_LOG === "debug") logLine("debug", "session object started", { session: this.#id })
    // The process may have died before the tenant's object was told of the session.
    if (this.#open.outbox.report().d1_seq === 0) void this.#share.openSession()
    this.#open.background.recover()
    this.#open.runner.start()
    this.#maintenance.arise()
  }

  #build(record: SessionRecord, meta: Meta): OpenSession {
    this.#runtime ??= modelRuntime(this.env, (text) => new Media(new Blobs(this.#sql)).bytes(text))
    return openSession({
      tenant: this.#tenant,
      id: this.#id,
      ctx: this.ctx,
      env: this.env,
      sql: this.#sql,
      meta,
      record,
      feed: this.#feed,
      share: this.#share,
      runtime: this.#runtime,
      armAlarm: (at) => this.#alarm.arm(at),
      flush: () => this.#maintenance.flush(),
      lookAfter: () => this.#erasure.lookAfter(),
      interrupt: async () => this.#mustBeOpen().runner.stop(),
    })
  }

  #mustBeOpen(): OpenSession {
    if (this.#open === null) throw new Error("the session does not exist")
    return this.#open
  }

  /** Answers with the session, or says that there is none. */
  async #with<A>(use: (open: OpenSession) => Promise<A | Refusal> | A | Refusal): Promise<RpcResult<A>> {
    if (this.#open === null) return notFound
    try {
      return toResult(await use(this.#open))
    } catch (error) {
      if (error instanceof StoreError && error.unavailable === true) return UNAVAILABLE
      throw error
    }
  }

  /** A session was made or changed: others are to hear of it, and it may be one that nobody needs. */
  #written(): void {
    this.#maintenance.flush()
    this.#erasure.lookAfter()
  }

  // ---- the session's life

  async create(args: Parameters<SessionRpc["create"]>[0]): ReturnType<SessionRpc["create"]> {
    return this.#made(await this.#create(args))
  }

  async #create(args: Parameters<SessionRpc["create"]>[0]): Promise<boolean | Refusal> {
    const asked = this.#mayBegin()
    const refused = asked instanceof Promise ? await asked : asked
    if (refused !== null) return refused
    try {
      return this.#creation.create(args)
    } finally {
      this.#begunOrNot()
    }
  }

  async fork(args: Parameters<SessionRpc["fork"]>[0]): ReturnType<SessionRpc["fork"]> {
    const refused = await this.#mayBegin()
    if (refused !== null) return { ok: false, error: refused.refused }
    try {
      return this.#made(await this.#creation.fork(args))
    } finally {
      this.#begunOrNot()
    }
  }

  /** Whether a session may be made here. One that there is, or was, is for others to judge. */
  #mayBegin(): Refusal | null | Promise<Refusal | null> {
    return this.#open !== null || this.#erased ? null : this.#share.openSession()
  }

  /** A session that was not made after all is not counted. */
  #begunOrNot(): void {
    if (this.#open === null && !this.#erased) this.#share.closeSession()
  }

  #made(created: boolean | Refusal): Awaited<ReturnType<SessionRpc["create"]>> {
    return toResult(isRefusal(created) ? created : { session: this.#mustBeOpen().session.info(), created })
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

  async backupPage(cursor: Parameters<SessionRpc["backupPage"]>[0]): ReturnType<SessionRpc["backupPage"]> {
    const { env } = this
    const open = this.#open
    if (open === null) return notFound
    const deps = { tenant: this.#tenant, id: this.#id, sql: this.#sql, sealingKey: sealingKey(env) }
    return exportPage({ ...deps, lastSeq: () => open.log.lastSeq }, cursor)
  }

  async restorePage(...[page, actor]: Parameters<SessionRpc["restorePage"]>): ReturnType<SessionRpc["restorePage"]> {
    const isLast = page.next_cursor === null
    const refused = isLast ? await this.#mayBegin() : null
    if (refused !== null) return { ok: false, error: refused.refused }
    try {
      return toResult(await this.#creation.restore(page, sealingKey(this.env), actor))
    } finally {
      // One that was not made after all is not counted.
      if (isLast) this.#begunOrNot()
    }
  }

  async claim(args: Parameters<SessionRpc["claim"]>[0]): ReturnType<SessionRpc["claim"]> {
    return toResult(await this.#creation.claim(args))
  }

  async reopen(args: Parameters<SessionRpc["reopen"]>[0]): ReturnType<SessionRpc["reopen"]> {
    return this.#with(({ session }) => {
      const replayed = session.resumption.hasTaken(args.once)
      const refused = session.resumption.takeUp(args)
      if (refused !== undefined) return refused
      this.#written()
      return { session: session.info(), replayed }
    })
  }

  async info(): ReturnType<SessionRpc["info"]> {
    return this.#with(({ session, outbox }) => ({ ...session.info(), delivery: outbox.report() }))
  }

  async patch(...[change, actor]: Parameters<SessionRpc["patch"]>): ReturnType<SessionRpc["patch"]> {
    return this.#with(({ session }) => {
      const refused = session.patch(change, actor)
      if (refused !== undefined) return refused
      this.#written()
      return session.info()
    })
  }

  async erase(actor?: Actor): ReturnType<SessionRpc["erase"]> {
    return this.#with((open) => this.#erasure.erase(open, actor))
  }

  async rebuild(): ReturnType<SessionRpc["rebuild"]> {
    return this.#with(({ outbox }) => {
      // Breaks it off, the outbox is behind, and the alarm sends the rest.
      this.#alarm.arm(Date.now() + CHECK_INTERVAL_MS)
      return outbox.rebuild()
    })
  }

  // ---- prompts and their turns

  async submit(args: Parameters<SessionRpc["submit"]>[0]): ReturnType<SessionRpc["submit"]> {
    if (args.create !== undefined) {
      const made = await this.#create(args.create)
      if (isRefusal(made)) return { ok: false, error: made.refused }
    }
    return this.#with(async ({ session, runner, admit }) => {
      if (args.onBusy === "interrupt" && session.inbox.find(args.turn) === undefined) await runner.stop()
      const asked = admit()
      const refused = asked instanceof Promise ? await asked : asked
      if (refused !== null) return refused
      const submitted = session.prompts.submit(args)
      if (session.inbox.head() === undefined) this.#share.endTurn()
      return submitted
    })
  }

  async wait(turn: string, timeoutMs: number): ReturnType<SessionRpc["wait"]> {
    return this.#with(async ({ session }) => (await session.turnWaits.wait(turn, timeoutMs)) ?? noTurn)
  }

  async turn(...[turn, timeoutMs, until]: Parameters<SessionRpc["turn"]>): ReturnType<SessionRpc["turn"]> {
    return this.#with(async ({ session }) => {
      await session.turnWaits.wait(turn, timeoutMs, until)
      return session.turns.info(turn) ?? noTurn
    })
  }

  async turns(query: Parameters<SessionRpc["turns"]>[0]): ReturnType<SessionRpc["turns"]> {
    return this.#with(({ session }) => session.turns.page(query))
  }

  async interrupt(): ReturnType<SessionRpc["interrupt"]> {
    return this.#with(async ({ session, runner }) => {
      const queued = session.inbox.open.slice(1).map((entry) => entry.turn)
      const interrupted = await runner.stop()
      return { interrupted, still_queued: queued }
    })
  }

  // ---- questions

  async asks(): ReturnType<SessionRpc["asks"]> {
    return this.#with(({ session }) => session.askStore.open.map(pendingAsk))
  }

  async answer(...[requestId, answer, actor]: Parameters<SessionRpc["answer"]>): ReturnType<SessionRpc["answer"]> {
    return this.#with(
      ({ session }) =>
        session.asks.answer(requestId, answer, undefined, actor) ?? {
          request_id: requestId,
          status: "settled" as const,
          turn_id: session.askStore.find(requestId)?.turn ?? "",
        },
    )
  }

  /** Frames that a client sends by HTTP. */
  async clientFrames(
    ...[client, frames, actor]: Parameters<SessionRpc["clientFrames"]>
  ): ReturnType<SessionRpc["clientFrames"]> {
    return this.#with(({ control }) => {
      const name = clientName(client, actor)
      const taken = frames.filter((frame) => control.take(name, frame, crypto.randomUUID(), actor))
      return { accepted: taken.length }
    })
  }

  // ---- reading

  async todos(): ReturnType<SessionRpc["todos"]> {
    return this.#with(({ session }) => ({ todos: session.todos() }))
  }

  async cost(): ReturnType<SessionRpc["cost"]> {
    return this.#with(({ session }) => session.cost())
  }

  async toolCatalogue(): ReturnType<SessionRpc["toolCatalogue"]> {
    return this.#with(({ toolCalls }) => toolCalls.catalogue())
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
    return this.#with(({ workspace }) => ({ checkpoints: newestCheckpoints(workspace) }))
  }

  // ---- sockets, files, alarm

  override async fetch(request: Request): Promise<Response> {
    if (this.#open === null) return Response.json(notFound.error, { status: 404 })
    const url = new URL(request.url)
    if (url.pathname === "/feed") return this.#sockets.open(url, "feed", actorOf(request))
    if (url.pathname === "/socket") {
      const actor = actorOf(request)
      if (actor !== undefined) this.#watch.opened(actor)
      return this.#sockets.open(url, formOf(url), actor)
    }
    if (url.pathname.startsWith("/files/")) return answerFileRequest(this.#open.workspace, request, url)
    if (url.pathname === "/events") return eventsPage(this.#open.log, url)
    if (url.pathname === "/messages") return answered(messagesResponse(this.#open, this.#id, url))
    if (url.pathname.startsWith("/media/")) return mediaResponse(this.#open.log.media, url)
    if (url.pathname === "/archive") return answerArchiveRequest(this.#open.workspace, request, url)
    return Response.json({ type: "not_found_error", message: "no such path" }, { status: ERROR_STATUS.not_found_error })
  }

  /** Lines of a client of the control protocol. */
  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sockets.message(socket, message)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#sockets.closed(socket, code)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.left(socket, false)
  }

  /** Arms the next alarm first, then looks after what is due. Never waits for a turn, never throws. */
  override async alarm(): Promise<void> {
    this.#alarm.wentOff()
    if (this.#open === null) return this.#creation.look()
    this.#maintenance.look(this.#open)
    this.#erasure.lookAfter()
    this.#watch.look()
    await this.#maintenance.check()
  }
}

/** The actor of a socket, as the Worker, the only sender of requests here, names it. */
const actorOf = ({ headers }: Request): Actor | undefined => {
  const text = headers.get(ACTOR_HEADER)
  return text === null ? undefined : decodeActor(text)
}

const decodeActor = Schema.decodeUnknownSync(Schema.fromJsonString(Actor))

/** The official browser client's line, byte for byte. */
const KEEP_ALIVE = '{"type":"keep_alive"}\n'

/** D1 or the Queue did not answer a request that needs them. */
const UNAVAILABLE = {
  ok: false,
  error: {
    type: "service_unavailable_error",
    message: "the database of this server does not answer at the moment. Send the same request again later.",
    retry_after: 5,
  },
} as const

const notFound = { ok: false, error: { type: "not_found_error", message: "there is no such session" } } as const
const noTurn = refuse("not_found_error", "there is no such turn in this session")

/** Backups are sealed with a key of their own, or with the root key. */
const sealingKey = ({ PERCH_BACKUP_KEY: own, PERCH_ROOT_KEY: root = "" }: Env): string => own ?? root

/** An answer, or the refusal as JSON `RpcError`. */
const answered = (answer: Response | Refusal): Response =>
  isRefusal(answer) ? Response.json(answer.refused, { status: ERROR_STATUS[answer.refused.type] }) : answer

const toResult = <A>(value: A | Refusal): RpcResult<A> =>
  isRefusal(value) ? { ok: false, error: value.refused } : { ok: true, value }
