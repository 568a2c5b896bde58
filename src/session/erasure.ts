// Erases a session: on a request, or when the last client of a session that is not kept has left. Removes it from its object
// and from D1, and returns what was removed.
// Invariants: one erasure runs at a time; only the mark that the id was used remains, and later writes are dropped. If D1 or
// the Queue refuses the erasure, the session continues as before. Once D1 has removed it, even if its answer was lost, or
// when the process dies, the erasure is completed by the next attempt.
import * as Effect from "effect/Effect"
import type { Hooks } from "../agent/ports.ts"
import { encodeOutcome, NO_HOOKS } from "../hooks/outcome.ts"
import { type Actor, type Who, whoOf } from "../schemas/access.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import type { EraseReceipt } from "../schemas/api/api.ts"
import { type AuditRow, auditRow } from "../store/audit.ts"
import { auditRowsOf } from "../store/delivery/audit-rows.ts"
import { queueMessagesOf, sendToQueue } from "../store/delivery/hook-message.ts"
import { eraseSession, isErased } from "../store/sessions.ts"
import { CALL_LIMIT_MS } from "../store/store-error.ts"
import type { SessionLife } from "./life.ts"
import type { ObjectContext } from "./object-context.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { logLine } from "./server-log.ts"
import { type Erasing, Meta } from "./storage/meta.ts"
import type { OpenSession } from "./open-session.ts"
import type { TenantShare } from "./lanes/tenant-share.ts"
import { createTables } from "./storage/tables.ts"

export class SessionErasure {
  readonly #context: ObjectContext
  readonly #life: SessionLife
  readonly #share: TenantShare
  #running: Promise<EraseReceipt> | null = null

  constructor(context: ObjectContext, life: SessionLife, share: TenantShare) {
    this.#context = context
    this.#life = life
    this.#share = share
  }

  /**
   * Stops what runs, then removes everything. Rejects when D1, the Queue or an object of the tenant fails; the caller may try
   * again. Calls during an erasure share its receipt.
   */
  erase(open: OpenSession, by?: Actor): Promise<EraseReceipt> {
    this.#running ??= this.#erase(open, by).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Call it when the object starts, and at its alarms: completes an erasure that was interrupted. True when there is one. */
  resume(open: OpenSession): boolean {
    const { id, keepAlive } = this.#context
    const mark = this.#mark
    if (mark === undefined || this.#running !== null) return this.#running !== null
    this.#guard()
    if (mark.unanswered !== undefined) {
      keepAlive(this.#confirm(open, mark.unanswered))
      return false
    }
    keepAlive(
      this.erase(open).then(
        () => undefined,
        (error: unknown) =>
          logLine("warn", "a session could not be erased and will be tried again", { session: id, error }),
      ),
    )
    return true
  }

  async #erase(open: OpenSession, by: Actor | undefined): Promise<EraseReceipt> {
    this.#life.become({ tag: "erasing", session: open })
    try {
      await open.runner.stop()
      return await this.#eraseAll(open, by)
    } finally {
      if (!this.#life.isErased) this.#failed(open)
    }
  }

  /** The client gets the error and may try again. Unless D1 is known to have removed the session, it stays open. */
  #failed(open: OpenSession): void {
    const mark = this.#mark
    if (mark !== undefined) this.#guard()
    if (mark !== undefined && mark.unanswered === undefined) return
    this.#life.become({ tag: "open", session: open })
    open.runner.start()
    open.core.background.recover()
    if (mark?.unanswered !== undefined) this.#context.keepAlive(this.#confirm(open, mark.unanswered))
  }

  /**
   * D1 did not answer at `since`: completes the erasure if D1 has removed the session. If it has not, and can't do so any
   * more, the session is no longer marked. Never rejects; the next alarm tries again.
   */
  async #confirm(open: OpenSession, since: number): Promise<void> {
    const { id, tenant, env, now } = this.#context
    try {
      const removed = await Effect.runPromise(isErased(env.DB, tenant, id))
      // A request to erase it decides instead.
      if (this.#running !== null || this.#mark?.unanswered !== since) return
      if (removed) await this.erase(open)
      else if (now() - since >= CALL_LIMIT_MS) new Meta(this.#context.sql).delete("erasing")
    } catch (error) {
      logLine("warn", "it is not known whether D1 has erased a session; this will be checked again", {
        session: id,
        error,
      })
    }
  }

  get #mark(): Erasing | undefined {
    return new Meta(this.#context.sql).get("erasing")
  }

  /** The next alarm completes the erasure. */
  #guard(): void {
    const { alarm, now } = this.#context
    alarm.arm(now() + CHECK_INTERVAL_MS)
  }

  /**
   * Erases a session with `persistSession: false` once no client has been connected for a minute. Call it whenever that may
   * have become true.
   */
  eraseIfAbandoned(leaving?: WebSocket): void {
    const { id, alarm, keepAlive, now } = this.#context
    const { state } = this.#life
    if (state.tag !== "open" || !state.session.ephemeral.checkAbandoned(leaving)) return
    keepAlive(
      this.erase(state.session).then(
        () => undefined,
        (error: unknown) => {
          logLine("warn", "a session that is not kept could not be erased and will be tried again", {
            session: id,
            error,
          })
          alarm.arm(now() + CHECK_INTERVAL_MS)
        },
      ),
    )
  }

  /** D1 before the object: from then on the session is not listed, and D1 stores none of its late rows. */
  async #eraseAll(open: OpenSession, by: Actor | undefined): Promise<EraseReceipt> {
    const { id, sql, env, tenant, alarm, sockets, now } = this.#context
    const { background, log, outbox, turnWaits, workspace } = open.core
    background.close()
    const isRepeated = this.#mark !== undefined
    const mark = this.#mark ?? (await this.#begin(open, by))
    const { at } = mark
    const events = log.lastSeq
    const { nodes: files } = workspace.totals()
    const deleted_at = new Date(at).toISOString()
    try {
      // D1 comes after the Queue, which has the event when D1 was asked before.
      if (mark.unanswered === undefined) await this.#sendEnd(open)
    } catch (error) {
      // An earlier attempt may have removed the rows.
      if (!isRepeated) new Meta(sql).delete("erasing")
      throw error
    }
    try {
      await this.#eraseRows(open, mark)
    } catch (error) {
      if (!isRepeated || mark.unanswered !== undefined) new Meta(sql).set("erasing", { ...mark, unanswered: now() })
      throw error
    }
    if (mark.unanswered !== undefined) new Meta(sql).set("erasing", withoutDoubt(mark))
    await env.WEBHOOKS.getByName(tenant).forget(id, at)
    await this.#share.uncountSession()
    for (const socket of sockets()) socket.close(1000, "the session was deleted")
    this.#life.become({ tag: "erased" })
    outbox.forgetLag()
    await alarm.removeAll(() => {
      createTables(sql)
      new Meta(sql).set("erased", { at })
    })
    sql.closeForWrites()
    turnWaits.changed()
    return { id, deleted: true, deleted_at, events, files }
  }

  /** Ends the session, and marks in the same transaction that it is being erased. */
  async #begin({ core, hooks }: OpenSession, by: Actor | undefined): Promise<Erasing> {
    const { sql, now } = this.#context
    const ended = await withOutcome(hooks, core.endEvent())
    const mark = { at: now(), ...(by === undefined ? {} : { by: whoOf(by) }) }
    core.append([ended], () => new Meta(sql).set("erasing", mark))
    this.#guard()
    return mark
  }

  /** Sends the last hook event. Safe to repeat. */
  async #sendEnd({ core: { log } }: OpenSession): Promise<void> {
    const { tenant, id, env } = this.#context
    const ended = log.read({ after: log.lastSeq - 1, limit: 1, order: "asc" }).map((stored) => stored.event)
    await Effect.runPromise(sendToQueue(env.HOOKS, queueMessagesOf(tenant, id, ended)))
  }

  /** Removes the session's rows from D1. Safe to repeat. When it rejects, they may have been removed. */
  async #eraseRows({ core: { outbox } }: OpenSession, { at, by }: Erasing): Promise<void> {
    const { tenant, id, env } = this.#context
    const audit = [...auditRowsOf(tenant, id, outbox.undelivered()), ...erasure(tenant, id, at, by)]
    await Effect.runPromise(eraseSession(env.DB, tenant, id, new Date(at).toISOString(), audit))
  }
}

/** The mark once D1 has removed the session: it can't continue as before. */
const withoutDoubt = ({ unanswered: _, ...mark }: Erasing): Erasing => mark

/** The audit row that says who erased the session: its log, which would say so, is gone. */
const erasure = (tenant: string, id: string, at: number, by: Who | undefined): ReadonlyArray<AuditRow> => {
  if (by === undefined) return []
  const action = "session:erased" as const
  return [auditRow({ tenant, id: `${id}:erased`, at, action, session_id: id, who: by, subject: null })]
}

/** An erasure waits this long for HTTP hooks of SessionEnd. */
const HOOKS_MS = 5_000

/** The event with the outcome of the SessionEnd hooks. */
const withOutcome = async (hooks: Hooks["Service"], event: NewEvent<"hook:fired">): Promise<NewEvent> => {
  if (!hooks.listens("SessionEnd")) return event
  const { payload } = event
  const outcomeOfHooks = hooks.run("SessionEnd", payload.input)
  const inTime = Effect.timeoutOrElse(outcomeOfHooks, { duration: HOOKS_MS, orElse: () => Effect.succeed(NO_HOOKS) })
  const outcome = await Effect.runPromise(inTime)
  return { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }
}
