// Erases a session: on a request, or when the last client of a session that is not kept has left. Removes it from its object
// and from D1, and returns what was removed.
// Invariants: one erasure runs at a time; only the mark that the id was used remains, and later writes are dropped; if the
// erasure fails, the session continues as before.
import * as Effect from "effect/Effect"
import type { Hooks } from "../agent/ports.ts"
import { encodeOutcome, NO_HOOKS } from "../hooks/outcome.ts"
import { type Actor, whoOf } from "../schemas/access.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import type { EraseReceipt } from "../schemas/rpc/session.ts"
import { type AuditRow, auditRow } from "../store/audit.ts"
import { auditRowsOf } from "../store/delivery/audit-rows.ts"
import { queueMessagesOf, sendToQueue } from "../store/delivery/hook-message.ts"
import { eraseSession } from "../store/sessions.ts"
import type { SessionLife } from "./life.ts"
import type { ObjectContext } from "./object-context.ts"
import { CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { logLine } from "./server-log.ts"
import { Meta } from "./storage/meta.ts"
import type { OpenSession } from "./open-session.ts"
import type { TenantShare } from "./turns/tenant-share.ts"
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

  async #erase(open: OpenSession, by: Actor | undefined): Promise<EraseReceipt> {
    this.#life.become({ tag: "erasing", session: open })
    try {
      await open.runner.stop()
      return await this.#eraseAll(open, by)
    } finally {
      // The erasure failed: the session stays open, and the client gets the error and may try again.
      if (!this.#life.isErased) {
        this.#life.become({ tag: "open", session: open })
        open.runner.start()
        open.core.background.recover()
      }
    }
  }

  /**
   * Erases a session with `persistSession: false` once no client has been connected for a minute. Call it whenever that may
   * have become true.
   */
  eraseIfAbandoned(leaving?: WebSocket): void {
    const { id, alarm, keepAlive, now } = this.#context
    const { state } = this.#life
    if (state.tag !== "open" || !state.session.ephemeral.isOver(leaving)) return
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
  async #eraseAll({ core, hooks }: OpenSession, by: Actor | undefined): Promise<EraseReceipt> {
    const { tenant, id, sql, env, alarm, now, sockets } = this.#context
    const { background, log, outbox, workspace } = core
    background.close()
    core.append([await withOutcome(hooks, core.endEvent())])
    const events = log.lastSeq
    const { nodes: files } = workspace.totals()
    const ended = log.read({ after: events - 1, limit: 1, order: "asc" }).map((stored) => stored.event)
    const hookEvents = queueMessagesOf(tenant, id, ended)
    const at = new Date(now()).toISOString()
    const audit = [...auditRowsOf(tenant, id, outbox.undelivered()), ...erasure(tenant, id, Date.parse(at), by)]
    await Effect.runPromise(
      Effect.andThen(sendToQueue(env.HOOKS, hookEvents), eraseSession(env.DB, tenant, id, at, audit)),
    )
    await env.WEBHOOKS.getByName(tenant).forget(id, Date.parse(at))
    await this.#share.uncountSession()
    for (const socket of sockets()) socket.close(1000, "the session was deleted")
    this.#life.become({ tag: "erased" })
    outbox.forgetLag()
    await alarm.removeAll(() => {
      createTables(sql)
      new Meta(sql).set("erased", { at: Date.parse(at) })
    })
    sql.closeForWrites()
    core.turnWaits.changed()
    return { id, deleted: true, deleted_at: at, events, files }
  }
}

/** The audit row that says who erased the session: its log, which would say so, is gone. */
const erasure = (tenant: string, id: string, at: number, by: Actor | undefined): ReadonlyArray<AuditRow> => {
  if (by === undefined) return []
  const action = "session:erased" as const
  return [auditRow({ tenant, id: `${id}:erased`, at, action, session_id: id, who: whoOf(by), subject: null })]
}

/** An erasure waits this long for HTTP hooks of SessionEnd. */
const HOOKS_MS = 5_000

/** The event with the outcome of the SessionEnd hooks. */
const withOutcome = async (hooks: Hooks["Service"], event: NewEvent<"hook:fired">): Promise<NewEvent> => {
  if (!hooks.listens("SessionEnd")) return event
  const { payload } = event
  const asked = hooks.run("SessionEnd", payload.input)
  const inTime = Effect.timeoutOrElse(asked, { duration: HOOKS_MS, orElse: () => Effect.succeed(NO_HOOKS) })
  const outcome = await Effect.runPromise(inTime)
  return { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }
}
