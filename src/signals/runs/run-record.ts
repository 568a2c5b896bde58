// What a run's object stores: the run as one record, its log, the states between signals, and the turns of its agents.
// Invariant: the log is the queue. Signals are processed in the order of their seq, and `done` says how far that has come.
import type * as Schema from "effect/Schema"
import type { Actor } from "../../schemas/access.ts"
import type { RunAgentTurn, RunError, RunHarness, RunSessions, RunStatus } from "../../schemas/api/workflows.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

/** The signal whose phases are under way: its handlers are phase 0, then each of its agents is one. */
interface CurrentSignal {
  readonly seq: number
  /** Phases that are done; at least the handlers. */
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
  /** Every signal up to this seq is processed. */
  readonly done: number
  readonly current: CurrentSignal | null
  readonly lastSeq: number
  readonly waiting: number
  /** How many of those that wait came from outside: they take no room from the run's own. */
  readonly outside: number
  readonly processed: number
  /** Processes that took over the handlers that are next, one after another. */
  readonly takeovers: number
  /** Turns of agents that were begun. */
  readonly turns: number
  readonly usd: number
  /** The status that D1 lists; null while D1 has not counted the run. */
  readonly listed: RunStatus | null
  /** It is being erased: nothing new begins. */
  readonly erasing: boolean
}

/** A turn of an agent. `session` and `turn` are null for one that a model alone carries out. */
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
  // `queued` is 1 for signals that are processed, 0 for those about the run.
  "CREATE TABLE IF NOT EXISTS signals (seq INTEGER PRIMARY KEY, queued INTEGER NOT NULL, depth INTEGER NOT NULL, name TEXT NOT NULL, json TEXT NOT NULL)",
  // Signals from outside are found by their id.
  "CREATE INDEX IF NOT EXISTS signals_from_outside ON signals (json_extract(json, '$.id')) WHERE queued = 1 AND depth = 0",
  // The state after the signal `seq` was handled, where that changed it; 0 is the initial state.
  "CREATE TABLE IF NOT EXISTS states (seq INTEGER PRIMARY KEY, json TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS turns (seq INTEGER NOT NULL, agent TEXT NOT NULL, session TEXT, turn TEXT, prompt TEXT NOT NULL,
    status TEXT NOT NULL, usd REAL, started_at INTEGER NOT NULL, PRIMARY KEY (seq, agent)) WITHOUT ROWID`,
]
