// Receives a workflow and where its run begins; carries the run out in memory, signal by signal.
// Invariant: the log is the queue: signals wait in the order in which they were emitted. What a phase gives is in the log
// and the state before the next begins, so that a snapshot holds whole phases only.
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
  /** Signals from outside that have arrived, in their order: as many as there is room for. `idle` is true when no other waits. */
  readonly arrived: (room: number, idle: boolean) => Effect.Effect<ReadonlyArray<Emitted>>
  /** Of a replay: whether the recorded run was cancelled where the log is now. */
  readonly cancelled?: () => boolean
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
  /** The one that breaks a limit is the last that enters: the run's replay fails there as well. */
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

  /** From outside, checked. */
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
      // In one step: a snapshot has both or neither.
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
