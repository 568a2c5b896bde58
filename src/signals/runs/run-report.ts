// A run as the API returns it: receives the stored run; returns the run, pages of its log, its state, and pages for a recording.
// Invariant: nothing here writes.
import type * as Schema from "effect/Schema"
import type { ErasedRun, RunAsk, RunSignal, RunState, WorkflowRun } from "../../schemas/api/workflows.ts"
import { ok, refused, type RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { CreateRunArgs, RecordedRunPage, RunSignalsPage, RunSignalsQuery } from "../../schemas/rpc/workflow-rpc.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import type { Signal } from "../../schemas/signal.ts"
import { compilePattern } from "../../schemas/signal-pattern.ts"
import type { RunRow } from "../../store/workflow-runs.ts"
import type { AgentTurns } from "./agent-turns.ts"
import type { RunBook } from "./run-book.ts"
import type { RunRecord, TurnRow } from "./run-record.ts"

/** Maximum bytes of signals in a page, unless its first signal is larger. */
const PAGE_BYTES = 2 * 1024 * 1024
const RECORDED_BYTES = 4 * 1024 * 1024
/** Maximum number of signals that one page reads to find matching ones. */
const LOOKED_AT = 5000

export const newRun = (tenant: string, id: string, args: CreateRunArgs, now: number): RunRecord => ({
  tenant,
  id,
  workflow: args.workflow,
  harness: args.harness,
  sessions: args.sessions,
  onEmpty: args.onEmpty,
  input: args.input,
  options: args.options,
  actor: args.actor,
  origin: args.origin ?? null,
  fingerprint: args.fingerprint ?? null,
  createdAt: now,
  updatedAt: now,
  endedAt: null,
  status: "queued",
  error: null,
  done: 0,
  current: null,
  lastSeq: 0,
  waiting: 0,
  outside: 0,
  takeovers: 0,
  processed: 0,
  turns: 0,
  usd: 0,
  listed: null,
  erasing: false,
})

const instant = (at: number): string => new Date(at).toISOString()

/** The fields of a run in lists. */
const listed = (run: RunRecord) => ({
  id: run.id,
  workflow: run.workflow,
  status: run.status,
  created_at: instant(run.createdAt),
  updated_at: instant(run.updatedAt),
  ended_at: run.endedAt === null ? null : instant(run.endedAt),
  total_cost_usd: run.usd,
})

export const listedRow = (run: RunRecord): RunRow => ({ tenant: run.tenant, ...listed(run) })

export const shownRun = (book: RunBook, asks: ReadonlyArray<RunAsk>): WorkflowRun => {
  const run = book.existing
  return {
    type: "workflow_run",
    ...listed(run),
    harness: run.harness,
    sessions: run.sessions,
    on_empty: run.onEmpty,
    input: run.input,
    options: maskOptions(run.options),
    state: stateJson(book.stateAt(run.lastSeq).json),
    signals: { logged: run.lastSeq, processed: run.processed, waiting: run.waiting },
    last_seq: run.lastSeq,
    agents: book.turns().map(({ seq, agent, session, turn, status, usd }) => ({
      agent,
      signal_seq: seq,
      session_id: session,
      turn_id: turn,
      status,
      cost_usd: usd,
    })),
    asks,
    delay_reason: run.endedAt === null ? (run.delayReason ?? null) : null,
    error: run.error,
  }
}

/** The open asks of the turn that the run waits for. Empty if the session can't be reached. */
export const askedOf = async (book: RunBook, run: RunRecord, turns: AgentTurns): Promise<ReadonlyArray<RunAsk>> => {
  if (run.status !== "waiting") return []
  const row = book.turns().find((turn) => turn.status === "running" && turn.session !== null)
  if (row === undefined) return []
  const asks = await turns.asks(run, row).catch(() => [])
  return asks.map((ask) => ({ agent: row.agent, session_id: row.session ?? "", ...ask }))
}

export const signalsPage = (book: RunBook, { after, limit, name }: RunSignalsQuery): RpcResult<RunSignalsPage> => {
  const pattern = name === undefined ? null : compilePattern(name)
  const rows = book.page(after, name === undefined ? limit : LOOKED_AT, PAGE_BYTES)
  const signals: Array<RunSignal> = []
  let seen = after
  for (const { seq, json } of rows) {
    if (signals.length === limit) break
    seen = seq
    const signal = { seq, ...signalOf(json) }
    if (pattern === null || pattern.matches(signal.name)) signals.push(signal)
  }
  const { lastSeq } = book.existing
  return ok({ signals, has_more: seen < lastSeq, last_seq: lastSeq, next_after: seen })
}

export const stateOf = (book: RunBook, at?: number): RpcResult<RunState> => {
  const { lastSeq } = book.existing
  if (at !== undefined && at > lastSeq) {
    const message = `at: the run's last signal has the seq ${lastSeq}. Request the state at that seq or an earlier one.`
    return refused("invalid_request_error", message, { field: "at" })
  }
  const { seq, json } = book.stateAt(at ?? lastSeq)
  return ok({ at: at ?? lastSeq, seq, state: stateJson(json) })
}

export const recordedRunPage = (book: RunBook, run: RunRecord, after: number): RecordedRunPage => {
  const rows = book.page(after, LOOKED_AT, RECORDED_BYTES)
  const last = rows.at(-1)?.seq ?? after
  const { id, workflow, status, created_at, ended_at } = listed(run)
  return {
    run: { id, workflow, status, created_at, ended_at, input: run.input },
    signals: rows.map(({ json }) => signalOf(json)),
    next: last < run.lastSeq ? last : null,
  }
}

export const erasedRun = (run: RunRecord, turns: ReadonlyArray<TurnRow>, now: number): ErasedRun => ({
  id: run.id,
  deleted: true,
  deleted_at: instant(now),
  signals: run.lastSeq,
  sessions: [...new Set(turns.flatMap(({ session }) => session ?? []))],
})

// RunBook wrote both texts.
const signalOf = (json: string): Signal => JSON.parse(json) as Signal
const stateJson = (json: string): Schema.Json => JSON.parse(json) as Schema.Json
