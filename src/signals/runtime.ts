// Receives a workflow; returns its runtime in memory: the state, the inbox for signals from outside, and the run.
// Invariant: a run starts with `workflow:start` and ends with `workflow:end`; fibers of its scope end with it.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Cause from "effect/Cause"
import type * as Schema from "effect/Schema"
import { RecordingNotFound } from "../recording/recording-not-found.ts"
import type { Emitted, Signal } from "../schemas/signal.ts"
import { AdapterService } from "./adapter.ts"
import { adapterHub } from "./adapter-hub.ts"
import type { AgentService } from "./agent.ts"
import { makeAgentService } from "./agent-service.ts"
import type { AllErrors } from "./errors.ts"
import { HarnessService } from "./harness.ts"
import { execute, note, type RunLog, type RunPorts, stampNow } from "./run.ts"
import { decodeState, encodeState, type WorkflowState } from "./state.ts"
import type { Workflow } from "./workflow.ts"

/** A run as JSON, at the end of a phase: another runtime can resume it. */
export interface RunSnapshot {
  readonly state: Schema.Json
  readonly signals: ReadonlyArray<Signal>
  /** The index of the next signal, or of the signal whose phases are not complete. */
  readonly at: number
  readonly phase: number
}

export interface RuntimeOptions {
  /** The payload of `workflow:start`; `{}` by default. */
  readonly input?: Schema.Json
  /** Resumes this run instead of starting a new one. */
  readonly from?: RunSnapshot
}

/** The parts of a run other than the workflow. */
export interface RunParts extends Partial<Pick<RunPorts, "stamp" | "arrived" | "cancelled">> {
  readonly agents: AgentService["Service"]
  readonly adapters: ReadonlyArray<AdapterService["Service"]>
}

export interface WorkflowRuntime<S, R = never> {
  readonly workflow: Workflow<S, R>
  readonly state: WorkflowState<S>
  /** The inbox for signals from outside, before and during the run. They enter the log as soon as there is room. */
  readonly signals: Queue.Queue<Emitted>
  /** The log so far. */
  readonly log: Effect.Effect<ReadonlyArray<Signal>>
  readonly snapshot: Effect.Effect<RunSnapshot, AllErrors>
  /** Executes the run; succeeds with the last state. */
  readonly run: Effect.Effect<S, AllErrors, HarnessService | AdapterService | R>
  /** Executes the run with explicit parts, instead of a harness and one adapter from the context. */
  readonly runWith: (parts: RunParts) => Effect.Effect<S, AllErrors, R>
}

/** Capacity of the inbox; further signals from outside are dropped. */
const INBOX = 1000

export const createRuntime = Effect.fnUntraced(function* <S, R = never>(
  workflow: Workflow<S, R>,
  { input = {}, from }: RuntimeOptions = {},
): Effect.fn.Return<WorkflowRuntime<S, R>, AllErrors> {
  const state = yield* Ref.make(from === undefined ? workflow.initialState : yield* decodeState(workflow, from.state))
  const inbox = yield* Queue.dropping<Emitted>(INBOX)
  const signals = [...(from?.signals ?? [])]
  const log: RunLog<S> = { state, signals, at: from?.at ?? 0, phase: from?.phase ?? 0, whole: signals.length }
  const start = { name: "workflow:start", payload: input }

  const take = Effect.fnUntraced(function* (room: number) {
    const taken: Array<Emitted> = []
    for (let left = room; left > 0; left -= 1) {
      const one = Option.getOrUndefined(yield* Queue.poll(inbox))
      if (one === undefined) break
      taken.push(one)
    }
    return taken
  })

  const runWith = ({ agents, adapters, stamp = stampNow, arrived = take, cancelled = () => false }: RunParts) =>
    Effect.scoped(
      Effect.gen(function* () {
        if (log.signals.at(-1)?.name === "workflow:end") return yield* Ref.get(state)
        const hub = yield* adapterHub([...workflow.adapters, ...adapters])
        const ports = { agents, stamp, arrived, send: hub.send }
        const executed = yield* Effect.exit(execute(workflow, log, ports, start))
        const ended = mayBeCancelled(executed) && cancelled() ? Exit.succeed("cancelled" as const) : executed
        yield* endRun(log, ports, ended)
        yield* hub.close
        yield* ended
        return yield* Ref.get(state)
      }),
    )
  const run = Effect.gen(function* () {
    const agents = makeAgentService(yield* HarnessService)
    return yield* runWith({ agents, adapters: [yield* AdapterService] })
  })
  const snapshot = Effect.gen(function* () {
    const whole = log.signals.slice(0, log.whole)
    return { state: yield* encodeState(workflow, yield* Ref.get(state)), signals: whole, at: log.at, phase: log.phase }
  })
  return { workflow, state, signals: inbox, log: Effect.sync(() => [...log.signals]), snapshot, run, runWith }
})

/** Whether the run ended at a place where a recorded run may have been cancelled: no signal is left, or none is recorded. */
const mayBeCancelled = (executed: Exit.Exit<"until" | "empty", AllErrors>): boolean =>
  Exit.isSuccess(executed) ? executed.value === "empty" : Cause.squash(executed.cause) instanceof RecordingNotFound

/** Adds `workflow:end`, except for an interrupted run, which can resume, and for a replay that differs from its recording. */
const endRun = <S>(log: RunLog<S>, ports: RunPorts, ended: Exit.Exit<"until" | "empty" | "cancelled", AllErrors>) => {
  if (Exit.isFailure(ended) && Cause.hasInterrupts(ended.cause)) return Effect.void
  if (Exit.isFailure(ended) && Cause.squash(ended.cause) instanceof RecordingNotFound) return Effect.void
  const payload = Exit.isSuccess(ended) ? { reason: ended.value } : failureOf(Cause.squash(ended.cause))
  return Effect.tap(note(log, ports, { name: "workflow:end", payload }), () =>
    Effect.sync(() => {
      log.whole = log.signals.length
    }),
  )
}

const failureOf = (error: unknown) => {
  const { _tag: type = "Error", message = "The run failed." } = error as {
    readonly _tag?: string
    readonly message?: string
  }
  return { reason: "error", error: { type, message } }
}
