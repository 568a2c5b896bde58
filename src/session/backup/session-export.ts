// Exports a session's stored rows page by page, for a backup. The first page holds all state that changes, the next ones the
// events up to that moment, and the last ones the blobs, both of which are only ever added to.
// Invariant: all pages show one moment. State that does not fit into one page is exported only while the session does not
// change.
import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { BackupCell, BackupPage, BackupTable } from "../../schemas/api/backup.ts"
import { seal } from "../../store/seal.ts"
import { FOLDS } from "../storage/fold-checkpoint.ts"
import type { CountedSql } from "../storage/tables.ts"
import { isRefusal, type Refusal, refuse } from "../refusal.ts"
import type { SessionCore } from "../core.ts"

/** Characters of JSON in a page; one row alone may be longer (a chunk of a blob is 2 MB of base64). */
const PAGE_ROOM = 1_800_000
const ROW_ROOM = 64
const ROWS = 64
/** Tables whose rows never change, in the order of their pages; all others are state. */
const ADDED_TO: ReadonlyArray<string> = ["events", "blobs"]

/** Where the next page starts: after the row of `table` whose key is `after`. */
const Cursor = Schema.Struct({
  revision: Schema.String,
  through: Schema.Int,
  written: Schema.NullOr(Schema.Int),
  page: Schema.Int,
  table: Schema.String,
  after: Schema.NullOr(Schema.Array(Schema.Union([Schema.String, Schema.Finite]))),
})
type Cursor = typeof Cursor.Type
const decodeCursor = Schema.decodeUnknownResult(Schema.fromJsonString(Cursor))

/** What is exported. */
type Exported = Pick<SessionCore, "context" | "log">

/** The owner that values are sealed for. It names the session alone, so that a backup may be restored for another tenant. */
export const sealOwner = (id: string): string => `backup:${id}`

interface Shape {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly key: ReadonlyArray<string>
}

/** False for a table that no restore writes: the fold's checkpoint, made from the log, and tables of the runtime (`_cf_…`). */
export const isBackedUp = (table: string): boolean => table !== FOLDS && !table.startsWith("_")

/** The session's own tables with their columns, as SQLite has them. */
export const shapesOf = (sql: Pick<SqlStorage, "exec">): ReadonlyArray<Shape> => {
  const tables = sql
    .exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .toArray()
  const own = tables.filter(({ name }) => isBackedUp(name))
  return own.map(({ name }) => {
    const columns = sql.exec<{ name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(?)", name).toArray()
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk)
    return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) }
  })
}

/** The first page without a cursor, or the page of the cursor. Values of `meta` are sealed with `sealingKey`. */
export const exportPage = async (
  core: Exported,
  sealingKey: string,
  cursor: string | null,
): Promise<BackupPage | Refusal> => {
  const page = cursor === null ? firstPage(core) : nextPage(core, cursor)
  if (isRefusal(page)) return page
  const { id } = core.context
  return { ...page, tables: await Promise.all(page.tables.map((table) => sealed(id, sealingKey, table))) }
}

const firstPage = (core: Exported): BackupPage => {
  const hash = createHash("sha256")
  const through = core.log.lastSeq
  hash.update(String(through))
  const tables: Array<BackupTable> = []
  let room = PAGE_ROOM
  let fits = true
  for (const shape of shapesOf(core.context.sql)) {
    if (ADDED_TO.includes(shape.name)) continue
    // The whole state is read for its hash; rows go into the page while they fit.
    const rows: Array<ReadonlyArray<BackupCell>> = []
    for (const { row, size } of rowsAfter(core.context.sql, shape, null)) {
      // The outbox cursors say what D1 has; they are not the session's own state, and a restore sets new ones.
      if (shape.name !== "meta" || row[shape.columns.indexOf("key")] !== "outbox") {
        hash.update(JSON.stringify([shape.name, row]))
      }
      room -= size
      if (room < 0) fits = false
      if (fits) rows.push(row)
    }
    tables.push({ name: shape.name, columns: shape.columns, rows })
  }
  const base = {
    format: 1,
    tenant: core.context.tenant,
    session_id: core.context.id,
    revision: hash.digest("hex"),
    through,
    page: 0,
  } as const
  const cursor = { revision: base.revision, through, page: 1 }
  if (fits)
    return { ...base, tables, next_cursor: cursorText({ ...cursor, written: null, table: "events", after: null }) }
  const first = shapesOf(core.context.sql).find(({ name }) => !ADDED_TO.includes(name))!.name // `meta` at least
  const next = cursorText({ ...cursor, written: core.context.sql.rowsWritten, table: first, after: null })
  return { ...base, tables: [], next_cursor: next }
}

const nextPage = (core: Exported, text: string): BackupPage | Refusal => {
  const read = decodeCursor(text)
  if (read._tag === "Failure") return refuse("invalid_request_error", "cursor: does not belong to this route", "cursor")
  const cursor = read.success
  const shapes = shapesOf(core.context.sql)
  const order = [...shapes.filter(({ name }) => !ADDED_TO.includes(name)).map(({ name }) => name), ...ADDED_TO]
  const shape = shapes.find(({ name }) => name === cursor.table)
  if (shape === undefined) return refuse("invalid_request_error", "cursor: does not belong to this route", "cursor")
  const isState = !ADDED_TO.includes(shape.name)
  if (isState && (cursor.written !== core.context.sql.rowsWritten || cursor.through !== core.log.lastSeq))
    return changed
  const rows: Array<ReadonlyArray<BackupCell>> = []
  let room = PAGE_ROOM
  let after: ReadonlyArray<string | number> | null = cursor.after
  let more = false
  for (const { row, size, key } of rowsAfter(core.context.sql, shape, cursor.after)) {
    if (shape.name === "events" && Number(row[0]) > cursor.through) break
    room -= size
    more = room < 0 && rows.length > 0
    if (more) break
    rows.push(row)
    after = key
  }
  const following = order[order.indexOf(shape.name) + 1]
  const at = more ? { table: shape.name, after } : following === undefined ? null : { table: following, after: null }
  return {
    format: 1,
    tenant: core.context.tenant,
    session_id: core.context.id,
    revision: cursor.revision,
    through: cursor.through,
    page: cursor.page,
    tables: [{ name: shape.name, columns: shape.columns, rows }],
    next_cursor: at === null ? null : cursorText({ ...cursor, ...at, page: cursor.page + 1 }),
  }
}

const changed = refuse("conflict_error", "The session changed during the export. Start again without a cursor.")

const cursorText = (cursor: Cursor): string => JSON.stringify(cursor)

interface Row {
  readonly row: ReadonlyArray<BackupCell>
  readonly size: number
  readonly key: ReadonlyArray<string | number>
}

/** Rows in the order of their key, a few at a time: one may hold two megabytes. */
function* rowsAfter(sql: CountedSql, shape: Shape, from: ReadonlyArray<string | number> | null): Generator<Row> {
  const { name, columns, key } = shape
  const names = columns.map(quoted).join(", ")
  const keys = key.map(quoted).join(", ")
  const limit = name === "blobs" ? 2 : ROWS
  for (let after = from; ;) {
    const where = after === null ? "" : `WHERE (${keys}) > (${key.map(() => "?").join(", ")})`
    const query = `SELECT ${names} FROM ${quoted(name)} ${where} ORDER BY ${keys} LIMIT ${limit}`
    const rows = [...sql.exec(query, ...(after ?? [])).raw<Array<SqlStorageValue>>()]
    for (const values of rows) {
      const row = values.map(cellOf)
      // Can't fail: keys are texts and numbers.
      after = key.map((column) => values[columns.indexOf(column)] as string | number)
      yield { row, size: row.reduce<number>((sum, cell) => sum + sizeOf(cell), ROW_ROOM), key: after }
    }
    if (rows.length < limit) return
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const cellOf = (value: SqlStorageValue): BackupCell =>
  value instanceof ArrayBuffer ? { base64: Buffer.from(value).toString("base64") } : value

const sizeOf = (cell: BackupCell): number =>
  typeof cell === "string"
    ? cell.length
    : typeof cell === "object" && cell !== null && "base64" in cell
      ? cell.base64.length
      : 8

/** `meta` as it leaves the server: only the names of its rows can be read. */
const sealed = async (id: string, sealingKey: string, table: BackupTable): Promise<BackupTable> => {
  if (table.name !== "meta") return table
  const at = table.columns.indexOf("json")
  const rows = table.rows.map((row) =>
    Promise.all(
      row.map(async (cell, column) =>
        column === at && typeof cell === "string" ? { sealed: await seal(sealingKey, sealOwner(id), cell) } : cell,
      ),
    ),
  )
  return { ...table, rows: await Promise.all(rows) }
}
