// Receives a workflow, a run's state and a signal of its queue; runs the signal's handlers, then its agents.
// Invariant: it uses no log and no clock. The result depends only on the state, the signal and the agents' answers, so that a
// durable run can commit between the phases, and a replay produces the same result.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import { type Emitted, isObserved, payloadCopy, type Signal, signalFault, type Sourced } from "../schemas/signal.ts"
import { AgentService, type Observed, Observer } from "./agent.ts"
import { AgentError, HandlerError, messageOf, SignalError, WorkflowError } from "./errors.ts"
import { returnedEffect } from "./returned-effect.ts"
import type { AnySignalDefinition } from "./signal.ts"
import type { CompiledAgent, Workflow } from "./workflow.ts"

/** The state after the handlers of a signal, and the signals that they emitted. */
export interface HandlersResult<S> {
  readonly state: S
  readonly emitted: ReadonlyArray<Sourced>
}

/** The signals of an agent's turn. */
export interface AgentResult {
  readonly emitted: ReadonlyArray<Sourced>
  /** Signals about the turn, for adapters and the log; they precede those that it emits. */
  readonly observed: ReadonlyArray<Sourced>
}

/** All changes from processing one signal. */
export interface StepResult<S> extends AgentResult {
  readonly state: S
  /** True when `until` returns true for the state. */
  readonly done: boolean
}

/** The first phase: runs all handlers of the signal, one after another in the order of the workflow. */
export const runHandlers = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  state: S,
  signal: Signal,
): Effect.fn.Return<HandlersResult<S>, HandlerError, R> {
  const handlers = workflow.handlers.filter(({ patterns }) => patterns.some(({ matches }) => matches(signal.name)))
  if (handlers.length === 0) return { state, emitted: [] }
  const ref = yield* Ref.make(state)
  const emitted: Array<Sourced> = []
  for (const handler of handlers) {
    const returned = yield* Effect.suspend(() => returnedEffect(handler.handle(signal, ref), "A handler")).pipe(
      Effect.tap((signals) => checkEach(workflow.definitions, signals)),
      Effect.catchCause((cause) => failedHandler(signal, cause)),
    )
    for (const { name, payload } of returned) {
      emitted.push({ name, payload: payloadCopy(payload), source: { parent: signal.id } })
    }
  }
  return { state: yield* Ref.get(ref), emitted }
})

const failedHandler = (signal: Signal, cause: Cause.Cause<unknown>): Effect.Effect<never, HandlerError> => {
  // An interruption is not a failure of the handler.
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
  const error = Cause.squash(cause)
  return Effect.fail(
    new HandlerError({
      signal: signal.name,
      message: `A handler of ${signal.name} failed: ${messageOf(error)}`,
      cause: error,
    }),
  )
}

/** The agents that a signal activates, in the order of the workflow. */
export const agentsFor = <S, R>(workflow: Workflow<S, R>, signal: Signal): ReadonlyArray<CompiledAgent<S>> =>
  workflow.agents.filter(({ patterns }) => patterns.some(({ matches }) => matches(signal.name)))

/** The second phase, once for each agent: its prompt is built from the state after the handlers. */
export const runAgent = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  agent: CompiledAgent<S>,
  state: S,
  signal: Signal,
): Effect.fn.Return<AgentResult, AgentError | RecordingNotFound, AgentService> {
  const { definition } = agent
  const name = definition.name
  const fail = (message: string, cause: unknown) => new AgentError({ agent: name, message, cause })
  const prompt = yield* Effect.try({
    try: () => definition.prompt(state, signal),
    catch: (error) => fail(`The prompt of ${name} could not be created: ${messageOf(error)}`, error),
  })
  if (typeof prompt !== "string") return yield* fail(`The prompt of ${name} must be a string.`, prompt)
  const activated = { agent: name, trigger: signal.name, prompt }
  const fault = signalFault("agent:activated", activated)
  if (fault !== null) return yield* new AgentError({ agent: name, message: fault })
  const source = { agent: name, parent: signal.id }
  const outside = yield* Observer
  const observed: Array<Sourced> = []
  const observe = ({ name: of, payload, source: given }: Observed) => {
    const one = { name: of, payload, source: { ...given, ...source } }
    observed.push(one)
    return outside(one)
  }
  yield* observe({ name: "agent:activated", payload: activated })
  const service = yield* AgentService
  const answered = yield* service.run(prompt, signal, definition).pipe(Effect.provideService(Observer, observe))
  const undeclared = answered.find((one) => !agent.emits.has(one.name))
  if (undeclared !== undefined) {
    const declared = [...agent.emits].join(", ") || "none"
    return yield* fail(
      `${name} emitted ${undeclared.name}, which it does not declare. Declared: ${declared}.`,
      undeclared,
    )
  }
  yield* Effect.mapError(checkEach(workflow.definitions, answered), (error) => fail(error.message, error))
  return { observed, emitted: answered.map((one) => ({ name: one.name, payload: payloadCopy(one.payload), source })) }
})

/** Runs both phases of a signal. */
export const processSignal = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  { state, signal, agents }: { readonly state: S; readonly signal: Signal; readonly agents: AgentService["Service"] },
): Effect.fn.Return<StepResult<S>, HandlerError | AgentError | RecordingNotFound | WorkflowError, R> {
  const handled = yield* runHandlers(workflow, state, signal)
  const emitted = [...handled.emitted]
  const observed: Array<Sourced> = []
  for (const agent of agentsFor(workflow, signal)) {
    const turn = yield* runAgent(workflow, agent, handled.state, signal).pipe(
      Effect.provideService(AgentService, agents),
    )
    emitted.push(...turn.emitted)
    observed.push(...turn.observed)
  }
  return { state: handled.state, emitted, observed, done: yield* isDone(workflow, handled.state) }
})

/** Whether the run has reached its end. */
export const isDone = <S, R>({ name, until }: Workflow<S, R>, state: S): Effect.Effect<boolean, WorkflowError> =>
  Effect.try({
    try: () => until(state),
    catch: (cause) =>
      new WorkflowError({ message: `until of the workflow ${name} failed: ${messageOf(cause)}`, cause }),
  })

/** Fails for a signal that can't enter a run: malformed, reserved for the runtime, or not matching its definition. */
export const checkSignal = Effect.fnUntraced(function* (
  definitions: ReadonlyMap<string, AnySignalDefinition>,
  { name, payload }: Emitted,
): Effect.fn.Return<void, SignalError> {
  const fault = isObserved(name)
    ? `${name} is a signal of the runtime, which can't be emitted.`
    : signalFault(name, payload)
  if (fault !== null) return yield* new SignalError({ signal: name, message: fault })
  const definition = definitions.get(name)
  if (definition !== undefined) yield* definition.decode(payload)
})

/** Checks a signal from outside a run; fails with a WorkflowError. */
export const checkOutside = (workflow: Pick<Workflow<never>, "definitions">, signal: Emitted) =>
  Effect.mapError(
    checkSignal(workflow.definitions, signal),
    (error) => new WorkflowError({ message: error.message, cause: error }),
  )

const checkEach = (definitions: ReadonlyMap<string, AnySignalDefinition>, signals: ReadonlyArray<Emitted>) =>
  // An untyped program may return anything.
  Array.isArray(signals) && signals.every((signal) => isPlainObject(signal) && typeof signal["name"] === "string")
    ? Effect.forEach(signals, (signal) => checkSignal(definitions, signal), { discard: true })
    : Effect.die(new TypeError("A handler must succeed with a list of signals {name, payload}."))
