// Agents: which signals activate one, its prompt, the signals that it may emit; and the service that runs its turns.
// Invariant: the service returns unchecked signals; the step checks that they are declared.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import type { Emitted, Signal, SignalSource } from "../schemas/signal.ts"
import type { AgentError } from "./errors.ts"
import type { AnySignalDefinition } from "./signal.ts"

/** An agent of a workflow whose state is `S`. */
export interface AgentDef<S> {
  readonly name: string
  /** Patterns or definitions of the signals that start a turn of the agent. */
  readonly activatesOn: ReadonlyArray<AnySignalDefinition | string>
  readonly prompt: (state: S, signal: Signal) => string
  /** The signals that its answer may contain; for a definition, the payload is checked against its schema. */
  readonly emits: ReadonlyArray<AnySignalDefinition | string>
  readonly model?: string
  /** Names of tools. Only durable runs have tools: in a run in memory, the turn fails with an AgentError. */
  readonly tools?: ReadonlyArray<string>
  /** The name of one of the run's `harnesses`; by default the run's own harness answers. */
  readonly harness?: string
}

/** The part of an agent's definition that the service receives: all but the fields that depend on the state. */
export type AgentTurn = Omit<AgentDef<never>, "prompt" | "activatesOn">

/** Runs turns of agents. */
export class AgentService extends Context.Service<
  AgentService,
  {
    /** Runs a turn of the agent; returns the signals in its answer. */
    run(
      prompt: string,
      signal: Signal,
      agent: AgentTurn,
    ): Effect.Effect<ReadonlyArray<Emitted>, AgentError | RecordingNotFound>
  }
>()("perch/signals/agent") {}

/** A signal about a turn; the step adds the agent and the parent to its source. */
export type Observed = Emitted & { readonly source?: SignalSource }

/**
 * Receives signals about a running turn, such as `harness:start` and `text:delta`. A run provides its own observer, which
 * passes them to the adapters and the log.
 */
export const Observer = Context.Reference<(observed: Observed) => Effect.Effect<void, RecordingNotFound>>(
  "perch/signals/observer",
  {
    defaultValue: () => () => Effect.void,
  },
)
