// Receives a run's limits and its log; counts how much of the limits the run uses.
// Invariant: the counts are a function of the log, so that a run that resumes after a restart has the same counts.
import { isObserved, type Signal } from "../schemas/signal.ts"
import { WorkflowError } from "./errors.ts"
import type { RunLimits } from "./workflow.ts"

export interface RunCounts {
  /** Counts signals that have entered the log; returns the error if one of them exceeds the limit of depth or queue. */
  readonly entered: (signals: ReadonlyArray<Signal>) => WorkflowError | null
  /** How many more signals from outside may enter the queue. */
  readonly room: () => number
  /** Call it when a signal leaves the queue. */
  readonly taken: (signal: Signal) => void
  /** Call it when a turn of an agent starts; returns the error if it exceeds the limit. */
  readonly turn: (agent: string) => WorkflowError | null
}

export const countsOf = (
  limits: RunLimits,
  log: { readonly signals: ReadonlyArray<Signal>; readonly at: number; readonly phase: number },
): RunCounts => {
  /** The depth of signals that handlers and agents receive, by id. */
  const depths = new Map<string, number>()
  /** Queued signals that the run itself has emitted. */
  let waiting = 0
  /** Queued signals from outside; they are counted separately from the run's own. */
  let outside = 0
  let turns = log.signals.filter(({ name }) => name === "agent:activated").length
  const count = (signals: ReadonlyArray<Signal>): string | null => {
    let fault: string | null = null
    for (const { id, name, source } of signals) {
      if (isObserved(name)) continue
      if (source?.parent === undefined) {
        depths.set(id, 0)
        outside += 1
        continue
      }
      const depth = (depths.get(source.parent) ?? 0) + 1
      depths.set(id, depth)
      waiting += 1
      if (depth > limits.depth) fault ??= faultOf(limits, "depth", `${name} comes after a longer chain of signals`)
      if (waiting > limits.queue) fault ??= faultOf(limits, "queue", `${name} is one waiting signal too many`)
    }
    return fault
  }
  const uncount = ({ name, source }: Signal) => {
    if (isObserved(name)) return
    if (source?.parent === undefined) outside -= 1
    else waiting -= 1
  }
  // These were within the limits when they entered.
  count(log.signals)
  log.signals.slice(0, log.phase === 0 ? log.at : log.at + 1).forEach(uncount)
  return {
    entered: (signals) => errorOf(count(signals)),
    room: () => Math.max(limits.queue - outside, 0),
    taken: uncount,
    turn: (agent) => {
      turns += 1
      return turns > limits.agents
        ? errorOf(faultOf(limits, "agents", `the turn of ${agent} would be one too many`))
        : null
    },
  }
}

const faultOf = (limits: RunLimits, limit: keyof RunLimits, what: string): string =>
  `The run reached its limit ${limit}, which is ${limits[limit]}: ${what}.`

const errorOf = (fault: string | null): WorkflowError | null =>
  fault === null ? null : new WorkflowError({ message: fault })
