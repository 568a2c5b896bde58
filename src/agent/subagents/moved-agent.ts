// Receives a run of a subagent that its call waits for; carries it until it ends, or until a client sends it to the background.
// Invariant: a call of the agent that has begun ends before the run leaves: nothing is done twice. A request to the model is
// given up and made again.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { stamp } from "../calls/hook-events.ts"
import type { LoopService } from "../loop.ts"
import { systemMessage } from "../messages/sdk-messages.ts"
import type { CallServices, Turn } from "../ports.ts"
import type { Subagent, Subagents } from "../transcript/subagents.ts"
import { carry } from "./carry-agent.ts"
import { taskOf } from "./start-events.ts"

export const carryOrLeave = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
): Effect.fn.Return<"finished" | "parked" | "handed_over" | "left", never, CallServices> {
  const call = root.background?.enter(agent.started.tool_use_id, { isBusy: () => isBusy(root.subagents, agent) })
  if (call === undefined) return yield* carry(root, agent, loop)
  const left = Effect.as(
    Effect.promise(() => call.left),
    "left" as const,
  )
  const outcome = yield* Effect.ensuring(
    Effect.raceFirst(carry(root, agent, loop, call.isAsked), left),
    Effect.sync(call.ended),
  )
  return outcome === "handed_over" && call.isAsked() ? "left" : outcome
})

/** A call of the agent, or of one that it began, runs or waits for an answer. */
const isBusy = (subagents: Subagents, agent: Subagent): boolean => {
  const calls = agent.transcript.openCalls()
  const below = subagents.running.filter(({ started }) => started.parent_agent_id === agent.id && !started.background)
  return calls.length > below.length || below.some((other) => isBusy(subagents, other))
}

/** The run goes on in the background from now on; what its call waits for is over. */
export const movedEvents = (root: Turn, agent: Subagent): ReadonlyArray<NewEvent> => {
  const { agent_id, run_id } = agent.started
  const begun = root.background?.beginAgent(taskOf(agent.started)).facts ?? []
  return [
    { name: EventNames.agentMoved, payload: { agent_id, run_id }, turn: root.id },
    systemMessage(stamp(root), "task_updated", { task_id: agent_id, run_id, patch: { is_backgrounded: true } }),
    ...begun,
  ]
}
