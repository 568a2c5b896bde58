// Receives the parts of a workflow; returns the workflow, checked and compiled.
// Invariant: a workflow has well-formed names and patterns, one definition per name, and limits up to the maximum.
import type * as Schema from "effect/Schema"
import type { CompiledPattern } from "../schemas/signal-pattern.ts"
import { isObserved, signalFault } from "../schemas/signal.ts"
import type { AdapterService } from "./adapter.ts"
import type { AgentDef } from "./agent.ts"
import { WorkflowError } from "./errors.ts"
import { type Handler, type HandlerDef, listened } from "./handler.ts"
import { type AnySignalDefinition, nameOf } from "./signal.ts"

/** Limits of one run. */
export interface RunLimits {
  /** Signals that may wait at the same time. */
  readonly queue: number
  /** Length of a chain of signals, each of which was emitted while the previous one was processed. */
  readonly depth: number
  /** Number of agents' turns. */
  readonly agents: number
}

/** The highest limits, which are also the defaults. */
export const MAX_RUN_LIMITS: RunLimits = { queue: 1000, depth: 100, agents: 100 }

/** A handler for the state `S`, or one that was defined without a state and fits any workflow. */
type AnyHandler<S, R> = HandlerDef<S, unknown, R> | HandlerDef<never, unknown, R>

type Bare<S, R> = Handler<S, Schema.Json, unknown, R>

/** Handlers by the signal that they handle, or a list. A bare function receives payloads undecoded. */
export type Handlers<S, R> = ReadonlyArray<AnyHandler<S, R>> | Readonly<Record<string, AnyHandler<S, R> | Bare<S, R>>>

/** A workflow as its author writes it. */
export interface WorkflowConfig<S, R = never> {
  readonly name: string
  readonly initialState: S
  readonly handlers: Handlers<S, R>
  readonly agents?: ReadonlyArray<AgentDef<S>> | Readonly<Record<string, AgentDef<S>>>
  /** Returns true when the run is done; called after every signal. */
  readonly until: (state: S) => boolean
  readonly adapters?: ReadonlyArray<AdapterService["Service"]>
  /** Further definitions: signals with their names are decoded when they enter. */
  readonly signals?: ReadonlyArray<AnySignalDefinition>
  /** Encodes the state for storage; without it, the state itself must be JSON. */
  readonly stateSchema?: Schema.Codec<S, unknown>
  readonly limits?: Partial<RunLimits>
}

/** An agent with its patterns compiled. */
export interface CompiledAgent<S> {
  readonly definition: AgentDef<S>
  readonly patterns: ReadonlyArray<CompiledPattern>
  readonly emits: ReadonlySet<string>
}

/** A checked workflow. `R` are the services that its handlers need. */
export interface Workflow<S, R = never> {
  readonly name: string
  readonly initialState: S
  readonly handlers: ReadonlyArray<HandlerDef<S, unknown, R>>
  readonly agents: ReadonlyArray<CompiledAgent<S>>
  readonly until: (state: S) => boolean
  readonly adapters: ReadonlyArray<AdapterService["Service"]>
  readonly definitions: ReadonlyMap<string, AnySignalDefinition>
  readonly stateSchema?: Schema.Codec<S, unknown>
  readonly limits: RunLimits
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Checks a workflow, which is enough for durable runs; `createWorkflow` adds `run`. Throws a WorkflowError if it is invalid. */
export const compileWorkflow = <S, R = never>(config: WorkflowConfig<S, R>): Workflow<S, R> => {
  checkName("A workflow", config.name)
  const handlers = handlersOf(config.handlers)
  const agents = Object.values(config.agents ?? []).map(compiledAgent)
  const names = agents.map(({ definition }) => definition.name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new WorkflowError({ message: `Two agents are named ${twice}. Rename one.` })
  const emits = agents.flatMap(({ definition }) => definition.emits)
  const triggers = agents.flatMap(({ definition }) => definition.activatesOn)
  const given = [
    ...handlers.flatMap(({ definitions }) => definitions),
    ...emits,
    ...triggers,
    ...(config.signals ?? []),
  ]
  return {
    name: config.name,
    initialState: config.initialState,
    handlers,
    agents,
    until: config.until,
    adapters: config.adapters ?? [],
    definitions: definitionsOf(given.filter((one) => typeof one !== "string")),
    ...(config.stateSchema === undefined ? {} : { stateSchema: config.stateSchema }),
    limits: limitsOf(config.limits ?? {}),
  }
}

const checkName = (whose: string, name: string): void => {
  if (NAME.test(name)) return
  const got = JSON.stringify(String(name).slice(0, 80))
  throw new WorkflowError({ message: `${whose}'s name must be 1 to 64 letters, digits, _ or -. Got ${got}.` })
}

const handlersOf = <S, R>(handlers: Handlers<S, R>): ReadonlyArray<HandlerDef<S, unknown, R>> => {
  // Array.isArray does not narrow a readonly array out of a record, and a handler without a state accepts any state.
  if (Array.isArray(handlers)) return handlers as ReadonlyArray<HandlerDef<S, unknown, R>>
  const entries = Object.entries(handlers as Readonly<Record<string, HandlerDef<S, unknown, R> | Bare<S, R>>>)
  return entries.map(([key, handler]) => {
    if (typeof handler === "function") return { definitions: [], patterns: [listened(key)], handle: handler }
    if (handler.patterns.some(({ text }) => text === key)) return handler
    const texts = handler.patterns.map(({ text }) => text).join(", ")
    throw new WorkflowError({ message: `The handler at ${key} handles ${texts}. Use that as its key, or a list.` })
  })
}

const compiledAgent = <S>(definition: AgentDef<S>): CompiledAgent<S> => {
  checkName("An agent", definition.name)
  const emits = definition.emits.map(nameOf)
  for (const name of emits) {
    const fault = isObserved(name) ? `${name} is a signal of the runtime.` : signalFault(name, {})
    if (fault !== null) throw new WorkflowError({ message: `The agent ${definition.name} can't emit this. ${fault}` })
  }
  const patterns = definition.activatesOn.map((signal) => listened(nameOf(signal)))
  return { definition, patterns, emits: new Set(emits) }
}

const definitionsOf = (given: ReadonlyArray<AnySignalDefinition>): ReadonlyMap<string, AnySignalDefinition> => {
  const definitions = new Map<string, AnySignalDefinition>()
  for (const definition of given) {
    const known = definitions.get(definition.name)
    if (known !== undefined && known.schema !== definition.schema) {
      throw new WorkflowError({ message: `${definition.name} is defined with two schemas. Share one definition.` })
    }
    definitions.set(definition.name, definition)
  }
  return definitions
}

const limitsOf = (given: Partial<RunLimits>): RunLimits => {
  const limits = { ...MAX_RUN_LIMITS, ...given }
  for (const name of ["queue", "depth", "agents"] as const) {
    const most = MAX_RUN_LIMITS[name]
    if (!Number.isInteger(limits[name]) || limits[name] < 1 || limits[name] > most) {
      throw new WorkflowError({ message: `limits.${name} must be an integer from 1 to ${most}. Got ${limits[name]}.` })
    }
  }
  return limits
}
