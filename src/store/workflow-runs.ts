// The runs of a tenant's workflows as D1 lists them: receives what a run's object reports; returns pages.
// Invariant: every statement is bound to the tenant; a run is added only while the tenant may have one more unfinished run.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Who, whoOf } from "../schemas/access.ts"
import { type ListedRun, RunStatus } from "../schemas/api/workflows.ts"
import { AUDIT_SQL, auditRow } from "./audit.ts"
import { decodeCursor, encodeCursor, type Page, pageOf } from "./page-cursor.ts"
import { attempt, type InvalidCursor, StoreError } from "./store-error.ts"

/** A run's row in D1. Times are ISO 8601. */
export interface RunRow {
  readonly tenant: string
  readonly id: string
  readonly workflow: string
  readonly status: RunStatus
  readonly created_at: string
  readonly updated_at: string
  readonly ended_at: string | null
  readonly total_cost_usd: number
}

const Row = Schema.Struct({
  run_id: Schema.String,
  workflow: Schema.String,
  status: RunStatus,
  created_at: Schema.String,
  updated_at: Schema.String,
  ended_at: Schema.NullOr(Schema.String),
  total_cost_usd: Schema.Finite,
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const COLUMNS = Object.keys(Row.fields).join(", ")

/** The number of unfinished runs of the tenant that is bound to ?1. */
const COUNT_SQL = "(SELECT count(*) FROM workflow_runs WHERE tenant = ?1 AND ended_at IS NULL)"

const bindings = (row: RunRow) =>
  [
    row.tenant,
    row.id,
    row.workflow,
    row.status,
    row.created_at,
    row.updated_at,
    row.ended_at,
    row.total_cost_usd,
  ] as const

/** The id of the audit entry for a run's creation or deletion. */
const entryId = (run: string, done: "created" | "deleted") => `run:${run}:${done}`

/** The audit entry for a run's creation or deletion; its id makes it unique. `at` is in milliseconds since 1970. */
const auditOf = ({ tenant, id }: Pick<RunRow, "tenant" | "id">, done: "created" | "deleted", who: Who, at: number) =>
  JSON.stringify([
    auditRow({
      tenant,
      id: entryId(id, done),
      at,
      action: `run:${done}`,
      who: whoOf(who),
      session_id: null,
      subject: id,
    }),
  ])

/**
 * Adds a run that was started, unless the tenant already has `most` unfinished runs; true when D1 has the run now.
 * Safe to repeat.
 */
export const insertRun = Effect.fn("store.insertRun")(function* (
  db: D1Database,
  row: RunRow,
  most: number,
  who: Who,
): Effect.fn.Return<boolean, StoreError> {
  const insert = `INSERT INTO workflow_runs (tenant, ${COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
    WHERE ${COUNT_SQL} < ?9
    ON CONFLICT (tenant, run_id) DO NOTHING`
  const audit = `${AUDIT_SQL} WHERE EXISTS (SELECT 1 FROM workflow_runs WHERE tenant = ?2 AND run_id = ?3)`
  const entry = auditOf(row, "created", who, Date.parse(row.created_at))
  const [, found] = yield* attempt("insertRun", () =>
    db.batch([
      db.prepare(insert).bind(...bindings(row), most),
      db.prepare("SELECT 1 FROM workflow_runs WHERE tenant = ?1 AND run_id = ?2").bind(row.tenant, row.id),
      db.prepare(audit).bind(entry, row.tenant, row.id),
    ]),
  )
  return (found?.results.length ?? 0) > 0
})

/** How many of the tenant's runs have not ended. */
export const countRuns = Effect.fn("store.countRuns")(function* (
  db: D1Database,
  tenant: string,
): Effect.fn.Return<number, StoreError> {
  const sql = `SELECT ${COUNT_SQL} AS running`
  const running = yield* attempt("countRuns", () => db.prepare(sql).bind(tenant).first("running"))
  return Number(running ?? 0)
})

/** Updates a run's row. A run that D1 does not have, because it was erased, is not added again. */
export const updateRun = (db: D1Database, row: RunRow): Effect.Effect<unknown, StoreError> =>
  attempt("updateRun", () =>
    db
      .prepare(
        `UPDATE workflow_runs SET status = ?4, updated_at = ?6, ended_at = ?7, total_cost_usd = ?8
          WHERE tenant = ?1 AND run_id = ?2 AND workflow = ?3 AND created_at = ?5`,
      )
      .bind(...bindings(row))
      .run(),
  )

/** Undoes `insertRun`, whether or not it took effect: removes the run's row and its audit entry. Safe to repeat. */
export const withdrawRun = (
  db: D1Database,
  { tenant, id }: Pick<RunRow, "tenant" | "id">,
): Effect.Effect<unknown, StoreError> =>
  attempt("withdrawRun", () =>
    db.batch([
      db.prepare("DELETE FROM workflow_runs WHERE tenant = ?1 AND run_id = ?2").bind(tenant, id),
      db.prepare("DELETE FROM audit WHERE tenant = ?1 AND id = ?2").bind(tenant, entryId(id, "created")),
    ]),
  )

/** Removes the row of an erased run. Safe to repeat. */
export const deleteRun = (
  db: D1Database,
  run: Pick<RunRow, "tenant" | "id">,
  who: Who,
  at: number,
): Effect.Effect<unknown, StoreError> =>
  attempt("deleteRun", () =>
    db.batch([
      db.prepare("DELETE FROM workflow_runs WHERE tenant = ?1 AND run_id = ?2").bind(run.tenant, run.id),
      db.prepare(AUDIT_SQL).bind(auditOf(run, "deleted", who, at)),
    ]),
  )

/** Runs of a workflow by creation, newest first; with `status` only runs of that status. */
export const listRuns = Effect.fn("store.listRuns")(function* (
  db: D1Database,
  { tenant, workflow }: { readonly tenant: string; readonly workflow: string },
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly status?: RunStatus | undefined },
): Effect.fn.Return<Page<ListedRun>, StoreError | InvalidCursor> {
  const [createdAt, id] = page.cursor === undefined ? FIRST : yield* decodeCursor(listOf(workflow), page.cursor)
  const sql = `SELECT ${COLUMNS} FROM workflow_runs
    WHERE tenant = ?1 AND workflow = ?2 AND (created_at, run_id) < (?3, ?4) AND (?5 IS NULL OR status = ?5)
    ORDER BY created_at DESC, run_id DESC LIMIT ?6`
  const found = yield* attempt("listRuns", () =>
    db
      .prepare(sql)
      .bind(tenant, workflow, createdAt, id, page.status ?? null, page.limit + 1)
      .all(),
  )
  const rows = yield* decodeRows(found.results).pipe(
    Effect.mapError(() => new StoreError({ operation: "listRuns", message: "a run's row is not readable" })),
  )
  return pageOf(
    rows,
    page.limit,
    ({ run_id, ...row }) => ({ id: run_id, type: "workflow_run" as const, ...row }),
    ({ created_at, run_id }) => encodeCursor(listOf(workflow), [created_at, run_id]),
  )
})

const FIRST = ["9", ""] as const

const listOf = (workflow: string): string => `runs of ${workflow}`
