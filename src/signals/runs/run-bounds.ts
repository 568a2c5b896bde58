// What a run may use, and how it fails: receives what a phase gives; returns it as it is stored, or the error of the bound that it breaks.
// Invariant: nothing enters a run's log or state that would not fit into a row.
import * as Effect from "effect/Effect"
import type { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { Sourced } from "../../schemas/signal.ts"
import { type AgentError, type HandlerError, WorkflowError } from "../errors.ts"
import { encodeState } from "../state.ts"
import type { RunLimits } from "../workflow.ts"
import type { AnyWorkflow } from "../workflows/registered.ts"
import type { Entering } from "./run-book.ts"

const STATE_BYTES = 256 * 1024
/** A run's log has at most so many signals. */
const MAX_SIGNALS = 10_000

/** What ends a run as failed. Everything else is a fault of the platform, and tried again. */
export type Failure = WorkflowError | HandlerError | AgentError | RecordingNotFound

const FAILURES = ["WorkflowError", "HandlerError", "AgentError", "RecordingNotFound"]

export const isFailure = (error: unknown): error is Failure =>
  typeof error === "object" && error !== null && "_tag" in error && FAILURES.includes(String(error._tag))

/** What enters the log of what a phase emits. */
export interface Entered {
  readonly signals: ReadonlyArray<Entering>
  /** The limit that the last of them breaks, which ends the run: its replay ends at the same signal. */
  readonly broken: WorkflowError | null
}

interface Counts {
  readonly depth: number
  /** Signals of the run's own that wait. */
  readonly waiting: number
  readonly lastSeq: number
}

/** Signals that a phase emits, up to the first that breaks a limit of the run. */
export const entering = (
  limits: RunLimits,
  emitted: ReadonlyArray<Sourced>,
  { depth, waiting, lastSeq }: Counts,
): Entered => {
  if (lastSeq + emitted.length > MAX_SIGNALS) {
    return { signals: [], broken: limitMet("signals", MAX_SIGNALS, "its log is full") }
  }
  const signals = emitted.map((signal) => ({ ...signal, depth }))
  const [first] = signals
  if (first !== undefined && depth > limits.depth) {
    return {
      signals: [first],
      broken: limitMet("depth", limits.depth, `${first.name} comes after a longer chain of signals`),
    }
  }
  const room = Math.max(limits.queue - waiting, 0)
  const extra = signals[room]
  if (extra === undefined) return { signals, broken: null }
  return {
    signals: signals.slice(0, room + 1),
    broken: limitMet("queue", limits.queue, `${extra.name} is one waiting signal too many`),
  }
}

/** The state as it is stored. */
export const stateText = Effect.fnUntraced(function* (
  workflow: AnyWorkflow,
  state: unknown,
): Effect.fn.Return<string, WorkflowError> {
  const text = JSON.stringify(yield* encodeState(workflow, state))
  if (new TextEncoder().encode(text).length <= STATE_BYTES) return text
  const message = `The state of ${workflow.name} is larger than ${STATE_BYTES / 1024} KiB.`
  return yield* new WorkflowError({ message })
})

export const limitMet = (limit: string, most: number, what: string): WorkflowError =>
  new WorkflowError({ message: `The run reached its limit ${limit}, which is ${most}: ${what}.` })

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
