// Receives requests to create, copy or restore a session, or to claim an idempotency key; returns what it made or refused.
// Invariant: a repeated request creates nothing new, and a session exists only once all of it is written.
import { type Actor, actorField } from "../schemas/access.ts"
import type { BackupPage, RestoreReport } from "../schemas/api/backup.ts"
import { EventNames } from "../schemas/log/events.ts"
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import { tenantConfig, withTenantDefaults } from "./definitions/tenant-defaults.ts"
import type { ForkArgs } from "../schemas/rpc/fork.ts"
import type { SessionRpc } from "../schemas/rpc/session-rpc.ts"
import type { CreateArgs, SessionInfo } from "../schemas/rpc/session.ts"
import { maskOptions } from "../schemas/sdk/options/masked-options.ts"
import { refusalOf } from "./access/rights.ts"
import { importPage } from "./backup/session-import.ts"
import { copyAnswers, recordedForkRefusal } from "./recording/forked-answers.ts"
import { playbackRefusal } from "./recording/playback-refusal.ts"
import { finishFork, forkedRecord, importFork, ParentLost } from "./fork/fork-import.ts"
import type { OpenSession } from "./open-session.ts"
import { type OpeningParts, SessionOpening } from "./opening.ts"
import { writeHistory } from "./prompts/history.ts"
import { isRefusal, otherRequest, type Refusal, refuse, unavailable } from "./refusal.ts"
import { logLine } from "./server-log.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { Meta, newRecord } from "./storage/meta.ts"
import { createTables, hasTables } from "./storage/tables.ts"

/** How long the session of an idempotency key is stored, and an unfinished restore waits for its next page. */
const CLAIM_MS = 24 * 60 * 60 * 1000

interface Created {
  readonly session: SessionInfo
  /** False when the same request was sent before and created it. */
  readonly created: boolean
}

export class SessionCreation {
  readonly #parts: OpeningParts
  readonly #opening: SessionOpening
  /** The number of requests in progress that may create a session. */
  #making = 0

  constructor(parts: OpeningParts) {
    this.#parts = parts
    this.#opening = new SessionOpening(parts)
  }

  create(args: CreateArgs): Promise<Created | Refusal> {
    const { actor, session } = args
    const { options: sent } = session
    const { context, life } = this.#parts
    const make = () => this.#created(this.#create(args, sent))
    // A playback uses the recorded options, not the tenant's defaults.
    if (sent.runtime?.mode === "playback" && life.session === null)
      return this.#counted(async () => (await playbackRefusal(context, sent)) ?? make())
    if (actor?.definitions === undefined || sent.runtime?.mode === "playback") return this.#counted(make)
    return this.#counted(async () => {
      const options = await this.#withDefaults(sent, actor)
      return isRefusal(options)
        ? options
        : this.#created(this.#create({ ...args, session: { ...session, options } }, sent))
    })
  }

  /** Adds the tenant's defaults. A refusal while they can't be read: no session is created without them. */
  async #withDefaults(sent: SessionOptions, actor: Actor): Promise<SessionOptions | Refusal> {
    try {
      const config = await tenantConfig(this.#parts.context, actor)
      return config === null ? sent : withTenantDefaults(sent, config)
    } catch (error) {
      logLine("warn", "the tenant's configuration could not be loaded", { session: this.#parts.context.id, error })
      return unavailable
    }
  }

  /**
   * Creates the session of a prompt, or finds it. Refused while the tenant may not run another turn; otherwise a slot is
   * reserved for this one.
   */
  async createToRun(args: CreateArgs): Promise<Created | Refusal> {
    const { life, share } = this.#parts
    if (life.session !== null || life.isErased) return this.create(args)
    const asked = share.beginTurn()
    const refused = asked instanceof Promise ? await asked : asked
    if (refused !== null) return refused
    const created = await this.create(args)
    if (isRefusal(created)) this.#releaseUnused()
    return created
  }

  /** Releases the reserved slot, unless another request has created the session meanwhile and its turn has the slot. */
  #releaseUnused(): void {
    const { life, share } = this.#parts
    if (life.session === null) share.endTurn()
    else life.session.core.releaseUnused()
  }

  /** Copies another session. The copy exists only once it is complete. */
  fork(args: ForkArgs): Promise<Created | Refusal> {
    return this.#counted(async () => this.#created(await this.#forkOnce(args)))
  }

  /** Stores a page of a backup. The last page creates the session, which continues where its backup was made. */
  restore(page: BackupPage, sealingKey: string, actor?: Actor): Promise<RestoreReport | Refusal> {
    const restore = () => this.#restore(page, sealingKey, actor)
    return page.next_cursor === null ? this.#counted(restore) : restore()
  }

  /** Claims the idempotency key of this object; returns its session, which is the one that the key's first request named. */
  async claim({ fingerprint, session }: Parameters<SessionRpc["claim"]>[0]): Promise<{ session: string } | Refusal> {
    const { id, sql, transactionSync, alarm, now } = this.#parts.context
    await this.#forksDone()
    const claimed = this.#claimed
    const currentUse =
      claimed === undefined ? this.#currentUse(fingerprint) : claimed.fingerprint === fingerprint ? false : otherRequest
    if (isRefusal(currentUse)) return currentUse
    if (currentUse === false) return { session: claimed?.session ?? id }
    transactionSync(() => {
      createTables(sql)
      new Meta(sql).set("claim", { fingerprint, session })
    })
    alarm.arm(now() + CLAIM_MS)
    return { session }
  }

  /** Opens the stored session when the object starts; `null` when none is stored. */
  async reopen(): Promise<OpenSession | null> {
    const { context, life } = this.#parts
    const meta = new Meta(context.sql)
    const record = meta.get("session")
    if (record === undefined) {
      if (meta.get("erased") !== undefined) life.become({ tag: "erased" })
      else if (meta.get("restoring") !== undefined) life.become({ tag: "restoring" })
      // An interrupted fork is removed: its caller got no answer, and sends the request again.
      if (meta.get("forking") !== undefined) {
        await context.alarm.removeAll()
        await this.#uncount()
      }
      return null
    }
    // A session of an earlier version lacks the tables that were added since.
    createTables(context.sql)
    await context.alarm.recall()
    return this.#begin(this.#opening.build(record))
  }

  /** For an alarm while there is no session: leaves a running copy alone, and removes a key's claim or an unfinished restore. */
  async onAlarm(): Promise<void> {
    const { context, life } = this.#parts
    const { tag } = life.state
    if (tag === "forking") context.alarm.arm(context.now() + CHECK_INTERVAL_MS)
    else if (tag === "restoring" || this.#claimed !== undefined) {
      await context.alarm.removeAll()
      life.become({ tag: "absent" })
      if (tag === "restoring") await this.#uncount()
    }
  }

  /** Uncounts a session that does not exist: a process that died before it created the session may have left it counted. */
  async uncountMissing(): Promise<void> {
    const { tag } = this.#parts.life.state
    if (this.#making === 0 && (tag === "absent" || tag === "erased")) await this.#uncount()
  }

  /** Uncounts a session that was started and will not exist. */
  async #uncount(): Promise<void> {
    const { context, share } = this.#parts
    await share.uncountSession().catch((error: unknown) => {
      logLine("warn", "a session that was not made is still counted", { session: context.id, error })
    })
  }

  /** Runs `make` if the tenant may have one more session. The session is uncounted if it was not created after all. */
  async #counted<A>(make: () => A | Promise<A>): Promise<A | Refusal> {
    const { life, share } = this.#parts
    this.#making += 1
    try {
      // An existing session is counted already; an erased one is never counted again.
      const asked = life.session !== null || life.isErased ? null : share.countSession()
      const refused = asked instanceof Promise ? await asked : asked
      return refused ?? (await this.#makeCounted(make))
    } finally {
      this.#making -= 1
    }
  }

  async #makeCounted<A>(make: () => A | Promise<A>): Promise<A> {
    const { life } = this.#parts
    try {
      const result = make()
      return result instanceof Promise ? await result : result
    } finally {
      if (life.session === null && !life.isErased) this.#parts.context.keepAlive(this.#uncount())
    }
  }

  #created(created: boolean | Refusal): Created | Refusal {
    return isRefusal(created) ? created : { session: this.#parts.life.existing.core.info(), created }
  }

  /** Sets the life to `open`: from here on the session exists. */
  #begin(session: OpenSession): OpenSession {
    this.#parts.life.become({ tag: "open", session })
    return session
  }

  /** `sent` are the client's options without its tenant's defaults. Returns false when the session was created before. */
  #create(args: CreateArgs, sent: SessionOptions): boolean | Refusal {
    const { tenant, id, sql, transactionSync, now } = this.#parts.context
    if (args.attach === true && this.#parts.life.state.tag === "open") return false
    const currentUse = this.#currentUse(args.fingerprint)
    if (currentUse !== undefined) return currentUse
    const record = newRecord(tenant, id, args, now())
    const { options } = args.session
    const refused = refusalOf(args.actor, { before: null, after: record, named: { options: sent } })
    if (refused !== undefined) return refused
    if (options.runtime?.mode === "record" && (args.history ?? []).length > 0) return RECORDED_HISTORY
    transactionSync(() => {
      createTables(sql)
      new Meta(sql).set("session", record)
    })
    const { core } = this.#begin(this.#opening.build(record))
    const payload = { ...args.session, options: maskOptions(options), ...actorField(args.actor) }
    core.append([{ name: EventNames.sessionCreated, payload }], () =>
      writeHistory(core.log, core.inbox, args.history ?? []),
    )
    this.#parts.maintenance.flushCreated()
    this.#parts.erasure.eraseIfAbandoned()
    return true
  }

  async #restore(page: BackupPage, sealingKey: string, actor?: Actor): Promise<RestoreReport | Refusal> {
    const { context, life } = this.#parts
    const { id, alarm, now } = context
    const currentUse = this.#currentUse(undefined, true)
    if (currentUse !== undefined) return isRefusal(currentUse) ? currentUse : otherRequest
    // An unfinished restore is removed at this alarm.
    alarm.arm(now() + CLAIM_MS)
    const imported = await importPage(context, sealingKey, page, (record) =>
      refusalOf(actor, { before: null, after: record, named: { options: record.options } }),
    )
    if (isRefusal(imported)) return imported
    const { nextPage: next_page, record } = imported
    if (record === null) {
      life.become({ tag: "restoring" })
      return { session_id: id, next_page, complete: false }
    }
    const session = this.#begin(this.#opening.build(record))
    session.recover()
    // This alarm arms the next ones, for expiring asks and the heartbeat of a turn.
    alarm.arm(now())
    this.#parts.afterWrite()
    const { log, workspace } = session.core
    return { session_id: id, next_page, complete: true, events: log.lastSeq, files: workspace.totals().nodes }
  }

  async #forksDone(): Promise<void> {
    const { life } = this.#parts
    for (let { state } = life; state.tag === "forking"; { state } = life) await state.done
  }

  /** A request that is repeated during the copy gets the session of the first one. */
  async #forkOnce(args: ForkArgs): Promise<boolean | Refusal> {
    const { life } = this.#parts
    await this.#forksDone()
    const currentUse = this.#currentUse(args.fingerprint)
    if (currentUse !== undefined) return currentUse
    const forked = this.#fork(args)
    const done = Promise.allSettled([forked]).then(() => {
      if (life.state.tag === "forking") life.become({ tag: "absent" })
    })
    life.become({ tag: "forking", done })
    return (await forked) ?? true
  }

  async #fork(args: ForkArgs): Promise<Refusal | undefined> {
    const { context } = this.#parts
    const { tenant, id, env, sql, transactionSync, alarm, now } = context
    const source = env.SESSIONS.getByName(`${tenant}/${args.parent}`)
    const started = await source.exportStart(args.at === undefined ? {} : { at: args.at })
    if (!started.ok) return { refused: started.error }
    const record = forkedRecord({ now, tenant, id }, started.value, args)
    const refused =
      refusalOf(args.actor, { before: null, after: record, named: { options: args.options } }) ??
      recordedForkRefusal(started.value.session.options, record.options, args) ??
      (await playbackRefusal(context, args.options))
    if (refused !== undefined) return refused
    // If this process dies meanwhile, the alarm wakes the object and what was copied is removed.
    alarm.arm(now() + CHECK_INTERVAL_MS)
    try {
      await importFork({ sql, transactionSync, now, tenant, id, source }, args.parent, started.value)
      const isRecorded = record.options.runtime?.mode === "record"
      const lost = isRecorded ? await copyAnswers(context, (after) => source.recordedPage(after)) : undefined
      if (lost !== undefined) throw new ParentLost(lost.refused.message)
    } catch (error) {
      await alarm.removeAll()
      if (error instanceof ParentLost) return refuse("not_found_error", error.message)
      throw error
    }
    const session = transactionSync(() => {
      finishFork(sql, record, started.value, args)
      const opened = this.#opening.build(record)
      opened.core.resumption.beginFork(args.parent, started.value.head, args.actor)
      return opened
    })
    this.#begin(session)
    this.#parts.afterWrite()
    return undefined
  }

  /** What uses the id already: `false` for the same request's session, a refusal for anything else; undefined when it is free. */
  #currentUse(fingerprint: string | undefined, isRestore = false): false | Refusal | undefined {
    const { state } = this.#parts.life
    switch (state.tag) {
      case "erased":
        return conflict("a session with this id was deleted; ids can't be reused")
      case "forking":
        return conflict("a session with this id is being created")
      case "restoring":
        return isRestore ? undefined : conflict("a session with this id is being restored")
      case "absent":
        return this.#claimed === undefined ? undefined : otherRequest
      case "open":
      case "erasing": {
        const { fingerprint: before } = state.session.core.record
        // Only a request with the same key can be a repetition.
        if (fingerprint === undefined || before === null) return conflict("a session with this id exists")
        return fingerprint === before ? false : otherRequest
      }
    }
  }

  get #claimed() {
    const { sql } = this.#parts.context
    return hasTables(sql) ? new Meta(sql).get("claim") : undefined
  }
}

const RECORDED_HISTORY = refuse(
  "invalid_request_error",
  "A session that starts with a history can't be recorded, because the answers in its history were not recorded. Leave history or options.runtime out.",
  "options.runtime",
)

const conflict = (message: string): Refusal => refuse("conflict_error", message)
