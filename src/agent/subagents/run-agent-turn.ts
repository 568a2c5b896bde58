// Receives a run of a subagent that is in the log; runs the agent's turn to its end, from the state that the log records.
// Invariant: the run's end is in the log before it is used; if messages are pending, the next run is appended with it.
import * as Effect from "effect/Effect"
import type { AgentEnded } from "../../schemas/log/agent-events.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { textOf } from "../../schemas/json/text-field.ts"
import type { BackgroundChange } from "../../tools/bash/background-port.ts"
import { fire, stamp } from "../calls/hook-events.ts"
import type { LoopService } from "../loop.ts"
import { LiveAnswer } from "../messages/live-answer.ts"
import { userTextMessage } from "../messages/sdk-messages.ts"
import { Asks, type CallServices, Hooks, Log, TurnContext, type Turn } from "../ports.ts"
import type { OwnServers } from "../turn-parts.ts"
import { loadInstructions } from "../project/load-instructions.ts"
import type { Subagent } from "../transcript/subagents.ts"
import { endEvent, endMessages, endOf } from "./agent-end.ts"
import { agentEvents, agentLog } from "./agent-log.ts"
import { agentNotice } from "./agent-notice.ts"
import { agentAsks, agentHooks } from "./agent-ports.ts"
import { agentTurn, definitionOf } from "./agent-turn.ts"
import { preloadedSkills } from "./preloaded-skills.ts"
import { withSummaries } from "./progress-summaries.ts"
import { nextRun } from "./send-message.ts"
import { startEvents, taskOf } from "./start-events.ts"

/** Runs the agent's turn, with its own MCP servers connected, from the state that the log records. */
export const runAgentTurn = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
  isLeaving?: () => boolean,
): Effect.fn.Return<"finished" | "parked" | "handed_over", never, CallServices> {
  const names = definitionOf(agent).ownServers ?? []
  if (names.length === 0 || root.agentServers === undefined) return yield* runWith(root, agent, loop, null, isLeaving)
  const servers = yield* root.agentServers.connect(agent.started.agent_type, names)
  return yield* Effect.ensuring(
    runWith(root, agent, loop, servers, isLeaving),
    Effect.sync(() => servers.close()),
  )
})

/** Notices for clients, before the run's first request, about the agent's own servers that could not be connected. */
const notices = (turn: Turn, servers: OwnServers | null): ReadonlyArray<NewEvent> => {
  const { agent, memory } = turn
  if (servers === null || agent === undefined || (memory.accounting.tally?.requests ?? 0) > 0) return []
  return servers.failed.map(({ name, error }) =>
    agentNotice(turn, agent, `The agent ${agent.type} runs without its MCP server ${name}: ${error}`),
  )
}

const runWith = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
  servers: OwnServers | null,
  isLeaving?: () => boolean,
): Effect.fn.Return<"finished" | "parked" | "handed_over", never, CallServices> {
  const live = new LiveAnswer()
  const finish: Turn["finish"] = (events, end) =>
    Effect.suspend(() => {
      const ended = endOf(turn, root.subagents.runningOf(agent.id) ?? agent, end)
      const own = events.flatMap((event) => agentEvents(turn, event))
      const after = root.background?.endAgent(agent.id, ended)
      const next = nextRunChange(root, agent, ended)
      return loop.log.append(
        [
          ...own,
          endEvent(turn, agent, ended),
          ...endMessages(turn, agent, ended),
          ...(after?.facts ?? []),
          ...next.facts,
        ],
        (written) => {
          after?.commit(written)
          next.commit(written)
        },
      )
    })
  const turn: Turn = agentTurn(root, agent, finish, servers, isLeaving)
  const work = Effect.gen(function* () {
    if (!agent.prompted) yield* begin(turn)
    const missing = notices(turn, servers)
    if (missing.length > 0) yield* loop.log.append(missing)
    return yield* withSummaries(turn, loop)(loop.runSteps(live))
  })
  loop.agents.set(agent.key, { turn, live })
  return yield* within(turn, loop, work).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        // When the turn is stopped, the entry stays, so that the agent's streaming answer can be closed.
        if (exit._tag === "Success") loop.agents.delete(agent.key)
      }),
    ),
  )
})

/** Starts the next run, in the background, with messages that arrived too late for this one. */
const nextRunChange = (root: Turn, agent: Subagent, { status }: AgentEnded): BackgroundChange => {
  const isOver = status === "failed" || status === "stopped"
  const run = isOver ? undefined : nextRun(root, root.subagents.runningOf(agent.id) ?? agent)
  if (run === undefined) return { facts: [], commit: () => undefined }
  const parent = run.parent_agent_id === undefined ? undefined : root.subagents.runningOf(run.parent_agent_id)
  const caller = parent === undefined ? root : agentTurn(root, parent, () => Effect.void)
  return {
    facts: startEvents(caller, run),
    commit: (written) => root.background?.beginAgent(taskOf(run)).commit(written),
  }
}

/** Runs `work` with the agent's turn and the session's ports adapted for the agent. */
export const within = <A, R>(turn: Turn, loop: LoopService, work: Effect.Effect<A, never, R>) =>
  work.pipe(
    Effect.provideService(
      Log,
      agentLog(loop.log, () => turn),
    ),
    Effect.provideService(
      Hooks,
      agentHooks(loop.hooks, () => turn),
    ),
    Effect.provideService(
      Asks,
      agentAsks(loop.asks, () => turn),
    ),
    Effect.provideService(TurnContext, turn),
  )

/** Calls SubagentStart hooks, and appends the agent's prompt with its instructions and skills, then warnings about the hooks. */
export const begin = Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const instructions = yield* loadInstructions(turn)
  const { events } = yield* fire("SubagentStart", {})
  const prompt = textOf(turn.prompt)
  const promptMessage = userTextMessage(stamp(turn), prompt)
  const skills = preloadedSkills(turn)
  yield* log.append([...instructions, ...events.slice(0, 1), promptMessage, ...skills, ...events.slice(1)])
})
