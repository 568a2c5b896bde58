// Receives a turn of an agent that has ended; returns the changes that its run commits.
// Invariant: a turn's cost is counted once, however often its end is observed.
import { shortened } from "../../schemas/shortened.ts"
import type { Progress } from "./agent-turns.ts"
import { outputOf } from "./answer-format.ts"
import type { Commit } from "./run-book.ts"
import type { RunRecord, TurnRow } from "./run-record.ts"

const OUTPUT_CHARACTERS = 60_000

export interface EndedTurn {
  readonly status: "completed" | "failed"
  readonly progress: Progress
  readonly harness: string
  /** The id of the signal that activated the agent. */
  readonly parent: string
  /** Milliseconds since 1970. */
  readonly now: number
}

export const turnEnd = (
  { usd: before }: Pick<RunRecord, "usd">,
  row: TurnRow,
  { status, progress, harness, parent, now }: EndedTurn,
): Commit => {
  if (row.status !== "running") return {}
  const { agent } = row
  const { result, usd } = progress.tag === "ended" ? progress : { result: null, usd: null }
  const source = { agent, harness, parent }
  const output = shortened(outputOf(result), OUTPUT_CHARACTERS)
  const end =
    status === "completed"
      ? { name: "harness:end", payload: { output, durationMs: now - row.startedAt, ...idsOf(row) } }
      : {
          name: "harness:error",
          payload: { message: `The turn of ${agent} failed.`, recoverable: false, ...idsOf(row) },
        }
  return {
    turn: { ...row, status, usd },
    run: { usd: cents(before + (usd ?? 0)), delayReason: undefined },
    signals: [{ ...end, source, depth: 0 }],
  }
}

/** The ids of the session and the turn as payload fields; empty for a turn that a model alone answered. */
export const idsOf = ({ session, turn }: Pick<TurnRow, "session" | "turn">) =>
  session === null ? {} : { session_id: session, turn_id: turn }

/** Rounds US dollars to millionths of a cent, so that sums of binary fractions show no rounding noise. */
const cents = (usd: number): number => Math.round(usd * 1e8) / 1e8
