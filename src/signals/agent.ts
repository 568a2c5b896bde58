// Agents: what activates one, what it is asked, what it may emit; and the service that runs its turn.
// Invariant: an agent's service returns signals that are not checked yet: the step checks that they are declared.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { RecordingNotFound } from "../recording/recording-not-found.ts"
import type { Emitted, Signal, SignalSource } from "../schemas/signal.ts"
import type { AgentError } from "./errors.ts"
import type { AnySignalDefinition } from "./signal.ts"

/** An agent of a workflow whose state is `S`. */
export interface AgentDef<S> {
  readonly name: string
  /** Patterns or definitions of the signals that begin its turn. */
  readonly activatesOn: ReadonlyArray<AnySignalDefinition | string>
  readonly prompt: (state: S, signal: Signal) => string
  /** The signals that its answer may hold; the payload of a definition is checked against its schema. */
  readonly emits: ReadonlyArray<AnySignalDefinition | string>
  readonly model?: string
  /** Names of tools. Only durable runs have tools: a run in memory refuses them. */
  readonly tools?: ReadonlyArray<string>
  /** Which of the run's harnesses answers; without it the run's own. */
  readonly harness?: string
}

/** What an agent's service knows of the agent: its definition without the functions of the state. */
export type AgentTurn = Omit<AgentDef<never>, "prompt" | "activatesOn">

/** Carries out turns of agents. */
export class AgentService extends Context.Service<
  AgentService,
  {
    /** Carries out a turn of the agent; returns what its answer emits. */
    run(
      prompt: string,
      signal: Signal,
      agent: AgentTurn,
    ): Effect.Effect<ReadonlyArray<Emitted>, AgentError | RecordingNotFound>
  }
>()("perch/signals/agent") {}

/** A signal about a turn; the step completes its source. */
export type Observed = Emitted & { readonly source?: SignalSource }

/**
 * Receives signals about a turn that runs: `harness:start`, `text:delta` and the like. A run provides its own, which hands
 * them to adapters and the log.
 */
export const Observer = Context.Reference<(observed: Observed) => Effect.Effect<void, RecordingNotFound>>(
  "perch/signals/observer",
  {
    defaultValue: () => () => Effect.void,
  },
)
