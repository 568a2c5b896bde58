// The rows of a run: receives the results of a phase of a signal, and writes them in one transaction; returns what is stored.
// Invariant: the record, the state, the log and the turns change together or not at all, and the record in memory is the
// committed one.
import type * as Schema from "effect/Schema"
import { uuidV7 } from "../../schemas/ids.ts"
import type { RunSignal } from "../../schemas/api/workflows.ts"
import { isObserved, type Signal, type SignalSource } from "../../schemas/signal.ts"
import { type RunRecord, TABLES, type TurnRow } from "./run-record.ts"

type Value = string | number | null

/** The part of a Durable Object's SQL that the book uses. */
export interface RunSql {
  exec(query: string, ...bindings: ReadonlyArray<Value>): { toArray(): ReadonlyArray<Record<string, unknown>> }
}

export interface BookDeps {
  readonly sql: RunSql
  readonly transactionSync: <A>(run: () => A) => A
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A signal that is about to enter the log. */
export interface Entering {
  readonly id?: string
  readonly name: string
  readonly payload: Schema.Json
  readonly source?: SignalSource
  /** Length of the chain of signals that led to it; 0 for a signal from outside. */
  readonly depth: number
}

/** The changes that a phase commits. */
export interface Commit {
  readonly run?: Partial<RunRecord>
  /** The state after the signal `seq`. */
  readonly state?: { readonly seq: number; readonly json: string }
  readonly signals?: ReadonlyArray<Entering>
  readonly turn?: TurnRow
}

/** A stored signal with its seq and its depth. */
export interface Waiting {
  readonly seq: number
  readonly depth: number
  readonly signal: Signal
}

export class RunBook {
  readonly #deps: BookDeps
  #run: RunRecord | null = null
  #erased = false

  constructor(deps: BookDeps) {
    this.#deps = deps
    const hasTables = this.#rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'").length > 0
    if (!hasTables) return
    this.#erased = this.#rows("SELECT 1 FROM run WHERE key = 'erased'").length > 0
    const [row] = this.#rows<{ readonly json: string }>("SELECT json FROM run WHERE key = 'run'")
    // `#write` wrote it.
    if (row !== undefined) this.#run = JSON.parse(row.json) as RunRecord
  }

  /** Null when there is no run. */
  get run(): RunRecord | null {
    return this.#run
  }

  /** The run, for callers that require one. Throws if there is none. */
  get existing(): RunRecord {
    if (this.#run === null) throw new Error("the run does not exist")
    return this.#run
  }

  /** True when a run with this id was erased: ids are never reused. */
  get isErased(): boolean {
    return this.#erased
  }

  create(run: RunRecord, state: string, start: Entering): ReadonlyArray<RunSignal> {
    return this.#deps.transactionSync(() => {
      for (const table of TABLES) this.#rows(table)
      return this.#write(run, { state: { seq: 0, json: state }, signals: [start] })
    })
  }

  /** Commits changes in one transaction; returns their signals as they are in the log. */
  commit(change: Commit): ReadonlyArray<RunSignal> {
    return this.#deps.transactionSync(() => this.#write(this.existing, change))
  }

  #write(before: RunRecord, { run = {}, state, signals = [], turn }: Commit): ReadonlyArray<RunSignal> {
    const now = this.#deps.now()
    const timestamp = new Date(now).toISOString()
    let { lastSeq, waiting, outside } = { ...before, ...run }
    const logged = signals.map(({ id, name, payload, source, depth }): RunSignal => {
      lastSeq += 1
      const queued = !isObserved(name)
      if (queued) waiting += 1
      if (queued && depth === 0) outside += 1
      const signal = { id: id ?? uuidV7(now), name, payload, timestamp, ...(source === undefined ? {} : { source }) }
      this.#rows(
        "INSERT INTO signals (seq, queued, depth, name, json) VALUES (?, ?, ?, ?, ?)",
        lastSeq,
        queued ? 1 : 0,
        depth,
        name,
        JSON.stringify(signal),
      )
      return { seq: lastSeq, ...signal }
    })
    if (state !== undefined)
      this.#rows("INSERT OR REPLACE INTO states (seq, json) VALUES (?, ?)", state.seq, state.json)
    if (turn !== undefined) this.#writeTurn(turn)
    const after: RunRecord = { ...before, ...run, lastSeq, waiting, outside, updatedAt: now }
    this.#rows("INSERT OR REPLACE INTO run (key, json) VALUES ('run', ?)", JSON.stringify(after))
    this.#run = after
    return logged
  }

  #writeTurn({ seq, agent, session, turn, prompt, status, usd, startedAt }: TurnRow): void {
    this.#rows(
      "INSERT OR REPLACE INTO turns (seq, agent, session, turn, prompt, status, usd, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      seq,
      agent,
      session,
      turn,
      prompt,
      status,
      usd,
      startedAt,
    )
  }

  /** The first signal after the seq `after` that has to be processed. */
  next(after: number): Waiting | undefined {
    return this.#waiting("seq > ? AND queued = 1 ORDER BY seq LIMIT 1", after)
  }

  at(seq: number): Waiting | undefined {
    return this.#waiting("seq = ?", seq)
  }

  #waiting(where: string, seq: number): Waiting | undefined {
    const [row] = this.#rows<{ readonly seq: number; readonly depth: number; readonly json: string }>(
      `SELECT seq, depth, json FROM signals WHERE ${where}`,
      seq,
    )
    return row === undefined ? undefined : { seq: row.seq, depth: row.depth, signal: JSON.parse(row.json) as Signal } // `#write` wrote it
  }

  /** The signal from outside that was sent with this id. */
  received(id: string): RunSignal | undefined {
    const [row] = this.#rows<{ readonly seq: number; readonly json: string }>(
      "SELECT seq, json FROM signals WHERE json_extract(json, '$.id') = ? AND queued = 1 AND depth = 0",
      id,
    )
    return row === undefined ? undefined : { seq: row.seq, ...(JSON.parse(row.json) as Signal) } // as above
  }

  /** Signals after the seq `after`, in order, as JSON texts: at most `limit`, and `bytes` in total unless the first is larger. */
  page(after: number, limit: number, bytes: number): ReadonlyArray<{ readonly seq: number; readonly json: string }> {
    const rows = this.#rows<{ readonly seq: number; readonly size: number }>(
      "SELECT seq, length(json) AS size FROM signals WHERE seq > ? ORDER BY seq LIMIT ?",
      after,
      limit,
    )
    let room = bytes
    const over = rows.findIndex(({ size }, at) => {
      room -= size
      return at > 0 && room < 0
    })
    const end = rows.at(over < 0 ? -1 : over - 1)?.seq ?? after
    return this.#rows("SELECT seq, json FROM signals WHERE seq > ? AND seq <= ? ORDER BY seq", after, end)
  }

  /** The state after the handlers of all signals up to the seq `at`, as JSON text. */
  stateAt(at: number): { readonly seq: number; readonly json: string } {
    const [row] = this.#rows<{ readonly seq: number; readonly json: string }>(
      "SELECT seq, json FROM states WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
      at,
    )
    if (row === undefined) throw new Error("the run has no initial state")
    return row
  }

  turn(seq: number, agent: string): TurnRow | undefined {
    return this.#turns("WHERE seq = ? AND agent = ?", seq, agent)[0]
  }

  turns(): ReadonlyArray<TurnRow> {
    return this.#turns("ORDER BY started_at, seq")
  }

  #turns(where: string, ...bindings: ReadonlyArray<Value>): ReadonlyArray<TurnRow> {
    return this.#rows(
      `SELECT seq, agent, session, turn, prompt, status, usd, started_at AS startedAt FROM turns ${where}`,
      ...bindings,
    )
  }

  /** Deletes the run's rows and records that its id was used. */
  erased(): void {
    this.#deps.transactionSync(() => {
      for (const table of ["run", "signals", "states", "turns"]) this.#rows(`DELETE FROM ${table}`)
      this.#rows("INSERT INTO run (key, json) VALUES ('erased', '{}')")
    })
    this.#run = null
    this.#erased = true
  }

  /** Deletes a run whose creation failed, so that its id can be used again. */
  forget(): void {
    this.#deps.transactionSync(() => {
      for (const table of ["run", "signals", "states", "turns"]) this.#rows(`DROP TABLE IF EXISTS ${table}`)
    })
    this.#run = null
  }

  /** The rows of a query; `Row` describes the columns that it selects. */
  #rows<Row = Record<string, unknown>>(query: string, ...bindings: ReadonlyArray<Value>): ReadonlyArray<Row> {
    // SQLite returns the columns that the query names, and only this class writes the tables.
    return this.#deps.sql.exec(query, ...bindings).toArray() as unknown as ReadonlyArray<Row>
  }
}
