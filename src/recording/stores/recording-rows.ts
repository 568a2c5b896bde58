// The rows of recordings in SQLite: signals, answers, chunks and checkpoints as JSON texts, in the order in which they came.
// Invariant: a recording exists once it has its metadata; a text is returned as it was written, however long it is.

/** The part of a Durable Object's SQL that the rows use. */
export interface RecordingSql {
  /** `Row` describes the columns that the query names. */
  exec<Row extends Record<string, string | number | null>>(
    query: string,
    ...bindings: ReadonlyArray<string | number | null>
  ): { toArray(): Array<Row>; one(): Row }
}

/** The kinds of rows. */
export type Part = "signal" | "answer" | "chunk" | "checkpoint"

export interface Text {
  /** The index among the rows of its part, from 0. */
  readonly n: number
  /** The key to find it by: a signal's name, an answer's kind, hash and ordinal, a chunk's hash. */
  readonly key: string
  readonly json: string
}

const TABLES: ReadonlyArray<string> = [
  `CREATE TABLE IF NOT EXISTS recordings (id TEXT PRIMARY KEY, metadata TEXT NOT NULL) WITHOUT ROWID`,
  // A long text has several pieces; the first piece has the key.
  `CREATE TABLE IF NOT EXISTS recording_rows (
    recording TEXT NOT NULL, part TEXT NOT NULL, n INTEGER NOT NULL, piece INTEGER NOT NULL, key TEXT, json TEXT NOT NULL,
    PRIMARY KEY (recording, part, n, piece)
  ) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS recording_rows_by_key ON recording_rows (recording, part, key) WHERE key IS NOT NULL`,
]

/** The characters of a piece: with three bytes each it fits into a row, which may have 2 MB. */
const PIECE = 400_000

/** How many keys are read at once. */
const READ_AT_ONCE = 64

type Row = { n: number; piece: number; key: string | null; json: string }

export class RecordingRows {
  readonly #sql: RecordingSql

  constructor(sql: RecordingSql) {
    for (const statement of TABLES) sql.exec(statement)
    this.#sql = sql
  }

  /** The metadata's JSON; undefined for a recording that does not exist. */
  metadata(id: string): string | undefined {
    return this.#sql.exec<{ metadata: string }>("SELECT metadata FROM recordings WHERE id = ?", id).toArray()[0]
      ?.metadata
  }

  setMetadata(id: string, json: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO recordings (id, metadata) VALUES (?, ?)", id, json)
  }

  /** The metadata of all recordings after `after`, ordered by id. */
  *allMetadata(after = ""): Generator<string> {
    for (let from = after; ;) {
      const row = this.#sql
        .exec<{ id: string; metadata: string }>(
          "SELECT id, metadata FROM recordings WHERE id > ? ORDER BY id LIMIT 1",
          from,
        )
        .toArray()[0]
      if (row === undefined) return
      from = row.id
      yield row.metadata
    }
  }

  /** Writes a text at its index, in pieces. */
  add(id: string, part: Part, { n, key, json }: Text): void {
    let piece = 0
    for (let from = 0; from < json.length || piece === 0; piece += 1) {
      let end = Math.min(from + PIECE, json.length)
      // A surrogate pair stays in one piece.
      if (end < json.length && /[\ud800-\udbff]/.test(json.charAt(end - 1))) end -= 1
      this.#sql.exec(
        "INSERT INTO recording_rows (recording, part, n, piece, key, json) VALUES (?, ?, ?, ?, ?, ?)",
        id,
        part,
        n,
        piece,
        piece === 0 ? key : null,
        json.slice(from, end),
      )
      from = end
    }
  }

  count(id: string, part: Part): number {
    const sql = "SELECT coalesce(max(n) + 1, 0) AS count FROM recording_rows WHERE recording = ? AND part = ?"
    return this.#sql.exec<{ count: number }>(sql, id, part).one().count
  }

  /** The size of all texts of a recording in bytes. */
  bytes(id: string): number {
    const sql = "SELECT coalesce(sum(length(CAST(json AS BLOB))), 0) AS bytes FROM recording_rows WHERE recording = ?"
    return this.#sql.exec<{ bytes: number }>(sql, id).one().bytes
  }

  /** The texts of a part after index `after`, in order; they are read one at a time. */
  *texts(id: string, part: Part, after = -1): Generator<Text> {
    for (let from = after; ;) {
      const keys = this.keys(id, part, from, READ_AT_ONCE)
      for (const { n, key } of keys) yield { n, key, json: this.#json(id, part, n) }
      const last = keys.at(-1)
      if (last === undefined) return
      from = last.n
    }
  }

  /** Indexes and keys after index `after`, without their texts. */
  keys(id: string, part: Part, after: number, limit: number): ReadonlyArray<Pick<Text, "n" | "key">> {
    const sql =
      "SELECT n, key FROM recording_rows WHERE recording = ? AND part = ? AND n > ? AND piece = 0 ORDER BY n LIMIT ?"
    return this.#sql.exec<{ n: number; key: string }>(sql, id, part, after, limit).toArray()
  }

  /** The first text with the key. */
  find(id: string, part: Part, key: string): Text | undefined {
    const sql = "SELECT n FROM recording_rows WHERE recording = ? AND part = ? AND key = ? ORDER BY n LIMIT 1"
    const row = this.#sql.exec<{ n: number }>(sql, id, part, key).toArray()[0]
    return row === undefined ? undefined : { n: row.n, key, json: this.#json(id, part, row.n) }
  }

  at(id: string, part: Part, n: number): string | undefined {
    return this.keys(id, part, n - 1, 1)[0]?.n === n ? this.#json(id, part, n) : undefined
  }

  #json(id: string, part: Part, n: number): string {
    const sql = "SELECT * FROM recording_rows WHERE recording = ? AND part = ? AND n = ? ORDER BY piece"
    const rows = this.#sql.exec<Row>(sql, id, part, n).toArray()
    return rows.length === 1 ? (rows[0]?.json ?? "") : rows.map(({ json }) => json).join("")
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM recordings WHERE id = ?", id)
    this.#sql.exec("DELETE FROM recording_rows WHERE recording = ?", id)
  }
}
