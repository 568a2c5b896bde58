// The asks of a session, one row each: added with `ask:opened`, settled with `ask:settled`.
// Invariant: an ask is settled once: the first answer counts.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { AskAnswer } from "../../agent/ports.ts"
import type { AskedApproval, AskOpened } from "../../schemas/log/ask-events.ts"
import type { PendingAsk } from "../../schemas/api/api.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { withoutDeepLevels } from "../../schemas/bounded-json.ts"
import { Blobs } from "../../workspace/blobs.ts"
import { MAX_ROW } from "./insert-events.ts"
import { LOG_DEPTH } from "./log.ts"
import type { Sql } from "./tables.ts"

export interface AskRow {
  readonly requestId: string
  readonly turn: string
  readonly toolUseId: string
  readonly openedAt: number
  readonly expiresAt: number
  readonly ask: AskOpened
  readonly settled: AskAnswer | null
}

type Row = {
  request_id: string
  turn: string
  tool_use_id: string
  opened_at: number
  expires_at: number
  ask: string
  settled: string | null
}

/** The kinds of asks that do not decide whether a call may run. */
const NOT_ABOUT_RUNNING: ReadonlySet<string> = new Set(["client_tool", "outcome", "elicitation"])

/** Begins a column whose JSON is a blob with this hash: a row has at most 2 MB. */
const IN_BLOB = "@"

/** Settled asks may be many, and large: of these only the columns that name their calls are read. */
const COLUMNS = `request_id, asks.turn AS turn, tool_use_id, opened_at, expires_at,
  CASE WHEN settled IS NULL THEN ask ELSE '' END AS ask, CASE WHEN settled IS NULL THEN NULL ELSE '' END AS settled`

/** The asks that were opened after an event of the log. */
const AFTER_SEQ = `FROM events CROSS JOIN asks ON request_id = events.uuid WHERE events.seq > ? AND events.name = '${EventNames.askOpened}'`

export class AskStore {
  readonly #sql: Sql
  readonly #blobs: Blobs
  /** Every ask that was opened up to this event is settled, and belongs to no running turn. */
  readonly #settledThrough: number
  /** Of open asks that something has waited for. */
  readonly #waiters = new Map<string, Deferred.Deferred<AskAnswer>>()
  #open: ReadonlyArray<AskRow>
  /** Ids of asks by the calls that they are about, for calls that may be running: most calls have none. */
  #asked: Map<string, ReadonlyArray<string>>

  constructor(sql: Sql, settledThrough = 0) {
    this.#sql = sql
    this.#blobs = new Blobs(sql)
    this.#settledThrough = settledThrough
    const { open, asked } = this.#read()
    this.#open = open
    this.#asked = asked
  }

  /** The open asks in their order, and the ids of all asks by their calls. */
  #read(): { open: ReadonlyArray<AskRow>; asked: Map<string, ReadonlyArray<string>> } {
    const rows =
      this.#settledThrough > 0
        ? this.#sql.exec<Row>(`SELECT ${COLUMNS} ${AFTER_SEQ} ORDER BY opened_at`, this.#settledThrough).toArray()
        : this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM asks ORDER BY opened_at`).toArray()
    const asked = new Map<string, ReadonlyArray<string>>()
    for (const { tool_use_id, request_id } of rows)
      asked.set(tool_use_id, [...(asked.get(tool_use_id) ?? []), request_id])
    return { open: rows.filter(({ settled }) => settled === null).map((row) => this.#toAsk(row)), asked }
  }

  #toAsk(row: Row): AskRow {
    return {
      requestId: row.request_id,
      turn: row.turn,
      toolUseId: row.tool_use_id,
      openedAt: row.opened_at,
      expiresAt: row.expires_at,
      // Both columns are written below, from values of these types.
      ask: JSON.parse(this.#text(row.ask)) as AskOpened,
      settled: row.settled === null ? null : (JSON.parse(this.#text(row.settled)) as AskAnswer),
    }
  }

  #text(column: string): string {
    const bytes = column.startsWith(IN_BLOB) ? this.#blobs.getBlob(column.slice(IN_BLOB.length)) : undefined
    return withoutDeepLevels(bytes === undefined ? column : new TextDecoder().decode(bytes), LOG_DEPTH)
  }

  #column(value: AskOpened | AskAnswer): string {
    const json = JSON.stringify(value)
    return json.length <= MAX_ROW ? json : `${IN_BLOB}${this.#blobs.putBlob(new TextEncoder().encode(json))}`
  }

  /** Reads the asks again, after a transaction was rolled back. */
  reload(): void {
    const { open, asked } = this.#read()
    this.#open = open
    this.#asked = asked
  }

  get open(): ReadonlyArray<AskRow> {
    return this.#open
  }

  find(requestId: string): AskRow | undefined {
    const row = this.#sql.exec<Row>("SELECT * FROM asks WHERE request_id = ?", requestId).toArray()[0]
    return row === undefined ? undefined : this.#toAsk(row)
  }

  /** The ask of this kind about a call, the newest one if there are several; without a kind, the one whether the call may run. */
  ofCall(turn: string, toolUseId: string, kind?: "client_tool" | "outcome"): AskRow | undefined {
    const isIt = ({ toolUseId: id, ask }: AskRow) =>
      id === toolUseId && (NOT_ABOUT_RUNNING.has(ask.kind) ? ask.kind : undefined) === kind
    const open = this.#open.find(isIt)
    const ids = this.#asked.get(toolUseId)
    if (open !== undefined || ids === undefined) return open
    const asked = ids.flatMap((id) => this.find(id) ?? []).filter((ask) => ask.turn === turn && isIt(ask))
    return asked.toSorted((a, b) => b.openedAt - a.openedAt)[0]
  }

  /** Every ask of a turn, settled or not. */
  inTurn(turn: string): ReadonlyArray<AskRow> {
    return this.#sql
      .exec<Row>("SELECT * FROM asks WHERE turn = ?", turn)
      .toArray()
      .map((row) => this.#toAsk(row))
  }

  /** Call inside the transaction that writes `ask:opened`. */
  add(ask: AskOpened, turn: string, now: number): void {
    this.#sql.exec(
      "INSERT INTO asks (request_id, turn, tool_use_id, opened_at, expires_at, ask) VALUES (?, ?, ?, ?, ?, ?)",
      ask.request_id,
      turn,
      ask.tool_use_id,
      now,
      ask.expires_at,
      this.#column(ask),
    )
    const row: AskRow = {
      requestId: ask.request_id,
      turn,
      toolUseId: ask.tool_use_id,
      openedAt: now,
      expiresAt: ask.expires_at,
      ask,
      settled: null,
    }
    this.#open = [...this.#open, row]
    this.#asked.set(ask.tool_use_id, [...(this.#asked.get(ask.tool_use_id) ?? []), ask.request_id])
  }

  /** Call inside the transaction that writes `ask:settled`. */
  settle(requestId: string, settled: AskAnswer): void {
    this.#sql.exec("UPDATE asks SET settled = ? WHERE request_id = ?", this.#column(settled), requestId)
    this.#open = this.#open.filter((ask) => ask.requestId !== requestId)
  }

  /** Wakes what waits in memory for the answer. Call it once the answer is committed. */
  wake(requestId: string, settled: AskAnswer): void {
    const waiter = this.#waiters.get(requestId)
    if (waiter !== undefined) Deferred.doneUnsafe(waiter, Effect.succeed(settled))
    this.#waiters.delete(requestId)
  }

  /** The answer, or null after `timeoutMs`. */
  wait(requestId: string, timeoutMs: number): Effect.Effect<AskAnswer | null> {
    return this.answerTo(requestId).pipe(
      Effect.timeoutOption(timeoutMs),
      Effect.map((answer) => (answer._tag === "Some" ? answer.value : null)),
    )
  }

  /** The answer, however long it takes. Several may wait for one ask: a runner that is replaced, and the one that replaces it. */
  answerTo(requestId: string): Effect.Effect<AskAnswer> {
    return Effect.suspend(() => {
      const settled = this.find(requestId)?.settled
      if (settled !== undefined && settled !== null) return Effect.succeed(settled)
      const waiter = this.#waiters.get(requestId) ?? Deferred.makeUnsafe<AskAnswer>()
      this.#waiters.set(requestId, waiter)
      return Deferred.await(waiter)
    })
  }
}

const approvalFields = ({ needs, always }: AskedApproval) => {
  const permission = needs[0]?.permission
  if (permission === undefined) return {}
  const patterns = needs.filter((need) => need.permission === permission).map(({ pattern }) => pattern)
  return { permission, patterns, always }
}

/** An ask as a client sees it. */
export const pendingAsk = ({ ask, turn, openedAt, expiresAt }: AskRow): PendingAsk => ({
  request_id: ask.request_id,
  kind: ask.kind,
  turn_id: turn,
  tool_name: ask.tool_name,
  tool_use_id: ask.tool_use_id,
  ...(ask.agent_id === undefined ? {} : { agent_id: ask.agent_id }),
  input: ask.input,
  ...(ask.suggestions === undefined ? {} : { suggestions: ask.suggestions }),
  ...(ask.decision_reason === undefined ? {} : { decision_reason: ask.decision_reason }),
  ...(ask.decision_reason_type === undefined ? {} : { decision_reason_type: ask.decision_reason_type }),
  ...(ask.blocked_path === undefined ? {} : { blocked_path: ask.blocked_path }),
  ...(ask.approval === undefined ? {} : approvalFields(ask.approval)),
  created_at: new Date(openedAt).toISOString(),
  expires_at: new Date(expiresAt).toISOString(),
})
