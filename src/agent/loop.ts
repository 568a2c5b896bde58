// The part of the loop that tool calls need: a call of the Agent tool runs another turn inside its own turn.
// Invariant: all answers that stream inside a turn are registered here, so that stopping the turn can close each of them.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MessagesApi } from "../model/messages-api.ts"
import type { LiveAnswer } from "./messages/live-answer.ts"
import type { BatchedCall } from "./calls/call-batch.ts"
import type { Asks, CallServices, Hooks, Log, Turn, TurnContext } from "./ports.ts"
import type { ToolUse } from "./transcript/transcript.ts"

/**
 * `parked`: the turn waits for an answer and keeps nothing in memory; it continues when it is run again. `handed_over`: it
 * stopped between two steps without waiting for anything, to continue in another invocation of the object.
 */
export type TurnOutcome = "finished" | "parked" | "handed_over"

export interface RunningAgent {
  readonly turn: Turn
  readonly live: LiveAnswer
}

export interface LoopService {
  /** Runs the turn of the context to its end. */
  readonly runSteps: (live: LiveAnswer) => Effect.Effect<TurnOutcome, never, CallServices | MessagesApi>
  /** Prepares the call of a script, which a call of the turn runs, for a batch. */
  readonly call: (use: ToolUse) => Effect.Effect<BatchedCall<CallServices>, never, TurnContext>
  /** The subagents that this process runs inside the turn, by the run's id. */
  readonly agents: Map<string, RunningAgent>
  /** The ports of the outermost turn; those of the agents inside it are derived from them. */
  readonly log: Log["Service"]
  readonly hooks: Hooks["Service"]
  readonly asks: Asks["Service"]
}

/** Null outside a turn, where calls start no subagents. */
export const Loop = Context.Reference<LoopService | null>("perch/agent/loop", { defaultValue: () => null })
