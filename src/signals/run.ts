// Receives a workflow and where its run begins; carries the run out in memory, signal by signal.
// Invariant: the log is the queue: signals wait in the order in which they were emitted. What a phase gives is in the log
// and the state before the next begins, so that a snapshot holds whole phases only.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import { uuidV7 } from "../schemas/ids.ts"
import { type Emitted, isObserved, type Signal, type Sourced } from "../schemas/signal.ts"
import { AgentService, Observer } from "./agent.ts"
import type { AllErrors, WorkflowError } from "./errors.ts"
import { countsOf } from "./run-counts.ts"
import { agentsFor, checkOutside, runAgent, runHandlers } from "./step.ts"
import type { Workflow } from "./workflow.ts"

/**
 * Gives an emitted signal its id and time. What it returns enters the log; a replay returns signals from outside before the
 * given one, and fails for one that was not recorded.
 */
export type Stamp = (signal: Entering) => Effect.Effect<ReadonlyArray<Signal>, RecordingNotFound>

/** A signal that is about to enter the log. Without a source it comes from outside. */
export type Entering = Emitted & Partial<Sourced>

/** An id that sorts by time, and the time of the clock. */
export const stampNow: Stamp = Effect.fnUntraced(function* ({ name, payload, source }) {
  const now = yield* Clock.currentTimeMillis
  const signal = { id: uuidV7(now), name, payload, timestamp: new Date(now).toISOString() }
  return [source === undefined ? signal : { ...signal, source }]
})

export interface RunPorts {
  readonly agents: AgentService["Service"]
  readonly stamp: Stamp
  /** Signals from outside that have arrived, in their order. */
  readonly arrived: Effect.Effect<ReadonlyArray<Emitted>>
  /** Receives every signal as it enters the log. */
  readonly send: (signal: Signal) => void
}

/** A run in memory. */
export interface RunLog<S> {
  readonly state: Ref.Ref<S>
  readonly signals: Array<Signal>
  /** The index of the signal that is processed, or is next. */
  at: number
  /** Phases of that signal that are done: its handlers are the first, then each of its agents. */
  phase: number
  /** The length of the log at the end of the last whole phase. */
  whole: number
}

/** Adds a signal about the run to its log. */
export const note = Effect.fnUntraced(function* (
  log: Pick<RunLog<never>, "signals">,
  { stamp, send }: Pick<RunPorts, "stamp" | "send">,
  one: Entering,
): Effect.fn.Return<ReadonlyArray<Signal>, RecordingNotFound> {
  const signals = yield* stamp(one)
  for (const signal of signals) {
    log.signals.push(signal)
    send(signal)
  }
  return signals
})

/** Carries out what is left of a run; returns why it ended. */
export const carryOut = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  log: RunLog<S>,
  ports: RunPorts,
  start: Emitted,
): Effect.fn.Return<"until" | "empty", AllErrors, R> {
  // What an interrupted phase has left is done again.
  log.signals.length = log.whole
  const counts = countsOf(workflow.limits, log)
  const enter = Effect.fnUntraced(function* (one: Entering): Effect.fn.Return<void, WorkflowError | RecordingNotFound> {
    yield* counts.check(one)
    counts.entered(yield* note(log, ports, one))
  })
  const observe = (one: Entering) => Effect.map(note(log, ports, one), counts.entered)
  const endPhase = (phase: number) => {
    log.phase = phase
    log.whole = log.signals.length
  }

  if (log.signals.length === 0) yield* enter(start)
  while (true) {
    if (log.at > 0 && log.phase === 0 && workflow.until(yield* Ref.get(log.state))) return "until"
    for (const one of yield* ports.arrived) {
      yield* checkOutside(workflow, one)
      yield* enter({ name: one.name, payload: one.payload })
    }
    while (isObserved(log.signals[log.at]?.name ?? "")) log.at += 1
    endPhase(log.phase)
    const signal = log.signals[log.at]
    if (signal === undefined) return "empty"
    if (log.phase === 0) {
      counts.taken()
      const handled = yield* runHandlers(workflow, yield* Ref.get(log.state), signal)
      yield* Effect.forEach(handled.emitted, enter, { discard: true })
      // In one step: a snapshot has both or neither.
      yield* Ref.update(log.state, () => {
        endPhase(1)
        return handled.state
      })
    }
    for (const agent of agentsFor(workflow, signal).slice(log.phase - 1)) {
      yield* counts.turn(agent.definition.name)
      const turn = yield* runAgent(workflow, agent, yield* Ref.get(log.state), signal).pipe(
        Effect.provideService(AgentService, ports.agents),
        Effect.provideService(Observer, observe),
      )
      yield* Effect.forEach(turn.emitted, enter, { discard: true })
      endPhase(log.phase + 1)
    }
    log.at += 1
    endPhase(0)
  }
})
