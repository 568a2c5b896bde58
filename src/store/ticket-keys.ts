// The random keys that tickets are signed with, in D1: the first key is created with the first ticket.
// Invariant: two Workers that start at the same time sign with the same key.
import * as Effect from "effect/Effect"
import { attempt } from "./store-error.ts"

export interface TicketKey {
  readonly id: string
  /** The key in hex. */
  readonly secret: string
}

/** The current signing key; when there is none, `fresh` is stored and becomes it. */
export const signingKey = (db: D1Database, fresh: TicketKey, now: number) =>
  attempt("signingKey", async () => {
    await db
      .prepare(
        "INSERT INTO ticket_keys (id, secret, created_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM ticket_keys)",
      )
      .bind(fresh.id, fresh.secret, now)
      .run()
    return db.prepare("SELECT id, secret FROM ticket_keys ORDER BY created_at DESC, id DESC LIMIT 1").first<TicketKey>()
  }).pipe(Effect.map((key) => key ?? fresh))

/** The key with this id, or null. */
export const findTicketKey = (db: D1Database, id: string) =>
  attempt("findTicketKey", () =>
    db.prepare("SELECT id, secret FROM ticket_keys WHERE id = ?").bind(id).first<TicketKey>(),
  )
