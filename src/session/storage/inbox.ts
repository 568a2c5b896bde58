// The prompts of a session, in the order in which they run: the running turn, those that replace it, the others as they
// arrived, followed by those that wait for all others. The first without a result is the running turn.
// Invariant: a prompt's uuid is stored once, for ever, so the same prompt sent again is the same turn; no new prompt is put
// before the first one once that has begun.
import { EventNames } from "../../schemas/log/events.ts"
import type { Sql } from "./tables.ts"

export interface InboxEntry {
  readonly turn: string
  /** seq of its `turn:queued` event. */
  readonly seq: number
  readonly fingerprint: string
  readonly resultSeq: number | null
  /** Set for a prompt that waits for every prompt without this flag. */
  readonly later?: true
  /** Set for a prompt that replaces the running turn, and runs before all others that wait. */
  readonly now?: true
  /** Where it runs among prompts without this field, by their seq. */
  readonly place?: number
}

type Row = {
  turn: string
  seq: number
  fingerprint: string
  result_seq: number | null
  later?: number
  place?: number | null
}
type Earliest = { seq: number | null }

const toEntry = (row: Row): InboxEntry => ({
  turn: row.turn,
  seq: row.seq,
  fingerprint: row.fingerprint,
  resultSeq: row.result_seq,
  ...(row.later === 1 ? { later: true } : {}),
  ...(typeof row.place === "number" ? { now: true, place: row.place } : {}),
})

/** The prompts among the events after one, so that not every prompt of the session is read. */
const AFTER_SEQ = `FROM events CROSS JOIN inbox ON inbox.turn = events.turn LEFT JOIN inbox_later ON inbox_later.turn = inbox.turn
  LEFT JOIN inbox_first ON inbox_first.turn = inbox.turn WHERE events.seq > ? AND events.name = '${EventNames.turnQueued}'`

export class Inbox {
  readonly #sql: Sql
  /** Every prompt up to this event has its result. */
  readonly #settledThrough: number
  #turnsSinceRest: ReadonlyArray<string> = []
  /** Prompts without a result, in order. */
  #open: ReadonlyArray<InboxEntry>

  constructor(sql: Sql, settledThrough = 0) {
    this.#sql = sql
    this.#settledThrough = settledThrough
    this.#open = this.#read()
  }

  #read(): ReadonlyArray<InboxEntry> {
    const columns = "inbox.*, inbox_later.turn IS NOT NULL AS later, inbox_first.place"
    const order = "ORDER BY later, COALESCE(inbox_first.place, inbox.seq), inbox.seq"
    if (this.#settledThrough === 0) {
      const tables = "inbox LEFT JOIN inbox_later USING (turn) LEFT JOIN inbox_first USING (turn)"
      const query = `SELECT ${columns} FROM ${tables} WHERE result_seq IS NULL ${order}`
      return this.#sql.exec<Row>(query).toArray().map(toEntry)
    }
    const later = this.#sql
      .exec<Row>(`SELECT ${columns} ${AFTER_SEQ} ${order}`, this.#settledThrough)
      .toArray()
      .map(toEntry)
    this.#turnsSinceRest = later.map(({ turn }) => turn)
    return later.filter(({ resultSeq }) => resultSeq === null)
  }

  /** Reads the open prompts again, after a transaction was rolled back. */
  reload(): void {
    this.#open = this.#read()
  }

  /** How many prompts were queued up to `seq`. */
  countThrough(seq: number): number {
    return this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM inbox WHERE seq <= ?", seq).one().n
  }

  /** The prompts after `settledThrough`, as they were last read; none when it is 0. */
  get turnsSinceRest(): ReadonlyArray<string> {
    return this.#turnsSinceRest
  }

  get open(): ReadonlyArray<InboxEntry> {
    return this.#open
  }

  head(): InboxEntry | undefined {
    return this.#open[0]
  }

  /** True when the running turn must end for the next prompt. */
  get isReplaced(): boolean {
    return this.#replacesHead(this.#open[1])
  }

  /** True for a prompt that arrived to replace the running turn, which is not one that the running turn was put before. */
  #replacesHead(entry: InboxEntry | undefined): boolean {
    const head = this.#open[0]
    return entry?.now === true && head !== undefined && entry.seq > head.seq
  }

  find(turn: string): InboxEntry | undefined {
    const row = this.#sql.exec<Row>("SELECT * FROM inbox WHERE turn = ?", turn).toArray()[0]
    return row === undefined ? undefined : toEntry(row)
  }

  /** Prompts in the order of their arrival, or in reverse; with `from`, those after the prompt with this seq. */
  page(query: {
    readonly from?: number
    readonly limit: number
    readonly order: "asc" | "desc"
  }): ReadonlyArray<InboxEntry> {
    const descending = query.order === "desc"
    const rows = this.#sql.exec<Row>(
      `SELECT * FROM inbox WHERE seq ${descending ? "<" : ">"} ? ORDER BY seq ${descending ? "DESC" : "ASC"} LIMIT ?`,
      query.from ?? (descending ? Number.MAX_SAFE_INTEGER : 0),
      query.limit,
    )
    return rows.toArray().map(toEntry)
  }

  /**
   * Call inside the transaction that writes the prompt's `turn:queued`. `postpones`: with `now`, it is put before the first
   * prompt, whose turn has not begun.
   */
  add({ later, now, ...entry }: Omit<InboxEntry, "resultSeq" | "place">, postpones = false): void {
    this.#sql.exec(
      "INSERT INTO inbox (turn, seq, fingerprint) VALUES (?, ?, ?)",
      entry.turn,
      entry.seq,
      entry.fingerprint,
    )
    if (later === true && this.#open.length > 0) {
      this.#sql.exec("INSERT INTO inbox_later (turn) VALUES (?)", entry.turn)
      this.#open = [...this.#open, { ...entry, resultSeq: null, later }]
      return
    }
    if (now === true && this.#open.length > 0) {
      // Directly before the first prompt that waits and does not replace the running turn, which may be itself.
      const at = postpones ? 0 : this.#open.findIndex((other, index) => index > 0 && !this.#replacesHead(other))
      const next = this.#open[at]
      const place = (next?.later === true ? undefined : (next?.place ?? next?.seq)) ?? entry.seq
      this.#sql.exec("INSERT INTO inbox_first (turn, place) VALUES (?, ?)", entry.turn, place - 0.5)
      const first = { ...entry, resultSeq: null, now, place: place - 0.5 }
      this.#open = this.#open.toSpliced(at < 0 ? this.#open.length : at, 0, first)
      return
    }
    const at = this.#open.findIndex((other) => other.later === true)
    const place = at < 0 ? this.#open.length : at
    this.#open = this.#open.toSpliced(place, 0, { ...entry, resultSeq: null })
  }

  /** Call inside the transaction that writes the turn's `result`. */
  settle(turn: string, resultSeq: number): void {
    this.#sql.exec("UPDATE inbox SET result_seq = ? WHERE turn = ?", resultSeq, turn)
    const settled = this.#open.find((entry) => entry.turn === turn)
    if (settled?.later === true) this.#forgetLater(turn)
    if (settled?.now === true) this.#sql.exec("DELETE FROM inbox_first WHERE turn = ?", turn)
    this.#open = this.#open.filter((entry) => entry.turn !== turn)
    const [head, ...waiting] = this.#open
    if (head?.later !== true) return
    this.#forgetLater(head.turn)
    const { later: _, ...first } = head
    this.#open = [first, ...waiting]
  }

  #forgetLater(turn: string): void {
    this.#sql.exec("DELETE FROM inbox_later WHERE turn = ?", turn)
  }

  /**
   * seq of the earliest prompt whose turn had not ended at `seq`, or null: a fold of turns that must see `seq + 1` starts
   * here.
   */
  firstOpenAt(seq: number): number | null {
    const open = "(result_seq IS NULL OR result_seq > ?)"
    const rows =
      this.#settledThrough > 0 && seq >= this.#settledThrough
        ? this.#sql.exec<Earliest>(`SELECT MIN(inbox.seq) AS seq ${AFTER_SEQ} AND ${open}`, this.#settledThrough, seq)
        : this.#sql.exec<Earliest>(`SELECT MIN(seq) AS seq FROM inbox WHERE ${open}`, seq)
    return rows.one().seq
  }
}
