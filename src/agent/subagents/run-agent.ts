// Receives a call of the Agent tool; carries the subagent's turn to its end and returns the tool with that outcome as its
// run, or how the call ends without a result.
// Invariant: a call has one run, which is in the log before it begins: a call that a crash, a question or another runner
// brings back goes on with it, and its end is read from the log.
import * as Effect from "effect/Effect"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import type { AgentCall } from "../../tools/agents/agent.ts"
import { type Tool, ToolError, type ToolOutcome } from "../../tools/tool.ts"
import { fire, stamp } from "../calls/hook-events.ts"
import { loadInstructions } from "../project/load-instructions.ts"
import { Loop, type LoopService } from "../loop.ts"
import { LiveAnswer } from "../messages/live-answer.ts"
import { systemMessage, userTextMessage } from "../messages/sdk-messages.ts"
import { Asks, type CallServices, Hooks, Log, type OwnServers, TurnContext, type Turn } from "../ports.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import type { Subagent } from "../transcript/subagents.ts"
import { endEvent, endMessages, endOf, launchedOutcome, outcomeOf } from "./agent-end.ts"
import { agentEvents, agentLog } from "./agent-log.ts"
import { agentAsks, agentHooks } from "./agent-ports.ts"
import { agentNotice } from "./agent-notice.ts"
import { agentTurn, definitionOf } from "./agent-turn.ts"
import { isRefusal, newRun } from "./new-run.ts"
import { preloadedSkills } from "./preloaded-skills.ts"

/** The tool with its outcome; `parked` and `handed_over`: the call goes on when its turn is run again. */
export const runAgent = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<Tool | "parked" | "handed_over", never, CallServices> {
  const caller = yield* TurnContext
  const loop = yield* Loop
  if (loop === null) return failing(tool, NO_TURN)
  const root = caller.agent?.root ?? caller
  if (root.subagents.runOf(use.id) === undefined) {
    // The tool decoded its input.
    const run = newRun(caller, use, input as AgentCall)
    if (isRefusal(run)) return failing(tool, run)
    yield* loop.log.append(startEvents(caller, run))
  }
  const agent = root.subagents.running.find(({ started }) => started.tool_use_id === use.id)
  if (agent?.started.background === true) return yield* launch(root, agent, tool, loop)
  if (agent !== undefined) {
    const outcome = yield* carry(root, agent, loop)
    if (outcome !== "finished") return outcome
  }
  const ended = root.subagents.endOf(use.id)
  if (ended === undefined) return yield* Effect.die(new Error("a subagent ended without its end in the log"))
  return done(tool, outcomeOf(ended), agent === undefined ? undefined : root.now() - agent.startedAt)
})

/** Lets the agent begin; it goes on by itself once the call's result is written. */
const launch = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  tool: Tool,
  loop: LoopService,
): Effect.fn.Return<Tool, never, CallServices> {
  const turn = agentTurn(root, agent, () => Effect.void)
  if (!agent.prompted) yield* within(turn, loop, begin(turn))
  const outcome = launchedOutcome(turn, agent)
  const begun = root.background?.beginAgent(taskOf(agent.started))
  return done(tool, begun === undefined ? outcome : { ...outcome, commit: begun.commit }, undefined)
})

const taskOf = (run: AgentStarted) => ({
  agentId: run.agent_id,
  runId: run.run_id,
  toolUseId: run.tool_use_id,
  description: run.description,
  type: run.agent_type,
})

/** Clients learn what runs in the background before they learn that it has begun. */
const announced = ({ background }: Turn, run: AgentStarted): ReadonlyArray<NewEvent> =>
  run.background ? (background?.beginAgent(taskOf(run)).facts ?? []) : []

const NO_TURN = new ToolError({ reason: "command_failed", message: "Agents are begun inside a turn only." })

const done = (tool: Tool, outcome: ToolOutcome, durationMs: number | undefined): Tool => ({
  ...tool,
  run: () => Effect.succeed(durationMs === undefined ? outcome : { ...outcome, durationMs }),
})

const failing = (tool: Tool, error: ToolError): Tool => ({ ...tool, run: () => Effect.fail(error) })

/** The run as the log and the clients learn of it. */
export const startEvents = (caller: Turn, run: AgentStarted): ReadonlyArray<NewEvent> => [
  {
    name: EventNames.agentStarted,
    payload: run,
    turn: caller.agent?.detached === true ? null : caller.id,
    parent_tool_use_id: caller.agent?.thread ?? null,
  },
  ...announced(caller, run),
  { ...taskStarted(caller, run), turn: caller.agent?.detached === true ? null : caller.id },
]

const taskStarted = (caller: Turn, run: AgentStarted): NewEvent<"sdk:system/task_started"> =>
  systemMessage(stamp(caller), "task_started", {
    task_id: run.agent_id,
    run_id: run.run_id,
    ...(run.fork === "prompt" ? {} : { tool_use_id: run.tool_use_id }),
    description: run.description,
    subagent_type: run.agent_type,
    is_backgrounded: run.background,
    spawn_depth: run.depth,
    ...(run.parent_agent_id === undefined ? {} : { parent_task_id: run.parent_agent_id }),
    task_type: "local_agent",
    prompt: run.prompt,
    ...(run.fork === undefined ? {} : { skip_transcript: true, ambient: true }),
  })

/** Carries the agent's turn, from wherever the log says it is. */
export const carry = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
): Effect.fn.Return<"finished" | "parked" | "handed_over", never, CallServices> {
  const names = definitionOf(agent).ownServers ?? []
  if (names.length === 0 || root.agentServers === undefined) return yield* carryWith(root, agent, loop, null)
  const servers = yield* root.agentServers.connect(agent.started.agent_type, names)
  return yield* Effect.ensuring(
    carryWith(root, agent, loop, servers),
    Effect.sync(() => servers.close()),
  )
})

/** For clients, before the first request of the run: which of the agent's own servers it does not have. */
const notices = (turn: Turn, servers: OwnServers | null): ReadonlyArray<NewEvent> => {
  const { agent, memory } = turn
  if (servers === null || agent === undefined || (memory.accounting.tally?.requests ?? 0) > 0) return []
  return servers.failed.map(({ name, error }) =>
    agentNotice(turn, agent, `The agent ${agent.type} works without its MCP server ${name}: ${error}`),
  )
}

const carryWith = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  loop: LoopService,
  servers: OwnServers | null,
): Effect.fn.Return<"finished" | "parked" | "handed_over", never, CallServices> {
  const live = new LiveAnswer()
  const finish: Turn["finish"] = (events, end) =>
    Effect.suspend(() => {
      const ended = endOf(turn, root.subagents.runningOf(agent.id) ?? agent, end)
      const own = events.flatMap((event) => agentEvents(turn, event))
      const after = agent.started.background ? root.background?.endAgent(agent.id, ended) : undefined
      return loop.log.append(
        [...own, endEvent(turn, agent, ended), ...endMessages(turn, agent, ended), ...(after?.facts ?? [])],
        after?.commit,
      )
    })
  const turn: Turn = agentTurn(root, agent, finish, servers)
  const work = Effect.gen(function* () {
    if (!agent.prompted) yield* begin(turn)
    const missing = notices(turn, servers)
    if (missing.length > 0) yield* loop.log.append(missing)
    return yield* loop.carry(live)
  })
  loop.agents.set(agent.key, { turn, live })
  return yield* within(turn, loop, work).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        // What stops the turn closes the answers that streamed when it was stopped.
        if (exit._tag === "Success") loop.agents.delete(agent.key)
      }),
    ),
  )
})

/** What the agent's turn does, with the ports of the session as the agent has them. */
const within = <A, R>(turn: Turn, loop: LoopService, work: Effect.Effect<A, never, R>) =>
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

/** Lets hooks see that the agent begins, and gives it its prompt. */
const begin = Effect.fnUntraced(function* (turn: Turn): Effect.fn.Return<void, never, CallServices> {
  const log = yield* Log
  const instructions = yield* loadInstructions(turn)
  const { events } = yield* fire("SubagentStart", {})
  const prompt = typeof turn.prompt === "string" ? turn.prompt : ""
  const asked = userTextMessage(stamp(turn), prompt, false)
  yield* log.append([...instructions, ...events, asked, ...preloadedSkills(turn)])
})
