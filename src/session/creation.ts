// How a session begins: receives requests to make it, to copy it from another one, or to remember which session a key
// means; returns whether this request made it, or why it can't be made.
// Invariant: a request that is sent again makes nothing new, and of a session that is being made nothing counts before
// all of it is written.
import { type Actor, actorField } from "../schemas/access.ts"
import type { BackupPage, RestoreReport } from "../schemas/api/backup.ts"
import { EventNames } from "../schemas/log/events.ts"
import { maskOptions } from "../schemas/sdk/options/masked-options.ts"
import type { CreateArgs } from "../schemas/rpc/session.ts"
import type { ForkArgs } from "../schemas/rpc/fork.ts"
import type { SessionRpc } from "../schemas/rpc/session-rpc.ts"
import { type Alarm, CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { importPage } from "./backup/session-import.ts"
import { finishFork, forkedRecord, type ForkSource, importFork, ParentLost } from "./fork/fork-import.ts"
import { writeHistory } from "./prompts/history.ts"
import { Meta, newRecord, type SessionRecord } from "./storage/meta.ts"
import type { OpenSession } from "./wire-session.ts"
import { isRefusal, otherRequest, type Refusal, refuse } from "./refusal.ts"
import { refusalOf } from "./access/rights.ts"
import { createTables, hasTables, type Sql } from "./storage/tables.ts"

/** How long a key remembers which session it meant. */
const CLAIM_MS = 24 * 60 * 60 * 1000

export interface SessionCreationDeps {
  readonly tenant: string
  readonly id: string
  readonly sql: Sql
  readonly transactionSync: <A>(run: () => A) => A
  readonly alarm: Alarm
  /** Another session of the tenant. */
  readonly other: (id: string) => ForkSource & Pick<SessionRpc, "exportStart">
  /** The session, while there is one. */
  readonly open: () => OpenSession | null
  readonly erased: () => boolean
  readonly build: (record: SessionRecord, meta: Meta) => OpenSession
  /** From here on there is a session. */
  readonly begun: (open: OpenSession) => void
  /** It was written: D1 and the Queue are to hear of it. */
  readonly written: () => void
  readonly now: () => number
}

export class SessionCreation {
  readonly #deps: SessionCreationDeps
  /** Settles when the copy that is being made is done, or has failed. */
  #forking: Promise<null> | null = null

  constructor(deps: SessionCreationDeps) {
    this.#deps = deps
  }

  /** Makes the session. False when the same request has made it before. */
  create(args: CreateArgs): boolean | Refusal {
    const { tenant, id, sql, transactionSync, build, begun, written, now } = this.#deps
    const taken = this.#taken(args.fingerprint)
    if (taken !== undefined) return taken
    const record = newRecord(tenant, id, args, now())
    const { options } = args.session
    const refused = refusalOf(args.actor, { before: null, after: record, named: { options } })
    if (refused !== undefined) return refused
    transactionSync(() => {
      createTables(sql)
      new Meta(sql).set("session", record)
    })
    const open = build(record, new Meta(sql))
    begun(open)
    const { session, log } = open
    const payload = { ...args.session, options: maskOptions(args.session.options), ...actorField(args.actor) }
    session.append([{ name: EventNames.sessionCreated, payload }], () =>
      writeHistory(log, session.inbox, args.history ?? []),
    )
    written()
    return true
  }

  /** Copies another session. Nothing of it is there before all of it is. False when the same request has copied it. */
  async fork(args: ForkArgs): Promise<boolean | Refusal> {
    // A request that is sent again gets what the first one made.
    while (this.#forking !== null) await this.#forking
    const taken = this.#taken(args.fingerprint)
    if (taken !== undefined) return taken
    const forked = this.#fork(args)
    this.#forking = Promise.allSettled([forked]).then(() => (this.#forking = null))
    return (await forked) ?? true
  }

  /** Remembers which session a request with this object's key means: the one that its first request named. */
  async claim({ fingerprint, session }: Parameters<SessionRpc["claim"]>[0]): Promise<{ session: string } | Refusal> {
    const { id, sql, transactionSync, alarm, now } = this.#deps
    while (this.#forking !== null) await this.#forking
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

  /** Takes a page of a backup. The last one makes the session, which goes on where its backup was made. */
  async restore(page: BackupPage, sealingKey: string, actor?: Actor): Promise<RestoreReport | Refusal> {
    const { tenant, id, sql, transactionSync, alarm, build, begun, written, now } = this.#deps
    const taken = this.#taken(undefined, true)
    if (taken !== undefined) return isRefusal(taken) ? taken : otherRequest
    // What is never finished is removed.
    alarm.arm(now() + CLAIM_MS)
    const imported = await importPage({ tenant, id, sql, transactionSync, sealingKey }, page, (record) =>
      refusalOf(actor, { before: null, after: record, named: { options: record.options } }),
    )
    if (isRefusal(imported)) return imported
    const { nextPage: next_page, record } = imported
    if (record === null) return { session_id: id, next_page, complete: false }
    const open = build(record, new Meta(sql))
    begun(open)
    open.background.recover()
    open.runner.start()
    // Questions have their expiry, a turn its heartbeat.
    alarm.arm(now())
    written()
    return { session_id: id, next_page, complete: true, events: open.log.lastSeq, files: open.workspace.totals().nodes }
  }

  /** At an alarm while there is no session: a copy goes on, a key's memory ends. */
  async look(): Promise<void> {
    const { alarm, now } = this.#deps
    if (this.#forking !== null) alarm.arm(now() + CHECK_INTERVAL_MS)
    else if (this.#claimed !== undefined || this.#restoring) await alarm.removeAll()
  }

  /** What there is under this id already: the same request's session (`false`), or a reason why it can't be made. */
  #taken(fingerprint: string | undefined, restoring = false): false | Refusal | undefined {
    const open = this.#deps.open()
    if (this.#deps.erased()) return conflict("a session with this id was deleted; ids are not used again")
    if (this.#forking !== null) return conflict("a session with this id is being made")
    if (!restoring && this.#restoring) return conflict("a session with this id is being restored")
    if (open === null) return this.#claimed === undefined ? undefined : otherRequest
    if (fingerprint === undefined) return conflict("a session with this id exists")
    return fingerprint === open.session.record.fingerprint ? false : otherRequest
  }

  get #restoring(): boolean {
    const { sql } = this.#deps
    return hasTables(sql) && new Meta(sql).get("restoring") !== undefined
  }

  get #claimed() {
    const { sql } = this.#deps
    return hasTables(sql) ? new Meta(sql).get("claim") : undefined
  }

  async #fork(args: ForkArgs): Promise<Refusal | undefined> {
    const { tenant, id, sql, transactionSync, alarm, other, build, begun, written, now } = this.#deps
    const source = other(args.parent)
    const started = await source.exportStart(args.at === undefined ? {} : { at: args.at })
    if (!started.ok) return { refused: started.error }
    const record = forkedRecord({ now, tenant, id }, started.value, args)
    const refused = refusalOf(args.actor, { before: null, after: record, named: { options: args.options } })
    if (refused !== undefined) return refused
    // If this process dies meanwhile, the alarm wakes the object and what it has is removed.
    alarm.arm(now() + CHECK_INTERVAL_MS)
    const deps = { sql, transactionSync, now, tenant, id, source }
    try {
      await importFork(deps, args.parent, started.value)
    } catch (error) {
      await alarm.removeAll()
      if (error instanceof ParentLost) return refuse("not_found_error", error.message)
      throw error
    }
    const open = transactionSync(() => {
      finishFork(sql, record)
      const made = build(record, new Meta(sql))
      made.session.resumption.beginFork(args.parent, started.value.head, args.actor)
      return made
    })
    begun(open)
    written()
    return undefined
  }
}

const conflict = (message: string): Refusal => refuse("conflict_error", message)
