// How a session begins: receives requests to make it, to copy it from another one, or to store which session a key
// means; returns whether this request made it, or why it can't be made.
// Invariant: a request that is sent again makes nothing new, and of a session that is being made nothing counts before
// all of it is written.
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
import { finishFork, forkedRecord, importFork, ParentLost } from "./fork/fork-import.ts"
import type { OpenSession } from "./open-session.ts"
import { type OpeningParts, SessionOpening } from "./opening.ts"
import { writeHistory } from "./prompts/history.ts"
import { isRefusal, UNAVAILABLE, otherRequest, type Refusal, refuse } from "./refusal.ts"
import { logLine } from "./server-log.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { Meta, newRecord } from "./storage/meta.ts"
import { createTables, hasTables } from "./storage/tables.ts"

/** How long it is stored which session a key meant. */
const CLAIM_MS = 24 * 60 * 60 * 1000

interface Created {
  readonly session: SessionInfo
  /** False when the same request had made it before. */
  readonly created: boolean
}

export class SessionCreation {
  readonly #parts: OpeningParts
  readonly #opening: SessionOpening
  /** Requests under way that may make a session. */
  #making = 0

  constructor(parts: OpeningParts) {
    this.#parts = parts
    this.#opening = new SessionOpening(parts)
  }

  /** Makes the session. */
  create(args: CreateArgs): Promise<Created | Refusal> {
    const { actor, session } = args
    const { options: sent } = session
    // A playback has what was recorded.
    if (actor?.definitions === undefined || sent.runtime?.mode === "playback") {
      return this.#counted(() => this.#created(this.#create(args, sent)))
    }
    return this.#counted(async () => {
      const options = await this.#withDefaults(sent, actor)
      return isRefusal(options)
        ? options
        : this.#created(this.#create({ ...args, session: { ...session, options } }, sent))
    })
  }

  /** No session is made while the tenant's defaults for sessions can't be read. */
  async #withDefaults(sent: SessionOptions, actor: Actor): Promise<SessionOptions | Refusal> {
    try {
      const config = await tenantConfig(this.#parts.context, actor)
      return config === null ? sent : withTenantDefaults(sent, config)
    } catch (error) {
      logLine("warn", "the tenant's configuration could not be loaded", { session: this.#parts.context.id, error })
      return { refused: UNAVAILABLE.error }
    }
  }

  /** Makes the session of a prompt, or finds it. While the tenant may not run another turn none is made; a slot is held for this one. */
  async createToRun(args: CreateArgs): Promise<Created | Refusal> {
    const { life, share } = this.#parts
    if (life.session !== null || life.isErased) return this.create(args)
    const asked = share.beginTurn()
    const refused = asked instanceof Promise ? await asked : asked
    if (refused !== null) return refused
    const made = await this.create(args)
    if (isRefusal(made)) this.#releaseUnused()
    return made
  }

  /** Another request may have made the session meanwhile, and its turn has the slot. */
  #releaseUnused(): void {
    const { life, share } = this.#parts
    if (life.session === null) share.endTurn()
    else life.session.core.releaseUnused()
  }

  /** Copies another session. Nothing of it is there before all of it is. */
  fork(args: ForkArgs): Promise<Created | Refusal> {
    return this.#counted(async () => this.#created(await this.#forkOnce(args)))
  }

  /** Takes a page of a backup. The last one makes the session, which goes on where its backup was made. */
  restore(page: BackupPage, sealingKey: string, actor?: Actor): Promise<RestoreReport | Refusal> {
    const restore = () => this.#restore(page, sealingKey, actor)
    return page.next_cursor === null ? this.#counted(restore) : restore()
  }

  /** Stores which session a request with this object's key means: the one that its first request named. */
  async claim({ fingerprint, session }: Parameters<SessionRpc["claim"]>[0]): Promise<{ session: string } | Refusal> {
    const { id, sql, transactionSync, alarm, now } = this.#parts.context
    await this.#forksDone()
    const claimed = this.#claimed
    const taken =
      claimed === undefined ? this.#taken(fingerprint) : claimed.fingerprint === fingerprint ? false : otherRequest
    if (isRefusal(taken)) return taken
    if (taken === false) return { session: claimed?.session ?? id }
    transactionSync(() => {
      createTables(sql)
      new Meta(sql).set("claim", { fingerprint, session })
    })
    alarm.arm(now() + CLAIM_MS)
    return { session }
  }

  /** Opens what is stored when the object starts; `null` when that is no session. */
  async reopen(): Promise<OpenSession | null> {
    const { context, life } = this.#parts
    const meta = new Meta(context.sql)
    const record = meta.get("session")
    if (record === undefined) {
      if (meta.get("erased") !== undefined) life.become({ tag: "erased" })
      else if (meta.get("restoring") !== undefined) life.become({ tag: "creating" })
      // A fork that was cut off: its caller got no answer, and sends the request again.
      if (meta.get("forking") !== undefined) {
        await context.alarm.removeAll()
        await this.#uncount()
      }
      return null
    }
    // A session that an earlier version made lacks the tables that came since.
    createTables(context.sql)
    await context.alarm.recall()
    return this.#begin(this.#opening.build(record))
  }

  /** At an alarm while there is no session: a copy goes on, a key's memory ends, an unfinished restore is removed. */
  async look(): Promise<void> {
    const { context, life } = this.#parts
    const { tag } = life.state
    if (tag === "forking") context.alarm.arm(context.now() + CHECK_INTERVAL_MS)
    else if (tag === "creating" || this.#claimed !== undefined) {
      await context.alarm.removeAll()
      life.become({ tag: "absent" })
      if (tag === "creating") await this.#uncount()
    }
  }

  /** A process that died before it made the session may have left it in its tenant's count: there it is taken out. */
  async uncountMissing(): Promise<void> {
    const { tag } = this.#parts.life.state
    if (this.#making === 0 && (tag === "absent" || tag === "erased")) await this.#uncount()
  }

  /** Of what was begun there will be no session. */
  async #uncount(): Promise<void> {
    const { context, share } = this.#parts
    await share.uncountSession().catch((error: unknown) => {
      logLine("warn", "a session that was not made is still counted", { session: context.id, error })
    })
  }

  /** Runs what may make a session, if the tenant may have one more. One that was not made after all is not counted. */
  async #counted<A>(make: () => A | Promise<A>): Promise<A | Refusal> {
    const { life, share } = this.#parts
    this.#making += 1
    try {
      // A session that there is, or was, is counted already, or never again.
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
      const made = make()
      return made instanceof Promise ? await made : made
    } finally {
      if (life.session === null && !life.isErased) this.#parts.context.keepAlive(this.#uncount())
    }
  }

  #created(created: boolean | Refusal): Created | Refusal {
    return isRefusal(created) ? created : { session: this.#parts.life.existing.core.info(), created }
  }

  /** From here on there is a session. */
  #begin(session: OpenSession): OpenSession {
    this.#parts.life.become({ tag: "open", session })
    return session
  }

  /** A session was written: D1 and the Queue lack it, and it may be one that no client keeps alive. */
  #written(): void {
    this.#parts.maintenance.flush()
    this.#parts.erasure.lookAfter()
  }

  /** `sent` are the options that the client named, without what its tenant has stored. */
  #create(args: CreateArgs, sent: SessionOptions): boolean | Refusal {
    const { tenant, id, sql, transactionSync, now } = this.#parts.context
    if (args.attach === true && this.#parts.life.state.tag === "open") return false
    const taken = this.#taken(args.fingerprint)
    if (taken !== undefined) return taken
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
    this.#parts.erasure.lookAfter()
    return true
  }

  async #restore(page: BackupPage, sealingKey: string, actor?: Actor): Promise<RestoreReport | Refusal> {
    const { context, life } = this.#parts
    const { id, alarm, now } = context
    const taken = this.#taken(undefined, true)
    if (taken !== undefined) return isRefusal(taken) ? taken : otherRequest
    // What is never finished is removed.
    alarm.arm(now() + CLAIM_MS)
    const imported = await importPage(context, sealingKey, page, (record) =>
      refusalOf(actor, { before: null, after: record, named: { options: record.options } }),
    )
    if (isRefusal(imported)) return imported
    const { nextPage: next_page, record } = imported
    if (record === null) {
      life.become({ tag: "creating" })
      return { session_id: id, next_page, complete: false }
    }
    const session = this.#begin(this.#opening.build(record))
    session.recover()
    // Asks have their expiry, a turn its heartbeat.
    alarm.arm(now())
    this.#written()
    const { log, workspace } = session.core
    return { session_id: id, next_page, complete: true, events: log.lastSeq, files: workspace.totals().nodes }
  }

  async #forksDone(): Promise<void> {
    const { life } = this.#parts
    for (let { state } = life; state.tag === "forking"; { state } = life) await state.done
  }

  /** A request that is sent again while the copy is made gets what the first one made. */
  async #forkOnce(args: ForkArgs): Promise<boolean | Refusal> {
    const { life } = this.#parts
    await this.#forksDone()
    const taken = this.#taken(args.fingerprint)
    if (taken !== undefined) return taken
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
      recordedForkRefusal(started.value.session.options, record.options, args)
    if (refused !== undefined) return refused
    // If this process dies meanwhile, the alarm wakes the object and what it has is removed.
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
      const made = this.#opening.build(record)
      made.core.resumption.beginFork(args.parent, started.value.head, args.actor)
      return made
    })
    this.#begin(session)
    this.#written()
    return undefined
  }

  /** What there is under this id already: the same request's session (`false`), or a reason why it can't be made. */
  #taken(fingerprint: string | undefined, isRestore = false): false | Refusal | undefined {
    const { state } = this.#parts.life
    switch (state.tag) {
      case "erased":
        return conflict("a session with this id was deleted; ids are not used again")
      case "forking":
        return conflict("a session with this id is being made")
      case "creating":
        return isRestore ? undefined : conflict("a session with this id is being restored")
      case "absent":
        return this.#claimed === undefined ? undefined : otherRequest
      case "open":
      case "erasing": {
        const { fingerprint: before } = state.session.core.record
        // Without a key on either side, no key was used before.
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
  "A session that begins with a history can't be recorded: what its history was made of is not known. Leave history or options.runtime out.",
  "options.runtime",
)

const conflict = (message: string): Refusal => refuse("conflict_error", message)
