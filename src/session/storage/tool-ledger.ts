// Calls with effects outside the session, each one row that is written before it runs.
// Invariant: a call that was started is known as such, in this process and in every later one, and the start of a repeated
// run is later than that of the run before.
import * as Effect from "effect/Effect"
import type { ToolLedger } from "../../agent/ports.ts"
import type { Sql } from "./tables.ts"

/**
 * The ledger of a session. It reads its rows once: most calls are not in it, and a look-up for each would cost a query.
 * `resting`: no turn and no agent was left open, so no call that runs from now on has a row, and none are read.
 */
export const ledgerOf = (sql: Sql, now: () => number, resting: boolean): ToolLedger["Service"] => {
  let started: Map<string, number> | null = resting ? new Map() : null
  const known = (): Map<string, number> => {
    started ??= new Map(
      sql
        .exec<{ tool_use_id: string; started_at: number }>("SELECT tool_use_id, started_at FROM tool_runs")
        .toArray()
        .map((row) => [row.tool_use_id, row.started_at]),
    )
    return started
  }
  return {
    wasStarted: (id) => known().has(id),
    startedAt: (id) => known().get(id) ?? 0,
    start: (id, tool, after = 0) =>
      Effect.sync(() => {
        const at = Math.max(now(), (known().get(id) ?? 0) + 1, after + 1)
        sql.exec(
          `INSERT INTO tool_runs (tool_use_id, tool, started_at) VALUES (?, ?, ?)
            ON CONFLICT (tool_use_id) DO UPDATE SET started_at = excluded.started_at`,
          id,
          tool,
          at,
        )
        known().set(id, at)
      }),
    settle: (id) => {
      sql.exec("UPDATE tool_runs SET settled_at = ? WHERE tool_use_id = ?", now(), id)
    },
  }
}
