// The status of each turn of a session, read from its prompt's row, the log and the open asks.
// Invariant: nothing here writes; a prompt that was joined into another turn shares that turn's outcome, and a turn that has
// ended is reported the same for ever, after a restart and in a fork too.
import { addUsd } from "../../model/catalogue/prices.ts"
import type { CallFinished } from "../../schemas/log/event-payloads.ts"
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { TurnInfo, TurnsPage, TurnState, TurnStatus } from "../../schemas/rpc/turns.ts"
import { pendingAsk } from "../storage/ask-store.ts"
import { joinOf } from "../storage/joined-prompt.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { SessionCore } from "../core.ts"

/** Characters of results in a page; one turn may have more. */
const PAGE_ROOM = 2 * 1024 * 1024

type Progress = Omit<TurnStatus, "turn_id">

export class TurnReports {
  readonly #core: SessionCore

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** Undefined when the session never had the turn. */
  status(turn: string): TurnStatus | undefined {
    const entry = this.#core.inbox.find(turn)
    return entry === undefined ? undefined : { turn_id: turn, ...this.#progress(this.#whole(entry)) }
  }

  /** The turn with its times and its cost; undefined when the session never had it. */
  info(turn: string): TurnInfo | undefined {
    const entry = this.#core.inbox.find(turn)
    return entry === undefined ? undefined : this.#info(entry)
  }

  /**
   * The same once the turn has ended or waits for an answer, or the time is over; undefined if the session was erased
   * meanwhile.
   */
  async after(...wait: Parameters<SessionCore["turnWaits"]["wait"]>): Promise<TurnInfo | undefined> {
    const waited = await this.#core.turnWaits.wait(...wait)
    return waited === undefined ? undefined : this.info(wait[0])
  }

  page(query: {
    readonly cursor?: string
    readonly limit: number
    readonly order: "asc" | "desc"
  }): TurnsPage | Refusal {
    const { inbox } = this.#core
    const last = query.cursor === undefined ? undefined : inbox.find(query.cursor)
    if (query.cursor !== undefined && last === undefined) {
      return refuse("invalid_request_error", "cursor: does not belong to this session's turns", "cursor")
    }
    const entries = inbox.page({ ...(last === undefined ? {} : { from: last.seq }), ...query, limit: query.limit + 1 })
    const data: Array<TurnInfo> = []
    let room = PAGE_ROOM
    for (const entry of entries.slice(0, query.limit)) {
      const info = this.#info(entry)
      room -= info.result === null ? 0 : JSON.stringify(info.result).length
      if (room < 0 && data.length > 0) break
      data.push(info)
    }
    return { data, next_cursor: data.length < entries.length ? (data.at(-1)?.turn_id ?? null) : null }
  }

  /** The turn that the prompt became part of, or undefined when it is a turn of its own. */
  hostOf(entry: InboxEntry): InboxEntry | undefined {
    if (entry.resultSeq === null) return undefined
    const end = this.#eventAt(entry.resultSeq)
    // A run with results of client tools: it resumed the turn that waited for them.
    if (end?.name === EventNames.runResumed) return end.turn === null ? undefined : this.#core.inbox.find(end.turn)
    // A prompt that joined a started turn: its row ends at its own `turn:queued`.
    const join =
      entry.resultSeq === entry.seq ? joinOf(this.#core.log, entry.turn, entry.seq) : isJoin(end) ? end : null
    return join?.turn == null ? undefined : this.#core.inbox.find(join.turn)
  }

  #whole(entry: InboxEntry): InboxEntry {
    return this.hostOf(entry) ?? entry
  }

  #progress({ turn, resultSeq }: InboxEntry): Progress {
    const { inbox, askStore, log } = this.#core
    if (resultSeq !== null) return endOf(log.at(resultSeq)?.event)
    const pending = askStore.open.map(pendingAsk)
    const isQueued = inbox.head()?.turn !== turn || this.#waitsToBegin(turn)
    const status = isQueued ? "queued" : pending.length > 0 ? "requires_action" : "running"
    return { status, pending, result: null }
  }

  /** True while the turn waits in its tenant's lane and has not begun. */
  #waitsToBegin(turn: string): boolean {
    const { asks, runningTurn } = this.#core
    return runningTurn.lane.waitOf(turn) !== undefined && !asks.hasBegun(turn)
  }

  #info(entry: InboxEntry): TurnInfo {
    const turnEntry = this.#whole(entry)
    const progress = this.#progress(turnEntry)
    const run = this.#run(turnEntry, progress.status)
    const end = turnEntry.resultSeq === null ? undefined : this.#eventAt(turnEntry.resultSeq)
    const joined = turnEntry.turn !== entry.turn
    const lane = this.#core.runningTurn.lane.info(turnEntry.turn)
    return {
      type: "turn",
      session_id: this.#core.id,
      turn_id: entry.turn,
      status: progress.status,
      joined_turn_id: joined ? turnEntry.turn : null,
      pending: progress.pending,
      result: progress.result,
      cost_usd: joined ? null : run.usd,
      queued_at: instant(this.#eventAt(entry.seq)?.at ?? 0),
      started_at: run.startedAt === null ? null : instant(run.startedAt),
      ended_at: end === undefined ? null : instant(end.at),
      first_seq: turnEntry.seq,
      last_seq: turnEntry.resultSeq,
      ...(lane === undefined ? {} : { lane }),
    }
  }

  /** When the turn started, and the cost of its model requests in USD: null when one of them has no price. */
  #run({ turn, seq, resultSeq }: InboxEntry, status: TurnState): { startedAt: number | null; usd: number | null } {
    if (status === "queued" || status === "cancelled") return { startedAt: null, usd: 0 }
    const rows = this.#core.context.sql.exec<{ at: number; call: string | null }>(
      `SELECT at, CASE name WHEN ? THEN json END AS call FROM events
        WHERE seq BETWEEN ? AND ? AND turn = ? AND stored = 0 AND name IN (?, 'sdk:system/init') ORDER BY seq`,
      EventNames.callFinished,
      seq,
      resultSeq ?? this.#core.log.lastSeq,
      turn,
      EventNames.callFinished,
    )
    let startedAt: number | null = null
    let usd: number | null = 0
    for (const { at, call } of rows) {
      if (call === null) startedAt ??= at
      else usd = plus(usd, JSON.parse(call) as CallFinished) // the loop wrote it
    }
    return { startedAt, usd }
  }

  #eventAt(seq: number): Placed | undefined {
    return this.#core.context.sql.exec<Placed>("SELECT name, turn, at FROM events WHERE seq = ?", seq).toArray()[0]
  }
}

type Placed = { readonly name: string; readonly turn: string | null; readonly at: number }

const isJoin = (end: Placed | undefined): end is Placed => end?.name === EventNames.turnJoined

/** What another session paid is not this turn's cost. */
const plus = (sum: number | null, { usd, imported }: CallFinished): number | null =>
  imported === true ? sum : sum === null || usd === null ? null : addUsd(sum, usd)

const instant = (at: number): string => new Date(at).toISOString()

/** The outcome of a turn, by its last event. */
const endOf = (end: LogEvent | undefined): Progress => {
  if (end === undefined) throw new Error("a turn that has ended has lost its last event")
  const ended = (status: TurnState, result: Progress["result"]): Progress => ({ status, pending: [], result })
  if (end.name === EventNames.turnCancelled) return ended("cancelled", null)
  if (!isTurnResult(end)) return ended("completed", null)
  const result = end.payload
  if (result.terminal_reason?.startsWith("aborted_") === true) return ended("interrupted", result)
  return ended(result.is_error ? "failed" : "completed", result)
}
