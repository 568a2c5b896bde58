// The data that a run's object stores: the run's record, its log, the states between signals, and the turns of its agents.
// Invariant: the log is the queue. Signals are processed in the order of their seq; `done` is the last processed one.
import type * as Schema from "effect/Schema"
import type { Actor } from "../../schemas/access.ts"
import type { RunAgentTurn, RunError, RunHarness, RunSessions, RunStatus } from "../../schemas/api/workflows.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

/** The signal that is being processed: its handlers are phase 0, then each of its agents is one phase. */
interface CurrentSignal {
  readonly seq: number
  /** Number of complete phases; at least 1, for the handlers. */
  readonly phase: number
}

/** Times are milliseconds since 1970. */
export interface RunRecord {
  readonly tenant: string
  readonly id: string
  readonly workflow: string
  readonly harness: RunHarness
  readonly sessions: RunSessions
  readonly onEmpty: "end" | "wait"
  readonly input: Schema.Json
  readonly options: SessionOptions
  readonly actor: Actor
  readonly origin: string | null
  readonly fingerprint: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly endedAt: number | null
  readonly status: RunStatus
  readonly error: RunError | null
  /** Why the turn of an agent can't start now. */
  readonly delayReason?: string | undefined
  /** Every signal up to this seq is processed. */
  readonly done: number
  readonly current: CurrentSignal | null
  readonly lastSeq: number
  readonly waiting: number
  /** How many of the waiting signals came from outside; they do not count towards the limit of the run's own signals. */
  readonly outside: number
  readonly processed: number
  /** How many processes in succession have taken over the run at the handlers of the same signal. */
  readonly takeovers: number
  /** Number of agents' turns that were started. */
  readonly turns: number
  readonly usd: number
  /** The status in D1's list; null while D1 does not list the run. */
  readonly listed: RunStatus | null
  /** True when the creation failed and D1 may list the run nevertheless: it never starts, and is removed from D1. */
  readonly withdrawn?: boolean
  /** True while the run is being erased: no new work starts. */
  readonly erasing: boolean
}

/** A turn of an agent. `session` and `turn` are null if a model alone answers it. */
export interface TurnRow {
  /** The signal that activated the agent. */
  readonly seq: number
  readonly agent: string
  readonly session: string | null
  readonly turn: string | null
  readonly prompt: string
  readonly status: RunAgentTurn["status"]
  readonly usd: number | null
  readonly startedAt: number
}

export const TABLES = [
  "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID",
  // `queued` is 1 for signals that handlers and agents process, 0 for signals about the run.
  "CREATE TABLE IF NOT EXISTS signals (seq INTEGER PRIMARY KEY, queued INTEGER NOT NULL, depth INTEGER NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL)",
  // For looking up signals from outside by their id.
  "CREATE INDEX IF NOT EXISTS signals_from_outside ON signals (json_extract(json, '$.id')) WHERE queued = 1 AND depth = 0",
  // The state after the handlers of the signal `seq`, if they changed it; seq 0 is the initial state.
  "CREATE TABLE IF NOT EXISTS states (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS turns (seq INTEGER NOT NULL, agent TEXT NOT NULL, session TEXT, turn TEXT, prompt TEXT NOT NULL,
    status TEXT NOT NULL, usd REAL, started_at INTEGER NOT NULL, PRIMARY KEY (seq, agent)) WITHOUT ROWID`,
]
