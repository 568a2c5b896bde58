// The limits of a run: receives the results of a phase; returns them as they are stored, or the error of the exceeded limit.
// Invariant: everything that enters a run's log or state fits into a row.
import * as Effect from "effect/Effect"
import type { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { Sourced } from "../../schemas/signal.ts"
import { type AgentError, type HandlerError, WorkflowError } from "../errors.ts"
import { encodeState } from "../state.ts"
import type { RunLimits } from "../workflow.ts"
import type { AnyWorkflow } from "../workflows/registered.ts"
import type { Entering } from "./run-book.ts"

const STATE_BYTES = 256 * 1024
/** Maximum number of signals in a run's log. */
const MAX_SIGNALS = 10_000

/** Errors that end a run as failed. Any other error is a fault of the platform and is retried. */
export type Failure = WorkflowError | HandlerError | AgentError | RecordingNotFound

const FAILURES = ["WorkflowError", "HandlerError", "AgentError", "RecordingNotFound"]

export const isFailure = (error: unknown): error is Failure =>
  typeof error === "object" && error !== null && "_tag" in error && FAILURES.includes(String(error._tag))

/** The signals of a phase that enter the log. */
export interface Entered {
  readonly signals: ReadonlyArray<Entering>
  /** The error of the limit that the last signal exceeds, which ends the run; a replay ends at the same signal. */
  readonly broken: WorkflowError | null
}

interface Counts {
  readonly depth: number
  /** Queued signals that the run itself has emitted. */
  readonly waiting: number
  readonly lastSeq: number
}

/** The signals that a phase emits, up to and including the first that exceeds a limit of the run. */
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

/** The state as the JSON text that is stored. Fails if it is larger than 256 KiB. */
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
