// The rows of a session in D1 before and after they are lost and rebuilt.
import type { Booted, SessionHarness } from "../../support/session/session-harness.ts"
import type { SqliteD1 } from "../../support/session/sqlite-d1.ts"

const TABLES = ["sessions", "messages", "parts", "costs", "turns", "hook_events"] as const
type Rows = Readonly<Record<(typeof TABLES)[number], ReadonlyArray<Readonly<Record<string, unknown>>>>>

const rowsOf = (database: SqliteD1): Rows =>
  ({
    sessions: database.rows("sessions"),
    messages: database.rows("messages"),
    parts: database.rows("parts"),
    costs: database.rows("costs"),
    turns: database.rows("turns"),
    hook_events: database.rows("hook_events"),
  }) satisfies Rows

export const rebuiltRows = async ({ database }: SessionHarness, { outbox }: Booted) => {
  await outbox.flush()
  const before = rowsOf(database)
  for (const table of TABLES) database.sqlite.exec(`DELETE FROM ${table}`)
  const counts = await outbox.rebuild()
  return { before, after: rowsOf(database), counts }
}
