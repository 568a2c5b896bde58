// Receives a workflow and the point at which its run starts; executes the run in memory, signal by signal.
// Invariant: the log is the queue: signals wait in the order in which they were emitted. The results of a phase are in the log
// and the state before the next phase starts, so that a snapshot contains only complete phases.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import { uuidV7 } from "../schemas/ids.ts"
import { type Emitted, isObserved, payloadCopy, type Signal, type Sourced } from "../schemas/signal.ts"
import { AgentService, Observer } from "./agent.ts"
import type { AllErrors, WorkflowError } from "./errors.ts"
import { countsOf } from "./run-counts.ts"
import { agentsFor, checkOutside, isDone, runAgent, runHandlers } from "./step.ts"
import type { Workflow } from "./workflow.ts"

/**
 * Assigns an id and a time to an emitted signal. The signals that it returns enter the log; in a replay, they may include signals
 * from outside before the given one. A replay fails for a signal that was not recorded.
 */
export type Stamp = (signal: Entering) => Effect.Effect<ReadonlyArray<Signal>, RecordingNotFound>

/** A signal that is about to enter the log. Without a source it comes from outside. */
export type Entering = Emitted & Partial<Sourced>

/** Assigns an id that sorts by time, and the time of the clock. */
export const stampNow: Stamp = Effect.fnUntraced(function* ({ name, payload, source }) {
  const now = yield* Clock.currentTimeMillis
  const signal = { id: uuidV7(now), name, payload, timestamp: new Date(now).toISOString() }
  return [source === undefined ? signal : { ...signal, source }]
})

export interface RunPorts {
  readonly agents: AgentService["Service"]
  readonly stamp: Stamp
  /** Signals from outside that have arrived, in order, at most `room`. `idle` is true when no other signal is waiting. */
  readonly arrived: (room: number, idle: boolean) => Effect.Effect<ReadonlyArray<Emitted>>
  /** Only in a replay: whether the recorded run was cancelled at the current end of the log. */
  readonly cancelled?: () => boolean
  /** Receives every signal as it enters the log. */
  readonly send: (signal: Signal) => void
}

/** The state, the log and the position of a run in memory. */
export interface RunLog<S> {
  readonly state: Ref.Ref<S>
  readonly signals: Array<Signal>
  /** The index of the current or next signal. */
  at: number
  /** How many phases of that signal are complete: first its handlers, then each of its agents. */
  phase: number
  /** The length of the log at the end of the last complete phase. */
  whole: number
}

/** Adds a signal to the log of a run. */
export const note = Effect.fnUntraced(function* (
  log: Pick<RunLog<never>, "signals">,
  { stamp, send }: Pick<RunPorts, "stamp" | "send">,
  one: Entering,
): Effect.fn.Return<void, RecordingNotFound> {
  for (const signal of yield* stamp(one)) {
    log.signals.push(signal)
    send(signal)
  }
})

/** Executes the rest of a run; returns the reason why it ended: its `until` was true, or no signal is left. */
export const execute = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  log: RunLog<S>,
  ports: RunPorts,
  start: Emitted,
): Effect.fn.Return<"until" | "empty", AllErrors, R> {
  // Signals of an interrupted phase are discarded: the phase runs again.
  log.signals.length = log.whole
  const counts = countsOf(workflow.limits, log)
  /** A signal that exceeds a limit is the last one to enter the log, so that a replay fails at the same signal. */
  const add = Effect.fnUntraced(function* (signals: ReadonlyArray<Entering>) {
    for (const one of signals) {
      const from = log.signals.length
      yield* note(log, ports, one)
      const broken = counts.entered(log.signals.slice(from))
      if (broken !== null) return broken
    }
    return null
  })
  const observe = (one: Entering) => Effect.asVoid(add([one]))
  const enter = (signals: ReadonlyArray<Entering>) => Effect.flatMap(add(signals), failOn)
  const endPhase = (phase: number) => {
    log.phase = phase
    log.whole = log.signals.length
  }

  /** Checks signals from outside, and adds them to the log. */
  const receive = Effect.fnUntraced(function* (signals: ReadonlyArray<Emitted>) {
    yield* Effect.forEach(signals, (one) => checkOutside(workflow, one), { discard: true })
    yield* enter(signals.map(({ name, payload }) => ({ name, payload: payloadCopy(payload) })))
  })

  if (log.signals.length === 0) yield* receive([start])
  while (true) {
    if (log.at > 0 && log.phase === 0 && (yield* isDone(workflow, yield* Ref.get(log.state)))) return "until"
    while (isObserved(log.signals[log.at]?.name ?? "")) log.at += 1
    yield* receive(yield* ports.arrived(counts.room(), log.signals[log.at] === undefined))
    endPhase(log.phase)
    const signal = log.signals[log.at]
    if (signal === undefined) return "empty"
    if (log.phase === 0) {
      counts.taken(signal)
      const handled = yield* runHandlers(workflow, yield* Ref.get(log.state), signal)
      const broken = yield* add(handled.emitted)
      // One atomic update: a snapshot has both the state and the signals, or neither.
      yield* Ref.update(log.state, () => {
        endPhase(1)
        return handled.state
      })
      yield* failOn(broken)
    }
    for (const agent of agentsFor(workflow, signal).slice(log.phase - 1)) {
      yield* failOn(counts.turn(agent.definition.name))
      const turn = yield* runAgent(workflow, agent, yield* Ref.get(log.state), signal).pipe(
        Effect.provideService(AgentService, ports.agents),
        Effect.provideService(Observer, observe),
      )
      yield* enter(turn.emitted)
      endPhase(log.phase + 1)
    }
    log.at += 1
    endPhase(0)
  }
})

const failOn = (error: WorkflowError | null): Effect.Effect<void, WorkflowError> =>
  error === null ? Effect.void : Effect.fail(error)
