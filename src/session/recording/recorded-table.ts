// The table of a session's exchanges with the outside: in a recorded session the answers, in a playback which of the
// recording's answers were used.
// Invariant: the table is created when a session first records or plays: a live session has none. A step costs one row write,
// or two if its answer is written in pieces.
import { Blobs } from "../../workspace/blobs.ts"
import type { AnswerKind } from "../../recording/recording.ts"
import type { Sql } from "../storage/tables.ts"

/** `missing`: in a playback, a request that the recording has no answer to; in a recorded session, a row that has only chunks. */
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

/** A part of a request that other requests have too. */
export interface StoredChunk {
  /** The row that has it, and its position among the chunks of that row. */
  readonly n: number
  readonly at: number
  readonly hash: string
  readonly json: string
}

// `stored` has flags: a column has the hash of a blob instead of its text, or the row is open. `chunks` has the texts of the
// row's chunks, concatenated, and `pieces` describes them: `hash:characters` or `hash=blob`, separated by blanks. A chunk is
// in one row only. Columns are ordered by length, so that reading a short one never reads a long one.
const TABLE = `CREATE TABLE IF NOT EXISTS recorded (
  n INTEGER PRIMARY KEY, kind TEXT NOT NULL, hash TEXT NOT NULL, ordinal INTEGER NOT NULL, stored INTEGER NOT NULL,
  pieces TEXT NOT NULL, request TEXT NOT NULL, response TEXT NOT NULL, chunks TEXT NOT NULL
)`
const FLAGS = { request: 1, response: 2, chunks: 4, /** See `endCutOff`. */ open: 8 }

/** The name of the table, for the restore of a session's rows. */
export const RECORDED_TABLE = "recorded"

export const createRecordedTable = (sql: Sql): void => void sql.exec(TABLE)

export const hasRecordedTable = (sql: Sql): boolean =>
  sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", RECORDED_TABLE).toArray().length > 0

/** A text with more characters than this is stored as a blob. A row of SQLite has at most 2 MB. */
const MAX_INLINE_TEXT = 256 * 1024
/** The same for a chunk, whose row is rewritten when its answer grows. */
const MAX_INLINE_CHUNK = 16 * 1024

const PIECE = /^([0-9a-f]+)(?::(\d+)|=(\w+))$/

type Row = {
  n: number
  kind: RowKind
  hash: string
  ordinal: number
  stored: number
  request: string
  response: string
}
type Chunks = { n: number; stored: number; pieces: string; chunks: string }

export class RecordedTable {
  readonly #sql: Sql
  readonly #blobs: Blobs
  #last = 0

  constructor(sql: Sql) {
    createRecordedTable(sql)
    this.#sql = sql
    this.#blobs = new Blobs(sql)
    this.reload()
  }

  /** Reads the number of the last row again, after a transaction was rolled back. */
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
    const rows = this.#sql.exec<{ pieces: string }>("SELECT pieces FROM recorded WHERE pieces != ''").toArray()
    return new Set(rows.flatMap(({ pieces }) => pieces.split(" ").map((piece) => piece.split(/[:=]/)[0] ?? "")))
  }

  /** Adds a row and returns its number. `chunks` must be in no other row. */
  add(
    { kind, hash, ordinal, request, response }: NewRow,
    chunks: ReadonlyArray<readonly [hash: string, json: string]> = [],
    isOpen = false,
  ): number {
    this.#last += 1
    const pieces: Array<string> = []
    const texts: Array<string> = []
    for (const [name, json] of chunks) {
      const isLong = json.length > MAX_INLINE_CHUNK
      pieces.push(isLong ? `${name}=${this.#blob(json)}` : `${name}:${json.length}`)
      if (!isLong) texts.push(json)
    }
    const [asked, askedFlag] = this.#text(request, FLAGS.request)
    const [answered, answeredFlag] = this.#text(response, FLAGS.response)
    const [given, givenFlag] = this.#text(texts.join(""), FLAGS.chunks)
    this.#sql.exec(
      "INSERT INTO recorded (n, kind, hash, ordinal, stored, pieces, request, response, chunks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      this.#last,
      kind,
      hash,
      ordinal,
      askedFlag + answeredFlag + givenFlag + (isOpen ? FLAGS.open : 0),
      pieces.join(" "),
      asked,
      answered,
      given,
    )
    return this.#last
  }

  /** Adds chunks in a row without an answer. */
  addChunks(chunks: ReadonlyArray<readonly [hash: string, json: string]>): void {
    this.add({ kind: "missing", hash: "", ordinal: 0, request: "null", response: "null" }, chunks)
  }

  /** Replaces the response of a row. */
  change(n: number, response: string, isOpen = false): void {
    const [answered, flag] = this.#text(response, FLAGS.response)
    const stored = flag + (isOpen ? FLAGS.open : 0)
    this.#sql.exec(
      `UPDATE recorded SET response = ?, stored = (stored & ${FLAGS.request + FLAGS.chunks}) + ? WHERE n = ?`,
      answered,
      stored,
      n,
    )
  }

  /** The open rows among the last `most` rows. */
  openRows(most: number): ReadonlyArray<Pick<StoredRow, "n" | "response">> {
    return this.#sql
      .exec<Pick<Row, "n" | "stored" | "response">>(
        `SELECT n, stored, response FROM recorded WHERE n > ? AND stored & ${FLAGS.open} ORDER BY n`,
        this.#last - most,
      )
      .toArray()
      .map(({ n, stored, response }) => ({ n, response: this.#read(response, stored & FLAGS.response) }))
  }

  /** The rows after `after`, in order. */
  *rows(after = 0): Generator<StoredRow> {
    const columns = "n, kind, hash, ordinal, stored, request, response"
    for (let from = after; ;) {
      const row = this.#sql
        .exec<Row>(`SELECT ${columns} FROM recorded WHERE n > ? ORDER BY n LIMIT 1`, from)
        .toArray()[0]
      if (row === undefined) return
      from = row.n
      const { stored, request, response, ...rest } = row
      yield {
        ...rest,
        request: this.#read(request, stored & FLAGS.request),
        response: this.#read(response, stored & FLAGS.response),
      }
    }
  }

  /** The chunks from the `at`-th of row `n` on, in order. */
  *chunks(n: number, at: number): Generator<StoredChunk> {
    for (let [from, skipped] = [n, at]; ; [from, skipped] = [from + 1, 0]) {
      const row = this.#sql
        .exec<Chunks>(
          "SELECT n, stored, pieces, chunks FROM recorded WHERE n >= ? AND pieces != '' ORDER BY n LIMIT 1",
          from,
        )
        .toArray()[0]
      if (row === undefined) return
      if (row.n > from) skipped = 0
      from = row.n
      const texts = this.#read(row.chunks, row.stored & FLAGS.chunks)
      let start = 0
      for (const [index, piece] of row.pieces.split(" ").entries()) {
        const [, hash = "", length = "0", blob] = PIECE.exec(piece) ?? []
        const end = start + Number(length)
        if (index >= skipped)
          yield { n: from, at: index, hash, json: blob === undefined ? texts.slice(start, end) : this.#read(blob, 1) }
        start = end
      }
    }
  }

  #blob(text: string): string {
    return this.#blobs.putBlob(new TextEncoder().encode(text))
  }

  #text(text: string, flag: number): [text: string, flag: number] {
    return text.length <= MAX_INLINE_TEXT ? [text, 0] : [this.#blob(text), flag]
  }

  #read(text: string, isBlob: number): string {
    if (isBlob === 0) return text
    const bytes = this.#blobs.getBlob(text)
    if (bytes === undefined) throw new Error("a recorded answer has lost its text")
    return new TextDecoder().decode(bytes)
  }
}
