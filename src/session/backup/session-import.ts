// Receives the pages of a session's backup; writes their rows into an object without a session; the last page makes the
// session exist.
// Invariant: until then the session does not exist: its `meta` rows have other names. A repeated page changes nothing, and
// the last page is rolled back when the rows do not add up to a session.
import { createHash } from "node:crypto"
import type { BackupCell, BackupPage, BackupTable } from "../../schemas/api/backup.ts"
import type { SessionForked } from "../../schemas/log/session-events.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { unseal } from "../../store/seal.ts"
import { Meta, type SessionRecord } from "../storage/meta.ts"
import { createRecordedTable, RECORDED_TABLE } from "../recording/recorded-table.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { createTables, hasTables, type Sql } from "../storage/tables.ts"
import { isBackedUp, quoted, sealOwner, shapesOf } from "./session-export.ts"
import type { ObjectContext } from "../object-context.ts"

/** Prefix of the keys in `meta` until the restore is complete. */
const HELD = "restored:"

/** The object into which the backup is restored. */
type ImportContext = Pick<ObjectContext, "tenant" | "id" | "sql" | "transactionSync">

export interface Imported {
  readonly nextPage: number
  /** The session, when this was the last page. */
  readonly record: SessionRecord | null
}

/**
 * Writes a page, or returns the refusal; `mayBe` refuses the restored session. The caller makes sure that there is no
 * session.
 */
export const importPage = async (
  context: ImportContext,
  sealingKey: string,
  page: BackupPage,
  mayBe: (record: SessionRecord) => Refusal | undefined,
): Promise<Imported | Refusal> => {
  const { sql, id, transactionSync } = context
  if (page.session_id !== id)
    return refuse("invalid_request_error", "session_id: belongs to another session", "session_id")
  const restoring = hasTables(sql) ? new Meta(sql).get("restoring") : undefined
  if (
    page.page > 0 &&
    (restoring === undefined || restoring.revision !== page.revision || page.page > restoring.next_page)
  ) {
    return refuse(
      "conflict_error",
      "This page does not follow the restored pages of the session. Start with page 0.",
      "page",
    )
  }
  if (restoring !== undefined && restoring.revision === page.revision && page.page < restoring.next_page) {
    return { nextPage: restoring.next_page, record: null }
  }
  const opened = await Promise.all(page.tables.map((table) => unsealed(id, sealingKey, table)))
  if (opened.includes(null)) return sealedOtherwise
  // Another page may have been written meanwhile.
  const now = hasTables(sql) ? new Meta(sql).get("restoring") : undefined
  if (now?.next_page !== restoring?.next_page || now?.revision !== restoring?.revision) {
    return refuse("conflict_error", "Another restore of this session is in progress. Try again.")
  }
  try {
    return transactionSync(() => {
      if (page.page === 0) clear(sql)
      createTables(sql)
      for (const table of opened) if (table !== null) writeRows(sql, table)
      const nextPage = page.page + 1
      if (page.next_cursor === null) {
        const record = finish(context, page)
        const refused = mayBe(record)
        if (refused !== undefined) throw new Refused(refused)
        return { nextPage, record }
      }
      new Meta(sql).set("restoring", { revision: page.revision, next_page: nextPage })
      return { nextPage, record: null }
    })
  } catch (error) {
    if (error instanceof Refused) return error.refusal
    if (error instanceof Unreadable) return refuse("unprocessable_error", error.message)
    throw error
  }
}

/** Rolls the transaction back: the actor may not create such a session. */
class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.refused.message)
    this.refusal = refusal
  }
}

/** The rows are no session that this version can read. */
class Unreadable extends Error {}

const sealedOtherwise = refuse(
  "unprocessable_error",
  "The backup was sealed with another key. Set PERCH_BACKUP_KEY to the one of the server that created it, or to that server's root key if it had none.",
)

/** Removes the rows of an unfinished restore. */
const clear = (sql: Sql): void => {
  for (const { name } of hasTables(sql) ? shapesOf(sql) : []) sql.exec(`DELETE FROM ${quoted(name)}`)
}

const writeRows = (sql: Sql, { name, columns, rows }: BackupTable): void => {
  // Backups of earlier versions have such tables.
  if (!isBackedUp(name)) return
  // Only a recorded session has this table, so it may be missing here.
  if (name === RECORDED_TABLE) createRecordedTable(sql)
  const shape = shapesOf(sql).find((table) => table.name === name)
  const unknown = shape === undefined ? `table ${name}` : columns.find((column) => !shape.columns.includes(column))
  if (unknown !== undefined) {
    throw new Unreadable(
      `The backup has the ${shape === undefined ? "" : "column "}${unknown.slice(0, 100)}, which this version does not support. Restore it with the version that created it, or a later one.`,
    )
  }
  const statement = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
  const keyAt = name === "meta" ? columns.indexOf("key") : -1
  for (const row of rows) {
    if (row.length !== columns.length) throw new Unreadable("A row of the backup does not have one value per column.")
    sql.exec(statement, ...row.map((cell, column) => (column === keyAt ? `${HELD}${String(cell)}` : valueOf(cell))))
  }
}

const valueOf = (cell: BackupCell): SqlStorageValue => {
  if (typeof cell !== "object" || cell === null) return cell
  if (!("base64" in cell)) throw new Unreadable("The backup has a sealed value in an unexpected place.")
  const bytes = Buffer.from(cell.base64, "base64")
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
}

const unsealed = async (id: string, sealingKey: string, table: BackupTable): Promise<BackupTable | null> => {
  if (table.name !== "meta") return table
  const open = async (cell: BackupCell): Promise<BackupCell> =>
    typeof cell === "object" && cell !== null && "sealed" in cell
      ? unseal(sealingKey, sealOwner(id), cell.sealed)
      : cell
  const rows = Promise.all(table.rows.map((row) => Promise.all(row.map(open))))
  return rows.then(
    (plain) => ({ ...table, rows: plain }),
    () => null,
  )
}

/** Checks what was written and makes the session exist. */
const finish = ({ sql, tenant, id }: ImportContext, page: BackupPage): SessionRecord => {
  checkEvents(sql, page.through)
  checkBlobs(sql)
  const meta = new Meta(sql)
  meta.delete("restoring")
  sql.exec("UPDATE meta SET key = substr(key, ?) WHERE substr(key, 1, ?) = ?", HELD.length + 1, HELD.length, HELD)
  // The restored session is not erased, even if the other one was about to be.
  meta.delete("erasing")
  const record = recordOf(meta)
  if (record === undefined || record.id !== id)
    throw new Unreadable("The backup contains no session that this version can read.")
  const own = { ...record, tenant }
  meta.set("session", own)
  // D1 gets its rows from the log. Hook events count as sent to the Queue: the outbox checks which of them D1 lacks.
  const copied = copiedThrough(sql)
  meta.set("outbox", { d1_seq: copied, queue_seq: page.through, ...(copied === 0 ? { head_seq: 0 } : {}) })
  return own
}

const recordOf = (meta: Meta): SessionRecord | undefined => {
  try {
    return meta.get("session")
  } catch {
    return undefined
  }
}

const checkEvents = (sql: Sql, through: number): void => {
  const { count, first, last } = sql
    .exec<{ count: number; first: number | null; last: number | null }>(
      "SELECT COUNT(*) AS count, MIN(seq) AS first, MAX(seq) AS last FROM events",
    )
    .one()
  if (count !== through || first !== 1 || last !== through) {
    throw new Unreadable(
      `The backup should have the events 1 to ${through} and has ${count}. Restore all of its pages.`,
    )
  }
}

/** Checks each blob against its hash, with one chunk in memory at a time. */
const checkBlobs = (sql: Sql): void => {
  let current = ""
  let digest = createHash("sha256")
  const check = () => {
    if (current !== "" && digest.digest("hex") !== current)
      throw new Unreadable("A content of the backup does not match its hash.")
  }
  for (const { hash, data } of sql.exec<{ hash: string; data: ArrayBuffer }>(
    "SELECT hash, data FROM blobs ORDER BY hash, chunk",
  )) {
    if (hash !== current) {
      check()
      current = hash
      digest = createHash("sha256")
    }
    digest.update(new Uint8Array(data))
  }
  check()
}

/** seq of the last event that the session has copied from its parent; 0 if it is no fork. */
const copiedThrough = (sql: Sql): number => {
  const [forked] = sql
    .exec<{ json: string }>(
      "SELECT json FROM events WHERE name = ? AND stored = 0 ORDER BY seq DESC LIMIT 1",
      EventNames.sessionForked,
    )
    .toArray()
  if (forked === undefined) return 0
  // Can't fail: the log wrote the payload.
  return (JSON.parse(forked.json) as SessionForked).through ?? 0
}
