// Receives a run's limits and its log; counts what the run uses of them.
// Invariant: the counts are a function of the log, so that a run that goes on after a restart has the counts that it had.
import * as Effect from "effect/Effect"
import { isObserved, type Signal, type SignalSource } from "../schemas/signal.ts"
import { WorkflowError } from "./errors.ts"
import type { RunLimits } from "./workflow.ts"

export interface RunCounts {
  /** Fails for a signal that would be too many, or too deep. */
  readonly check: (signal: {
    readonly name: string
    readonly source?: SignalSource
  }) => Effect.Effect<void, WorkflowError>
  readonly entered: (signals: ReadonlyArray<Signal>) => void
  /** A signal no longer waits. */
  readonly taken: () => void
  /** A turn of an agent begins; fails when it is one too many. */
  readonly turn: (agent: string) => Effect.Effect<void, WorkflowError>
}

export const countsOf = (
  limits: RunLimits,
  log: { readonly signals: ReadonlyArray<Signal>; readonly at: number; readonly phase: number },
): RunCounts => {
  /** The depth of signals that wait for processing, or are processed. */
  const depths = new Map<string, number>()
  const depthOf = (source?: SignalSource) => (source?.parent === undefined ? 0 : (depths.get(source.parent) ?? 0) + 1)
  let waiting = 0
  let turns = 0
  const entered = (signals: ReadonlyArray<Signal>) => {
    for (const { id, name, source } of signals) {
      if (isObserved(name)) continue
      depths.set(id, depthOf(source))
      waiting += 1
    }
  }
  entered(log.signals)
  const done = log.signals.slice(0, log.phase === 0 ? log.at : log.at + 1)
  waiting -= done.filter(({ name }) => !isObserved(name)).length
  turns = log.signals.filter(({ name }) => name === "agent:activated").length
  return {
    entered,
    check: ({ name, source }) => {
      if (depthOf(source) > limits.depth)
        return over("depth", limits.depth, `${name} comes after a longer chain of signals`)
      return waiting >= limits.queue
        ? over("queue", limits.queue, `${name} would be one more signal that waits`)
        : Effect.void
    },
    taken: () => {
      waiting -= 1
    },
    turn: (agent) => {
      turns += 1
      return turns > limits.agents
        ? over("agents", limits.agents, `the turn of ${agent} would be one more`)
        : Effect.void
    },
  }
}

const over = (limit: keyof RunLimits, most: number, what: string): Effect.Effect<never, WorkflowError> =>
  Effect.fail(new WorkflowError({ message: `The run met its limit ${limit}, which is ${most}: ${what}.` }))
