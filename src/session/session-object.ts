// The Durable Object of a session: receives RPC calls, feed sockets and alarms; hands them to the session it holds.
// Invariant: an object whose session was never created, or was erased, answers `not_found_error` and writes nothing.
import { DurableObject } from "cloudflare:workers"
import type { Actor } from "../schemas/access.ts"
import type { Env } from "../schemas/env.ts"
import type { RpcResult } from "../schemas/errors/rpc-error.ts"
import type { SessionRpc } from "../schemas/rpc/session-rpc.ts"
import { type SubmitArgs, SUBMISSION_HEADER, type Submitted } from "../schemas/rpc/turns.ts"
import { StoreError } from "../store/store-error.ts"
import { SocketWatch } from "./access/socket-watch.ts"
import { sealingKey } from "./backup/sealing-key.ts"
import { exportPage } from "./backup/session-export.ts"
import { commandsReport } from "./commands/commands-report.ts"
import { changeSession } from "./change-session.ts"
import { ClientSockets, KEEP_ALIVE } from "./control/client-sockets.ts"
import { takeFrames } from "./control/take-frames.ts"
import { contextUsageFacts } from "./control/report-facts.ts"
import { SessionCreation } from "./creation.ts"
import { SessionErasure } from "./erasure.ts"
import { Feed } from "./feed/feed.ts"
import { newestCheckpoints } from "./files/files.ts"
import { rewindFiles } from "./files/rewind-files.ts"
import { diffAt, filesPage } from "./files/past-files.ts"
import { SessionLife } from "./life.ts"
import { Maintenance } from "./maintenance.ts"
import { ObjectContext } from "./object-context.ts"
import type { OpenSession } from "./open-session.ts"
import type { OpeningParts } from "./opening.ts"
import { answerFetch } from "./pages/fetch.ts"
import { costAt, todosAt } from "./pages/session-at.ts"
import { wholeInfo } from "./session-report.ts"
import { readProgress, writeProgress } from "./progress.ts"
import { interruptSession, stopTurn } from "./prompts/interrupt-session.ts"
import { submitPrompt } from "./prompts/submit-prompt.ts"
import { isRefusal, noSession, noTurn, type Refusal, refusalResponse, toResult, unavailable } from "./refusal.ts"
import { revertSession, unrevertSession } from "./revert/reverts.ts"
import { logLine } from "./server-log.ts"
import { answerAsk, listSaved, revokeSaved } from "./asks/answer-ask.ts"
import { rebuildRows } from "./delivery/rebuild-rows.ts"
import { pendingAsk } from "./storage/ask-store.ts"
import { recordedPage } from "./recording/recorded-page.ts"
import { ErasedError, hasTables } from "./storage/tables.ts"
import { TenantShare } from "./lanes/tenant-share.ts"

export class SessionObject extends DurableObject<Env> implements SessionRpc {
  readonly #context: ObjectContext
  readonly #parts: OpeningParts
  readonly #life = new SessionLife()
  readonly #sockets: ClientSockets
  readonly #creation: SessionCreation
  readonly #watch: SocketWatch

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const context = new ObjectContext(ctx, env)
    const life = this.#life
    const feed = new Feed(context, life)
    this.#context = context
    const share = new TenantShare(context)
    const maintenance = new Maintenance(context, life)
    const erasure = new SessionErasure(context, life, share)
    const afterWrite = () => {
      maintenance.flush()
      erasure.eraseIfAbandoned()
    }
    const parts = { context, life, feed, share, maintenance, erasure, afterWrite }
    this.#parts = parts
    this.#creation = new SessionCreation(parts)
    this.#sockets = new ClientSockets(parts)
    this.#watch = new SocketWatch({ ...context, db: env.DB, listeners: feed.listeners })
    // A client's keep-alive is answered without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(KEEP_ALIVE, KEEP_ALIVE))
    if (hasTables(context.sql)) void ctx.blockConcurrencyWhile(() => this.#start())
  }

  /** Rows written since the object started. */
  get rowsWritten(): number {
    return this.#context.sql.rowsWritten
  }

  /** Opens the stored session, if there is one, and resumes its work. */
  async #start(): Promise<void> {
    const session = await this.#creation.reopen()
    if (session === null || this.#parts.erasure.resume(session)) return
    if (this.env.PERCH_LOG === "debug") logLine("debug", "session object started", { session: this.#context.id })
    // The process may have died before the tenant's object had counted the session.
    if (session.core.outbox.report().d1_seq === 0) void this.#parts.share.countSession()
    session.recover()
    this.#parts.maintenance.started()
  }

  /** Runs `use` on the session. A refusal without a session, or when D1 or the Queue can't be reached. */
  async #with<A>(use: (open: OpenSession) => Promise<A | Refusal> | A | Refusal): Promise<RpcResult<A>> {
    this.#context.requests += 1
    const { session } = this.#life
    if (session === null) return toResult<A>(noSession)
    try {
      return toResult(await use(session))
    } catch (error) {
      if (error instanceof StoreError && error.unavailable === true) return toResult<A>(unavailable)
      if (error instanceof ErasedError) return toResult<A>(noSession)
      throw error
    }
  }

  /** Changes the session and returns its facts, or the refusal. */
  #changed(
    change: (open: OpenSession) => Promise<Refusal | undefined> | Refusal | undefined,
  ): ReturnType<SessionRpc["patch"]> {
    return this.#with(async (open) => {
      const refused = await change(open)
      if (refused !== undefined) return refused
      this.#parts.afterWrite()
      return open.core.info()
    })
  }

  async create(args: Parameters<SessionRpc["create"]>[0]): ReturnType<SessionRpc["create"]> {
    return toResult(await this.#creation.create(args))
  }

  async fork(args: Parameters<SessionRpc["fork"]>[0]): ReturnType<SessionRpc["fork"]> {
    return toResult(await this.#creation.fork(args))
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

  async revert(args: Parameters<SessionRpc["revert"]>[0]): ReturnType<SessionRpc["revert"]> {
    return this.#changed(({ core }) => revertSession(core, args))
  }

  async unrevert(args: Parameters<SessionRpc["unrevert"]>[0]): ReturnType<SessionRpc["unrevert"]> {
    return this.#changed(({ core }) => unrevertSession(core, args))
  }

  async backupPage(cursor: Parameters<SessionRpc["backupPage"]>[0]): ReturnType<SessionRpc["backupPage"]> {
    return this.#with(({ core }) => exportPage(core, sealingKey(this.env), cursor))
  }

  async recordedPage(after: string | null): ReturnType<SessionRpc["recordedPage"]> {
    return this.#with(({ core }) => recordedPage(core, after))
  }

  async restorePage(...[page, actor]: Parameters<SessionRpc["restorePage"]>): ReturnType<SessionRpc["restorePage"]> {
    return toResult(await this.#creation.restore(page, sealingKey(this.env), actor))
  }

  async claim(args: Parameters<SessionRpc["claim"]>[0]): ReturnType<SessionRpc["claim"]> {
    return toResult(await this.#creation.claim(args))
  }

  async reopen(args: Parameters<SessionRpc["reopen"]>[0]): ReturnType<SessionRpc["reopen"]> {
    return this.#with(({ core }) => {
      const replayed = core.resumption.hasResumed(args.once)
      const refused = core.resumption.resume(args)
      if (refused !== undefined) return refused
      this.#parts.afterWrite()
      return { session: core.info(), replayed }
    })
  }

  async info(): ReturnType<SessionRpc["info"]> {
    return this.#with(({ core }) => wholeInfo(core))
  }

  async patch(...[change, actor]: Parameters<SessionRpc["patch"]>): ReturnType<SessionRpc["patch"]> {
    return this.#changed((open) => changeSession(open, change, actor))
  }

  async erase(actor?: Actor): ReturnType<SessionRpc["erase"]> {
    return this.#with((open) => this.#parts.erasure.erase(open, actor))
  }

  async rebuild(): ReturnType<SessionRpc["rebuild"]> {
    await this.#creation.uncountMissing()
    return this.#with(({ core }) => rebuildRows(core))
  }

  async submit(args: SubmitArgs): ReturnType<SessionRpc["submit"]> {
    return this.#submit(args, (submitted) => submitted)
  }

  /** `use` runs with the prompt's outcome in the same synchronous step in which the prompt is written. */
  async #submit<A>(args: SubmitArgs, use: (submitted: Submitted) => A): Promise<RpcResult<A>> {
    const full = this.#sockets.noStreamFor(args)
    if (full !== null) return { ok: false, error: full.refused }
    const creation = args.create === undefined ? null : await this.#creation.createToRun(args.create)
    if (isRefusal(creation)) return { ok: false, error: creation.refused }
    return this.#with((open) => submitPrompt(open, args, use))
  }

  async wait(turn: string, timeoutMs: number): ReturnType<SessionRpc["wait"]> {
    return this.#with(async ({ core }) => (await core.turnWaits.wait(turn, timeoutMs)) ?? noTurn)
  }

  async turn(...[turn, timeoutMs, until]: Parameters<SessionRpc["turn"]>): ReturnType<SessionRpc["turn"]> {
    return this.#with(async ({ core }) => (await core.turns.after(turn, timeoutMs, until)) ?? noTurn)
  }

  async turns(query: Parameters<SessionRpc["turns"]>[0]): ReturnType<SessionRpc["turns"]> {
    return this.#with(({ core }) => core.turns.page(query))
  }

  async interrupt(): ReturnType<SessionRpc["interrupt"]> {
    return this.#with(interruptSession)
  }

  async stopTurn(...[turn, actor]: Parameters<SessionRpc["stopTurn"]>): ReturnType<SessionRpc["stopTurn"]> {
    return this.#with((open) => stopTurn(open, turn, actor))
  }

  async oauthCallback(callback: Parameters<SessionRpc["oauthCallback"]>[0]): ReturnType<SessionRpc["oauthCallback"]> {
    return this.#with(async ({ authorizations }) => ({ outcome: await authorizations.callback(callback) }))
  }

  async asks(): ReturnType<SessionRpc["asks"]> {
    return this.#with(({ core }) => core.askStore.open.map(pendingAsk))
  }

  async answer(...[requestId, answer, actor]: Parameters<SessionRpc["answer"]>): ReturnType<SessionRpc["answer"]> {
    return this.#with(({ core }) => answerAsk(core, requestId, answer, actor))
  }

  async savedPermissions(
    ...[revoke, by]: Parameters<SessionRpc["savedPermissions"]>
  ): ReturnType<SessionRpc["savedPermissions"]> {
    return this.#with(({ core }) => (revoke === undefined ? listSaved(core) : revokeSaved(core, revoke, by)))
  }

  /** Frames that a client sends by HTTP. */
  async clientFrames(...sent: Parameters<SessionRpc["clientFrames"]>): ReturnType<SessionRpc["clientFrames"]> {
    return this.#with(({ control }) => takeFrames(control, ...sent))
  }

  async todos(at?: number): ReturnType<SessionRpc["todos"]> {
    return this.#with(({ core }) => todosAt(core, at))
  }

  async commands(...[actor]: Parameters<SessionRpc["commands"]>): ReturnType<SessionRpc["commands"]> {
    return this.#with(({ core }) => commandsReport(core, actor))
  }

  async cost(at?: number): ReturnType<SessionRpc["cost"]> {
    return this.#with(({ core }) => costAt(core, at))
  }

  async contextUsage(): ReturnType<SessionRpc["contextUsage"]> {
    return this.#with(({ core }) => contextUsageFacts(core))
  }

  async progress(): ReturnType<SessionRpc["progress"]> {
    return this.#with(({ core }) => readProgress(core))
  }

  async putProgress(...[text, actor]: Parameters<SessionRpc["putProgress"]>): ReturnType<SessionRpc["putProgress"]> {
    return this.#with(({ core }) => {
      const written = writeProgress(core, text, actor)
      this.#parts.afterWrite()
      return written
    })
  }

  async toolCatalogue(): ReturnType<SessionRpc["toolCatalogue"]> {
    return this.#with(({ directCalls }) => directCalls.catalogue())
  }

  async tools(): ReturnType<SessionRpc["tools"]> {
    return this.#with(({ directCalls }) => directCalls.listed())
  }

  async callTool(...call: Parameters<SessionRpc["callTool"]>): ReturnType<SessionRpc["callTool"]> {
    return this.#with(({ directCalls }) => directCalls.call(...call))
  }

  async cancelTool(callId: string): ReturnType<SessionRpc["cancelTool"]> {
    return this.#with(({ directCalls }) => directCalls.cancel(callId))
  }

  async files(query: Parameters<SessionRpc["files"]>[0]): ReturnType<SessionRpc["files"]> {
    return this.#with(({ core }) => filesPage(core, query))
  }

  async rewind(args: Parameters<SessionRpc["rewind"]>[0]): ReturnType<SessionRpc["rewind"]> {
    return this.#with(({ core }) => rewindFiles(core, args))
  }

  async diff(query: Parameters<SessionRpc["diff"]>[0]): ReturnType<SessionRpc["diff"]> {
    return this.#with(({ core }) => diffAt(core, query))
  }

  async checkpoints(): ReturnType<SessionRpc["checkpoints"]> {
    return this.#with(({ core }) => ({ checkpoints: newestCheckpoints(core.workspace) }))
  }

  /** Serves the internal paths that `SessionRpc` names. */
  override async fetch(request: Request): Promise<Response> {
    const submission = request.headers.get(SUBMISSION_HEADER)
    if (submission !== null) return this.#query(submission, new URL(request.url))
    this.#context.requests += 1
    return answerFetch({ life: this.#life, sockets: this.#sockets, watch: this.#watch }, request)
  }

  /** Submits a prompt and opens its feed in one synchronous step, so that the feed misses nothing of the turn. */
  async #query(submission: string, url: URL): Promise<Response> {
    // Can't fail: the Worker, the only caller, has serialized arguments that it had decoded.
    const args = JSON.parse(submission) as SubmitArgs
    const submitted = await this.#submit(args, (queued) => this.#sockets.openAfter(queued, url))
    return submitted.ok ? submitted.value : refusalResponse({ refused: submitted.error })
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sockets.message(socket, message)
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#sockets.closed(socket, code)
  }

  override webSocketError(socket: WebSocket): void {
    this.#sockets.left(socket, false)
  }

  /** Arms the next alarm first, then does what is due. Never waits for a turn, never throws. */
  override async alarm(): Promise<void> {
    this.#context.alarm.wentOff()
    const { session } = this.#life
    if (session === null) return this.#creation.onAlarm()
    if (this.#parts.erasure.resume(session)) return
    this.#parts.maintenance.onAlarm(session)
    this.#parts.erasure.eraseIfAbandoned()
    this.#watch.onAlarm()
    await this.#parts.maintenance.check()
  }
}
