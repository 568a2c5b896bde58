// Calls with effects outside the session, each one row that is written before it runs.
// Invariant: a call that was started is never started again, in this process or a later one.
import { Effect } from "effect"
import type { ToolLedger } from "../agent/ports.ts"
import type { Sql } from "./tables.ts"

/** The ledger of a session. It reads its rows once: most calls are not in it, and asking for each would cost a query. */
export const ledgerOf = (sql: Sql, now: () => number): ToolLedger["Service"] => {
  let started: Set<string> | null = null
  const known = (): Set<string> => {
    started ??= new Set(
      sql
        .exec<{ tool_use_id: string }>("SELECT tool_use_id FROM tool_runs")
        .toArray()
        .map((row) => row.tool_use_id),
    )
    return started
  }
  return {
    wasStarted: (id) => known().has(id),
    start: (id, tool) =>
      Effect.sync(() => {
        sql.exec("INSERT INTO tool_runs (tool_use_id, tool, started_at) VALUES (?, ?, ?)", id, tool, now())
        known().add(id)
      }),
    settle: (id) => {
      sql.exec("UPDATE tool_runs SET settled_at = ? WHERE tool_use_id = ?", now(), id)
    },
  }
}
