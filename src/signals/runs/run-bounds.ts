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

/** Signals that a phase emits, within the run's limits. */
export const entering = (
  limits: RunLimits,
  emitted: ReadonlyArray<Sourced>,
  { depth, waiting, lastSeq }: { readonly depth: number; readonly waiting: number; readonly lastSeq: number },
): Effect.Effect<ReadonlyArray<Entering>, WorkflowError> => {
  const [first] = emitted
  if (first !== undefined && depth > limits.depth) {
    return limitMet("depth", limits.depth, `${first.name} comes after a longer chain of signals`)
  }
  const extra = emitted[Math.max(limits.queue - waiting, 0)]
  if (extra !== undefined) return limitMet("queue", limits.queue, `${extra.name} would be one more signal that waits`)
  return lastSeq + emitted.length > MAX_SIGNALS
    ? limitMet("signals", MAX_SIGNALS, "its log is full")
    : Effect.succeed(emitted.map((signal) => ({ ...signal, depth })))
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

/** Whether the state is the last one. */
export const isFinal = (workflow: AnyWorkflow, state: unknown): Effect.Effect<boolean, WorkflowError> =>
  Effect.try({
    try: () => workflow.until(state),
    catch: (error) =>
      new WorkflowError({ message: `until of ${workflow.name} failed: ${textOf(error)}`, cause: error }),
  })

export const limitMet = (limit: string, most: number, what: string): Effect.Effect<never, WorkflowError> =>
  Effect.fail(new WorkflowError({ message: `The run met its limit ${limit}, which is ${most}: ${what}.` }))

/** Millionths of a cent: sums of binary fractions show none of their noise. */
export const cents = (usd: number): number => Math.round(usd * 1e8) / 1e8

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
