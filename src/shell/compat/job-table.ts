// The jobs of the shells: the commands that were started with `&`, by process id.
// Invariant: a command with `&` has jobs of its own; it neither lists nor awaits those of its script.
import type { Thread } from "./threads.ts"

/** The field of the interpreter's state that is read here. */
export interface OwnedState {
  /** The command with `&` whose shell it is. */
  owner?: object
}

/** A command that was started with `&`. */
export interface Job {
  readonly id: string
  readonly text: string
  readonly thread: Thread
  /** The command with `&` that has started it. */
  readonly owner: object | undefined
  /** True if `wait` has returned its exit code, which `wait -n` then ignores. */
  reaped: boolean
}

/** Jobs by process id. The key is the state of a shell, which its subshells share (they only copy the variables). */
const jobsByState = new WeakMap<object, Map<string, Job>>()

export const jobsOf = (state: object): Map<string, Job> => {
  const known = jobsByState.get(state) ?? new Map<string, Job>()
  jobsByState.set(state, known)
  return known
}

/** The jobs that a shell has started, and not its own jobs. */
export const ownJobs = (state: OwnedState): ReadonlyArray<Job> =>
  Array.from(jobsOf(state).values()).filter(({ owner }) => owner === state.owner)

/** The job with a process id, or that `%1` names. */
export const jobAt = (state: OwnedState, id: string): Job | undefined =>
  id.startsWith("%") ? ownJobs(state).at(Number(id.slice(1)) - 1) : jobsOf(state).get(id)

/** Signals a job; false if it has ended. */
export const signalled = (state: OwnedState, id: string, signal: number): boolean => {
  const thread = jobAt(state, id)?.thread
  if (thread === undefined || thread.code !== null) return false
  if (signal > 0) {
    thread.signal = signal
    thread.wake()
  }
  return true
}
