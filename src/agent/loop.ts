// The loop as its own calls need it: a call of the Agent tool carries another turn, inside the one that it belongs to.
// Invariant: the answers that stream inside a turn are all known here, so that what stops the turn can close each.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { MessagesApi } from "../model/messages-api.ts"
import type { LiveAnswer } from "./messages/live-answer.ts"
import type { BatchedCall } from "./calls/call-batch.ts"
import type { Asks, CallServices, Hooks, Log, Turn, TurnContext } from "./ports.ts"
import type { ToolUse } from "./transcript/transcript.ts"

/**
 * `parked`: the turn waits for an answer and holds nothing; it goes on when it is run again. `handed_over`: the same,
 * between two steps, and it waits for nothing.
 */
export type TurnOutcome = "finished" | "parked" | "handed_over"

export interface RunningAgent {
  readonly turn: Turn
  readonly live: LiveAnswer
}

export interface LoopService {
  /** Carries the turn of the context to its end. */
  readonly carry: (live: LiveAnswer) => Effect.Effect<TurnOutcome, never, CallServices | MessagesApi>
  /** Makes a call ready for a batch: of a script that a call of the turn runs. */
  readonly call: (use: ToolUse) => Effect.Effect<BatchedCall<CallServices>, never, TurnContext>
  /** Runs of subagents that this process carries inside the turn, by the run's id. */
  readonly agents: Map<string, RunningAgent>
  /** The ports of the outermost turn: those of the agents inside it are made of them. */
  readonly log: Log["Service"]
  readonly hooks: Hooks["Service"]
  readonly asks: Asks["Service"]
}

/** Null outside a turn, where a call begins no subagents. */
export const Loop = Context.Reference<LoopService | null>("perch/agent/loop", { defaultValue: () => null })
