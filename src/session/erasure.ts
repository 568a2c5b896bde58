// How a session ends: receives the wish to erase it, or the word that a client may have been its last; removes it here
// and in D1, and returns what was removed.
// Invariant: what is left is the mark that its id was used; a session that could not be erased goes on as it was.
import { Effect } from "effect"
import type { Hooks } from "../agent/ports.ts"
import { encodeOutcome, NO_HOOKS } from "../hooks/outcome.ts"
import { type Actor, whoOf } from "../schemas/access.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import type { EraseReceipt } from "../schemas/rpc/session.ts"
import type { WebhookNamespace } from "../schemas/api/webhooks.ts"
import { type AuditRow, auditRow } from "../store/audit.ts"
import { auditRowsOf } from "../store/delivery/audit-rows.ts"
import { queueBatches, queueMessagesOf, sendToQueue } from "../store/delivery/hook-message.ts"
import { eraseSession } from "../store/sessions.ts"
import { type Alarm, CHECK_INTERVAL_MS } from "./storage/alarm.ts"
import { logLine } from "./server-log.ts"
import { Meta } from "./storage/meta.ts"
import type { OpenSession } from "./wire-session.ts"
import { createTables, type Sql } from "./storage/tables.ts"

export interface SessionErasureDeps {
  readonly tenant: string
  readonly id: string
  readonly sql: Sql
  readonly db: D1Database
  readonly queue: Queue
  readonly webhooks: WebhookNamespace
  readonly alarm: Alarm
  readonly sockets: () => ReadonlyArray<WebSocket>
  /** The session, while there is one. */
  readonly open: () => OpenSession | null
  /** From here on there is no session. */
  readonly ended: () => void
  readonly keepAlive: (work: Promise<void>) => void
  readonly now: () => number
}

export class SessionErasure {
  readonly #deps: SessionErasureDeps

  constructor(deps: SessionErasureDeps) {
    this.#deps = deps
  }

  /** Stops what runs, then removes everything. Rejects when D1 or the Queue can't be told; it may be tried again. */
  async erase(open: OpenSession, by?: Actor): Promise<EraseReceipt> {
    open.session.close()
    try {
      await open.runner.stop()
      return await this.#eraseAll(open, by)
    } finally {
      // Still here: what went wrong is told to the client, who may try again.
      if (this.#deps.open() !== null) {
        open.session.reopen()
        open.background.reopen()
      }
    }
  }

  /** A session that is not to be kept goes once nobody is there. Call it when that may be so. */
  lookAfter(leaving?: WebSocket): void {
    const { id, alarm, keepAlive, now } = this.#deps
    const open = this.#deps.open()
    if (open === null || open.session.closed || !open.ephemeral.isOver(leaving)) return
    keepAlive(
      this.erase(open).then(
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

  /** D1 first: from then on the session is not listed, and what is late is not stored. */
  async #eraseAll(
    { session, log, workspace, outbox, background, hooks }: OpenSession,
    by: Actor | undefined,
  ): Promise<EraseReceipt> {
    const { tenant, id, sql, db, queue, webhooks, alarm } = this.#deps
    background.close()
    session.append([await withOutcome(hooks, session.endEvent())])
    const events = log.lastSeq
    const { nodes: files } = workspace.totals()
    const ended = log.read({ after: events - 1, limit: 1, order: "asc" }).map((stored) => stored.event)
    const batches = queueBatches(queueMessagesOf(tenant, id, ended))
    const at = new Date(this.#deps.now()).toISOString()
    const audit = [...auditRowsOf(tenant, id, outbox.undelivered()), ...erasure(tenant, id, Date.parse(at), by)]
    await Effect.runPromise(Effect.andThen(sendToQueue(queue, batches), eraseSession(db, tenant, id, at, audit)))
    await webhooks.getByName(tenant).forget(id, Date.parse(at))
    for (const socket of this.#deps.sockets()) socket.close(1000, "the session was deleted")
    outbox.stop()
    this.#deps.ended()
    await alarm.removeAll()
    createTables(sql)
    new Meta(sql).set("erased", { at: Date.parse(at) })
    return { id, deleted: true, deleted_at: at, events, files }
  }
}

/** Who erased the session; it has no log any more in which that could be read. */
const erasure = (tenant: string, id: string, at: number, by: Actor | undefined): ReadonlyArray<AuditRow> => {
  if (by === undefined) return []
  const action = "session:erased" as const
  return [auditRow({ tenant, id: `${id}:erased`, at, action, session_id: id, who: whoOf(by), subject: null })]
}

/** An erasure waits this long for HTTP hooks of SessionEnd. */
const HOOKS_MS = 5_000

/** The event with what the hooks of the session's end answered. */
const withOutcome = async (hooks: Hooks["Service"], event: NewEvent<"hook:fired">): Promise<NewEvent> => {
  if (!hooks.listens("SessionEnd")) return event
  const { payload } = event
  const asked = hooks.run("SessionEnd", payload.input)
  const inTime = Effect.timeoutOrElse(asked, { duration: HOOKS_MS, orElse: () => Effect.succeed(NO_HOOKS) })
  const outcome = await Effect.runPromise(inTime)
  return { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }
}
