// The rows of what a session exchanged with the outside: in a recorded session the answers, in one that plays a recording
// which of its answers were given.
// Invariant: the tables are made when a session first records or plays: one that runs live has neither.
import { Blobs } from "../../workspace/blobs.ts"
import type { AnswerKind } from "../../recording/recording.ts"
import type { Sql } from "../storage/tables.ts"

/** `missing`: what a recording that is played does not have. */
export type RowKind = AnswerKind | "missing"

export interface NewRow {
  readonly kind: RowKind
  readonly hash: string
  readonly ordinal: number
  /** JSON. */
  readonly request: string
  readonly response: string
}

export interface StoredRow extends NewRow {
  readonly n: number
}

const TABLES = [
  // `stored` has flags: 1 when `request` is the hash of a blob that holds the text, 2 the same of `response`.
  `CREATE TABLE IF NOT EXISTS recorded (
    n INTEGER PRIMARY KEY, kind TEXT NOT NULL, hash TEXT NOT NULL, ordinal INTEGER NOT NULL, stored INTEGER NOT NULL,
    request TEXT NOT NULL, response TEXT NOT NULL
  )`,
  // `stored`: 1 when `json` is the hash of a blob.
  `CREATE TABLE IF NOT EXISTS recorded_chunks (
    hash TEXT PRIMARY KEY, stored INTEGER NOT NULL, json TEXT NOT NULL
  ) WITHOUT ROWID`,
]

export const createRecordedTables = (sql: Sql): void => {
  for (const statement of TABLES) sql.exec(statement)
}

export const hasRecordedTables = (sql: Sql): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'recorded'").toArray().length > 0

/** A text above this many characters goes to the blobs. A row of SQLite ends at 2 MB. */
const LONGEST = 256 * 1024
/** A statement takes 100 values at most, and a chunk has three. */
const CHUNKS_PER_STATEMENT = 33

type Row = {
  n: number
  kind: RowKind
  hash: string
  ordinal: number
  stored: number
  request: string
  response: string
}
type Chunk = { hash: string; stored: number; json: string }

export class RecordedTable {
  readonly #sql: Sql
  readonly #blobs: Blobs
  #last = 0

  constructor(sql: Sql) {
    createRecordedTables(sql)
    this.#sql = sql
    this.#blobs = new Blobs(sql)
    this.reload()
  }

  /** Reads what there is again, after a transaction was rolled back. */
  reload(): void {
    this.#last = this.#sql.exec<{ n: number }>("SELECT coalesce(MAX(n), 0) AS n FROM recorded").one().n
  }

  /** How many answers there are to each request, by `kind hash`. */
  counts(): Map<string, number> {
    const rows = this.#sql.exec<{ kind: string; hash: string; next: number }>(
      "SELECT kind, hash, MAX(ordinal) + 1 AS next FROM recorded GROUP BY kind, hash",
    )
    return new Map(rows.toArray().map(({ kind, hash, next }) => [`${kind} ${hash}`, next]))
  }

  /** The number of the last row. */
  get last(): number {
    return this.#last
  }

  chunkHashes(): Set<string> {
    const rows = this.#sql.exec<{ hash: string }>("SELECT hash FROM recorded_chunks").toArray()
    return new Set(rows.map(({ hash }) => hash))
  }

  /** Returns the number of the new row. */
  add({ kind, hash, ordinal, request, response }: NewRow): number {
    this.#last += 1
    const [asked, askedFlag] = this.#text(request, 1)
    const [answered, answeredFlag] = this.#text(response, 2)
    this.#sql.exec(
      "INSERT INTO recorded (n, kind, hash, ordinal, stored, request, response) VALUES (?, ?, ?, ?, ?, ?, ?)",
      this.#last,
      kind,
      hash,
      ordinal,
      askedFlag + answeredFlag,
      asked,
      answered,
    )
    return this.#last
  }

  /** Another response in the place of the row's own. */
  change(n: number, response: string): void {
    const [answered, flag] = this.#text(response, 2)
    this.#sql.exec("UPDATE recorded SET response = ?, stored = (stored & 1) + ? WHERE n = ?", answered, flag, n)
  }

  addChunks(chunks: ReadonlyArray<readonly [hash: string, json: string]>): void {
    for (let from = 0; from < chunks.length; from += CHUNKS_PER_STATEMENT) {
      const some = chunks.slice(from, from + CHUNKS_PER_STATEMENT)
      this.#sql.exec(
        `INSERT OR IGNORE INTO recorded_chunks (hash, json, stored) VALUES ${some.map(() => "(?, ?, ?)").join(", ")}`,
        ...some.flatMap(([hash, json]) => [hash, ...this.#text(json, 1)]),
      )
    }
  }

  /** The rows behind `after`, in order. */
  *rows(after = 0): Generator<StoredRow> {
    for (let from = after; ;) {
      const row = this.#sql.exec<Row>("SELECT * FROM recorded WHERE n > ? ORDER BY n LIMIT 1", from).toArray()[0]
      if (row === undefined) return
      from = row.n
      const { stored, request, response, ...rest } = row
      yield { ...rest, request: this.#read(request, stored & 1), response: this.#read(response, stored & 2) }
    }
  }

  /** The chunks behind `after`, by hash. */
  *chunks(after = ""): Generator<{ readonly hash: string; readonly json: string }> {
    for (let from = after; ;) {
      const row = this.#sql
        .exec<Chunk>("SELECT * FROM recorded_chunks WHERE hash > ? ORDER BY hash LIMIT 1", from)
        .toArray()[0]
      if (row === undefined) return
      from = row.hash
      yield { hash: row.hash, json: this.#read(row.json, row.stored) }
    }
  }

  #text(text: string, flag: number): [text: string, flag: number] {
    return text.length <= LONGEST ? [text, 0] : [this.#blobs.putBlob(new TextEncoder().encode(text)), flag]
  }

  #read(text: string, isBlob: number): string {
    if (isBlob === 0) return text
    const bytes = this.#blobs.getBlob(text)
    if (bytes === undefined) throw new Error("a recorded answer has lost its text")
    return new TextDecoder().decode(bytes)
  }
}
