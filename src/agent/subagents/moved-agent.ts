// Runs a subagent for the call or the command that waits for it: until the run ends, or until a client moves it to the background
// or stops it. Writes the end of a stopped run.
// Invariant: a tool call of the agent that has started ends before the run moves, so that nothing is done twice. A model
// request is aborted and sent again.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { stamp } from "../calls/hook-events.ts"
import type { LoopService } from "../loop.ts"
import { systemMessage } from "../messages/sdk-messages.ts"
import type { CallServices, Turn } from "../ports.ts"
import type { Subagent, Subagents } from "../transcript/subagents.ts"
import { runAgentTurn } from "./run-agent-turn.ts"
import { taskOf } from "./start-events.ts"
import { stoppedRun } from "./stopped-agents.ts"

export const runUntilMoved = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
): Effect.fn.Return<"finished" | "parked" | "handed_over" | "left", never, CallServices> {
  const call = root.background?.enter(agent.started.tool_use_id, {
    isBusy: () => isBusy(root.subagents, agent),
    taskId: () => agent.id,
    canLeave: agent.started.fork === undefined,
  })
  if (call === undefined) return yield* runAgentTurn(root, agent, loop)
  const left = Effect.promise(() =>
    Promise.race([call.left.then(() => "left" as const), call.stopped.then(() => "stopped" as const)]),
  )
  const outcome = yield* Effect.ensuring(
    Effect.raceFirst(runAgentTurn(root, agent, loop, call.isAsked), left),
    Effect.sync(call.ended),
  )
  if (outcome === "stopped") {
    const running = root.subagents.runningOf(agent.id)
    if (running !== undefined) yield* loop.log.append(stoppedRun(root, running, loop))
    return "finished"
  }
  return outcome === "handed_over" && call.isAsked() ? "left" : outcome
})

/** True while a call of the agent, or of an agent that it started, runs or waits for an answer. */
const isBusy = (subagents: Subagents, agent: Subagent): boolean => {
  const calls = agent.transcript.openCalls()
  const below = subagents.running.filter(({ started }) => started.parent_agent_id === agent.id && !started.background)
  return calls.length > below.length || below.some((other) => isBusy(subagents, other))
}

/** The events that move the run to the background, so that its call no longer waits for it. */
export const movedEvents = (root: Turn, agent: Subagent): ReadonlyArray<NewEvent> => {
  const { agent_id, run_id } = agent.started
  const begun = root.background?.beginAgent(taskOf(agent.started)).facts ?? []
  return [
    { name: EventNames.agentMoved, payload: { agent_id, run_id }, turn: root.id },
    systemMessage(stamp(root), "task_updated", { task_id: agent_id, run_id, patch: { is_backgrounded: true } }),
    ...begun,
  ]
}
