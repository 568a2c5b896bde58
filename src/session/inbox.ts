// The prompts of a session, in the order in which they came; the first without a result is the turn that runs.
// Invariant: a prompt's uuid is in here once, for ever, so the same prompt sent again is the same turn.
import type { Sql } from "./tables.ts"

export interface InboxEntry {
  readonly turn: string
  /** seq of its `turn:queued` event. */
  readonly seq: number
  readonly fingerprint: string
  readonly resultSeq: number | null
}

type Row = { turn: string; seq: number; fingerprint: string; result_seq: number | null }

const toEntry = (row: Row): InboxEntry => ({
  turn: row.turn,
  seq: row.seq,
  fingerprint: row.fingerprint,
  resultSeq: row.result_seq,
})

export class Inbox {
  readonly #sql: Sql
  /** Prompts without a result, in order. */
  #open: ReadonlyArray<InboxEntry>

  constructor(sql: Sql) {
    this.#sql = sql
    this.#open = this.#read()
  }

  #read(): ReadonlyArray<InboxEntry> {
    return this.#sql.exec<Row>("SELECT * FROM inbox WHERE result_seq IS NULL ORDER BY seq").toArray().map(toEntry)
  }

  /** Reads what is open again, after a transaction was rolled back. */
  reload(): void {
    this.#open = this.#read()
  }

  get open(): ReadonlyArray<InboxEntry> {
    return this.#open
  }

  head(): InboxEntry | undefined {
    return this.#open[0]
  }

  find(turn: string): InboxEntry | undefined {
    const row = this.#sql.exec<Row>("SELECT * FROM inbox WHERE turn = ?", turn).toArray()[0]
    return row === undefined ? undefined : toEntry(row)
  }

  /** Call inside the transaction that writes the prompt's `turn:queued`. */
  add(entry: Omit<InboxEntry, "resultSeq">): void {
    this.#sql.exec(
      "INSERT INTO inbox (turn, seq, fingerprint) VALUES (?, ?, ?)",
      entry.turn,
      entry.seq,
      entry.fingerprint,
    )
    this.#open = [...this.#open, { ...entry, resultSeq: null }]
  }

  /** Call inside the transaction that writes the turn's `result`. */
  settle(turn: string, resultSeq: number): void {
    this.#sql.exec("UPDATE inbox SET result_seq = ? WHERE turn = ?", resultSeq, turn)
    this.#open = this.#open.filter((entry) => entry.turn !== turn)
  }

  /** seq of the earliest prompt whose turn was not over at `seq`: a fold of turns that must see `seq + 1` begins here. */
  firstOpenAt(seq: number): number | null {
    const row = this.#sql
      .exec<{ seq: number | null }>("SELECT MIN(seq) AS seq FROM inbox WHERE result_seq IS NULL OR result_seq > ?", seq)
      .one()
    return row.seq
  }
}
