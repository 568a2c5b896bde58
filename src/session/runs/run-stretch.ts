// Reads from the log which stretch of a turn a run is, and its status. Nothing here writes.
import { EventNames } from "../../schemas/log/events.ts"
import type { RunRuntime } from "../../schemas/runs/run-runtime.ts"
import type { AgentRunStatus } from "../../schemas/rpc/turns.ts"
import type { SessionCore } from "../core.ts"
import type { SessionLog } from "../storage/log.ts"

export interface Stretch {
  readonly runtime: RunRuntime
  /** Null when the last run of the turn is over. */
  readonly run: { readonly id: string; readonly deadline: number } | null
}

/** The last run of a turn that has begun; null when its first events are not written. */
export const currentStretch = (log: SessionLog, turn: string): Stretch | null => {
  const started = log.lastNamed("run:started")?.event
  if (started === undefined || started.turn !== turn) return null
  const last = log.lastNamed("run:")?.event ?? started
  const { runtime } = started.payload
  if (last.name === EventNames.runPaused) return { runtime, run: null }
  // A run that had timed out when its process died must still be stopped.
  const limit = last.name === EventNames.runTimedOut ? 0 : last.payload.timeout_ms
  return { runtime, run: { id: last.payload.run_id, deadline: last.at + limit + waitedSince(log, last.seq) } }
}

/**
 * How long the turn has waited for its place in the tenant's lane since `seq`, in milliseconds: this does not count as the
 * run's time.
 */
const waitedSince = (log: SessionLog, seq: number): number => {
  const range = { after: seq, through: log.lastSeq, limit: Number.MAX_SAFE_INTEGER }
  const waits = log.seqsNamed([EventNames.laneEntered], range).map((at) => log.atNamed(at, EventNames.laneEntered))
  return waits.reduce((sum, wait) => sum + (wait?.event.payload.waited_ms ?? 0), 0)
}

/** The status of a run; undefined when the session never had it. */
export const runStatus = ({ inbox, log, turns }: SessionCore, turn: string): AgentRunStatus | undefined => {
  const entry = inbox.find(turn)
  const first = entry === undefined ? undefined : log.at(entry.seq)?.event
  if (entry === undefined || first === undefined) return undefined
  const isResumed = first.name === EventNames.runResumed
  const run = isResumed ? first.payload : first.name === EventNames.turnQueued ? first.payload.run : undefined
  const host = isResumed && first.turn !== null ? inbox.find(first.turn) : entry
  const state = host === undefined ? undefined : turns.status(host.turn)
  if (run === undefined || host === undefined || state === undefined) return undefined
  const through = host.resultSeq ?? log.lastSeq
  const paused = log.seqsNamed([EventNames.runPaused], { after: entry.seq, through, limit: 1 })[0]
  return {
    run_id: run.run_id,
    turn: host.turn,
    status: paused === undefined ? state.status : "requires_action",
    pending: state.pending,
    first_seq: entry.seq,
    last_seq: paused ?? host.resultSeq,
    turn_seq: host.seq,
  }
}
