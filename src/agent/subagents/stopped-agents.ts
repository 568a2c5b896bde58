// Receives a turn that ends while subagents run in it; returns the events that end those: results for their open calls, the
// cost of their requests, and notifications to clients that they were stopped.
// Invariant: a background agent continues when the turn that started it ends.
import type { NewEvent } from "../../schemas/log/events.ts"
import type { LoopService } from "../loop.ts"
import { rejections } from "../messages/rejections.ts"
import type { Turn } from "../ports.ts"
import { partialAnswer } from "../messages/partial-answer.ts"
import { INTERRUPTED, INTERRUPTED_TOOL } from "../messages/prompt-text.ts"
import { userTextMessage } from "../messages/sdk-messages.ts"
import { stamp } from "../calls/hook-events.ts"
import type { Subagent } from "../transcript/subagents.ts"
import type { AgentEnded } from "../../schemas/log/agent-events.ts"
import { endEvent, endMessages, stoppedEnd } from "./agent-end.ts"
import { agentEvents, withheld } from "./agent-log.ts"
import { agentTurn } from "./agent-turn.ts"
import * as Effect from "effect/Effect"

/** Ends the agents of the turn; those that an agent started end before it. */
export const stoppedAgents = (turn: Turn, loop: LoopService | null): ReadonlyArray<NewEvent> => {
  if (turn.subagents.running.length === 0) return []
  const own = turn.subagents.running.filter((agent) => isOfTurn(agent, turn))
  const inside = turn.agent === undefined ? own : own.filter((agent) => isBelow(agent, turn))
  return stoppedInOrder(turn, inside, loop)
}

/** The events that end the agents, the deepest first. */
const stoppedInOrder = (
  turn: Turn,
  agents: ReadonlyArray<Subagent>,
  loop: LoopService | null,
): ReadonlyArray<NewEvent> =>
  agents
    .toSorted((one, other) => other.started.depth - one.started.depth)
    .flatMap((agent) => stoppedAgent(turn, agent, loop, stoppedEnd(agent)))

/** True for an agent that ends with its turn; also for a background agent whose call is still open and has not started it. */
const isOfTurn = ({ id, started, turn: of }: Subagent, turn: Turn): boolean =>
  of === turn.id &&
  (started.detached !== true ||
    (started.background &&
      turn.memory.transcript.openCalls().some((use) => use.id === started.tool_use_id) &&
      turn.background?.running().some((task) => task.task_id === id) !== true))

/**
 * As `stoppedAgents`, for one run, which ends with `ended`, and the agents that it started. `turn` is the turn in which the run
 * is run. `listed` is the list of the other tasks, if the user or the model stops the run: it follows the messages about the end.
 */
export const stoppedRun = (
  turn: Turn,
  agent: Subagent,
  loop: LoopService | null,
  ended = stoppedEnd(agent),
  listed: ReadonlyArray<NewEvent> = [],
): ReadonlyArray<NewEvent> => {
  const own = agentTurn(turn, agent, () => Effect.void)
  const below = turn.subagents.running.filter((other) => isBelow(other, own) && !other.started.background)
  return [...stoppedInOrder(turn, below, loop), ...stoppedAgent(turn, agent, loop, ended, listed, true)]
}

const isBelow = (agent: Subagent, turn: Turn): boolean => {
  for (let parent = agent.started.parent_agent_id; parent !== undefined;) {
    if (parent === turn.agent?.id) return true
    const id: string = parent
    parent = turn.subagents.runningOf(id)?.started.parent_agent_id
  }
  return false
}

const stoppedAgent = (
  turn: Turn,
  agent: Subagent,
  loop: LoopService | null,
  ended: AgentEnded,
  listed: ReadonlyArray<NewEvent> = [],
  alone = false,
): ReadonlyArray<NewEvent> => {
  const root = turn.agent?.root ?? turn
  const running = loop?.agents.get(agent.key)
  const own = running?.turn ?? agentTurn(root, agent, () => Effect.void)
  const isAnswering = running?.live.open === true && running.live.decoder.ended() === null
  const answer = running === undefined ? [] : partialAnswer(own, running.live, false).events
  loop?.agents.delete(agent.key)
  const rejected = rejections(own)
  // As the official SDK: clients get no partial answer of a stopped background agent, but a message that marks the interruption.
  const partial = alone ? answer.map((event) => (event.name === "sdk:assistant" ? withheld(event) : event)) : answer
  const text = rejected.length > 0 && !isAnswering ? INTERRUPTED_TOOL : INTERRUPTED
  const mark = listed.length > 0 ? [userTextMessage(stamp(own), text)] : []
  return [
    // As the official SDK: clients get the agent's end before the results of its open calls.
    ...endMessages(own, agent, ended, alone),
    ...listed,
    ...[...partial, ...rejected, ...mark].flatMap((event) => agentEvents(own, event)),
    endEvent(turn, agent, ended),
  ]
}
