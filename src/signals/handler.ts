// Handlers: effects that receive a signal and the run's state, and return the signals to emit.
// Invariant: a handler of a signal definition only receives payloads that match its schema.
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { compilePattern, type CompiledPattern } from "../schemas/signal-pattern.ts"
import { type Emitted, isObserved, type Signal } from "../schemas/signal.ts"
import { type SignalError, WorkflowError } from "./errors.ts"
import { returnedEffect } from "./returned-effect.ts"
import { type AnySignalDefinition, nameOf, type SignalDefinition } from "./signal.ts"
import type { WorkflowState } from "./state.ts"

/** The function of a handler. It may fail with any error: a run wraps it in a `HandlerError`. */
export type Handler<S, T = unknown, E = never, R = never> = (
  signal: Signal<T>,
  state: WorkflowState<S>,
) => Effect.Effect<ReadonlyArray<Emitted>, E, R>

/** A handler with the signals that it listens to. */
export interface HandlerDef<S, E = unknown, R = never> {
  /** Definitions of the handler's signals: a run decodes signals with these names when they enter. */
  readonly definitions: ReadonlyArray<AnySignalDefinition>
  readonly patterns: ReadonlyArray<CompiledPattern>
  readonly handle: Handler<S, Schema.Json, E | SignalError, R>
}

interface HandlerConfig<S, E, R> {
  readonly signals: ReadonlyArray<AnySignalDefinition | string>
  readonly handle: Handler<S, never, E, R>
}

/**
 * Defines a handler of one definition, or of several definitions and patterns. Its signal's payload has the definition's type;
 * with a pattern among `signals` it is unknown. A handler that does not use the state fits every workflow. Throws a
 * WorkflowError for an invalid pattern.
 */
export function defineHandler<S = never, T = never, E = never, R = never>(
  definition: SignalDefinition<string, T>,
  handle: Handler<S, T, E, R>,
): HandlerDef<S, E, R>
export function defineHandler<S = never, T = never, E = never, R = never>(config: {
  readonly signals: ReadonlyArray<SignalDefinition<string, T>>
  readonly handle: Handler<S, T, E, R>
}): HandlerDef<S, E, R>
export function defineHandler<S = never, E = never, R = never>(config: {
  readonly signals: ReadonlyArray<AnySignalDefinition | string>
  readonly handle: Handler<S, unknown, E, R>
}): HandlerDef<S, E, R>
export function defineHandler<S, E, R>(
  given: AnySignalDefinition | HandlerConfig<S, E, R>,
  handle?: Handler<S, never, E, R>,
): HandlerDef<S, E, R> {
  if (handle !== undefined && "decode" in given) return handlerOf([given], handle)
  if ("signals" in given) return handlerOf(given.signals, given.handle)
  throw new WorkflowError({ message: "defineHandler needs a definition and a function, or { signals, handle }." })
}

const handlerOf = <S, E, R>(
  signals: ReadonlyArray<AnySignalDefinition | string>,
  handle: Handler<S, never, E, R>,
): HandlerDef<S, E, R> => {
  const definitions = signals.filter((given) => typeof given !== "string")
  const byName = new Map(definitions.map((definition) => [definition.name, definition]))
  // Without a definition of this name the payload is plain JSON; a handler of patterns has the payload type unknown.
  const decoded = (signal: Signal) =>
    (byName.get(signal.name)?.decode(signal.payload) ?? Effect.succeed(signal.payload)) as Effect.Effect<
      never,
      SignalError
    >
  return {
    definitions,
    patterns: signals.map((given) => listened(nameOf(given))),
    handle: (signal, state) =>
      Effect.flatMap(decoded(signal), (payload) => returnedEffect(handle({ ...signal, payload }, state), "A handler")),
  }
}

/** Compiles a listener's pattern. Throws a WorkflowError if it is invalid, or can't match any signal that is delivered. */
export const listened = (text: string): CompiledPattern => {
  const pattern = compilePattern(text)
  if (pattern === null) {
    throw new WorkflowError({
      message: `${JSON.stringify(text.slice(0, 80))} is not a signal pattern. Write segments joined by colons, with * for a segment and ** for any number of them, 256 characters and 8 stars at most.`,
    })
  }
  if (isObserved(text)) {
    throw new WorkflowError({
      message: `${text} is a signal of the runtime, which handlers and agents don't receive. Observe it with an adapter.`,
    })
  }
  return pattern
}
