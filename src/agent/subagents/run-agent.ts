// Receives a call of the Agent tool; runs the subagent's turn to its end and returns the tool with a `run` that returns the
// outcome, or how the call ends without a result.
// Invariant: a call has one run, which is in the log before it starts; a call that is resumed after a crash, an ask or a
// hand-over continues that run, and the run's end is read from the log.
import * as Effect from "effect/Effect"
import type { SendMessageInput } from "../../schemas/sdk/tools/send-message-tool.ts"
import type { AgentCall } from "../../tools/agents/agent.ts"
import { sendMessageTool } from "../../tools/agents/send-message.ts"
import { type Tool, ToolError, type ToolOutcome } from "../../tools/tool.ts"
import { Loop, type LoopService } from "../loop.ts"
import { type CallServices, TurnContext, type Turn } from "../ports.ts"
import type { Subagent } from "../transcript/subagents.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { launchedOutcome, outcomeOf } from "./agent-end.ts"
import { agentTurn } from "./agent-turn.ts"
import { begin, within } from "./run-agent-turn.ts"
import { runUntilMoved, movedEvents } from "./moved-agent.ts"
import { newRun, NO_TURN } from "./new-run.ts"
import { sendMessage } from "./send-message.ts"
import { startEvents, taskOf } from "./start-events.ts"

/** The tool with its outcome; `parked` and `handed_over`: the call continues when its turn is run again. */
export const runAgent = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<Tool | "parked" | "handed_over", never, CallServices> {
  const caller = yield* TurnContext
  const loop = yield* Loop
  if (loop === null) return failing(tool, NO_TURN)
  const root = caller.agent?.root ?? caller
  // The tools decoded their inputs.
  if (tool.name === sendMessageTool.name) return yield* message(caller, use, tool, input as SendMessageInput, loop)
  if (root.subagents.runOf(use.id) === undefined) {
    const run = newRun(caller, use, input as AgentCall)
    if (run instanceof ToolError) return failing(tool, run)
    yield* loop.log.append(startEvents(caller, run))
  }
  const agent = root.subagents.running.find(({ started }) => started.tool_use_id === use.id)
  if (agent?.started.background === true) return yield* launch(root, agent, tool, loop)
  if (agent !== undefined) {
    const outcome = yield* runUntilMoved(root, agent, loop)
    if (outcome === "left") {
      loop.agents.delete(agent.key)
      yield* loop.log.append(movedEvents(root, agent))
      return yield* launch(root, agent, tool, loop)
    }
    if (outcome !== "finished") return outcome
  }
  const ended = root.subagents.endOf(use.id)
  if (ended === undefined) return yield* Effect.die(new Error("a subagent ended without its end in the log"))
  return done(tool, outcomeOf(ended), agent === undefined ? undefined : root.now() - agent.startedAt)
})

/** Delivers a message to a running agent, or starts the next run of an agent that has ended with it. */
const message = Effect.fnUntraced(function* (
  caller: Turn,
  use: ToolUse,
  tool: Tool,
  input: SendMessageInput,
  loop: LoopService,
): Effect.fn.Return<Tool, never, CallServices> {
  const root = caller.agent?.root ?? caller
  const isNew = root.subagents.runOf(use.id) === undefined
  const { run, facts = [], outcome } = sendMessage(caller, use, input)
  if (run !== undefined && isNew) yield* loop.log.append(startEvents(caller, run))
  const agent = root.subagents.running.find(({ started }) => started.tool_use_id === use.id)
  if (agent !== undefined) return yield* launch(root, agent, tool, loop, outcome)
  return done(tool, { ...outcome, facts }, undefined)
})

/** Starts a background agent: its turn begins to run when the call's result is committed. */
const launch = Effect.fnUntraced(function* (
  root: Turn,
  agent: Subagent,
  tool: Tool,
  loop: LoopService,
  answer?: ToolOutcome,
): Effect.fn.Return<Tool, never, CallServices> {
  const turn = agentTurn(root, agent, () => Effect.void)
  if (!agent.prompted) yield* within(turn, loop, begin(turn))
  const outcome = answer ?? launchedOutcome(turn, agent)
  const begun = root.background?.beginAgent(taskOf(agent.started))
  return done(tool, begun === undefined ? outcome : { ...outcome, begins: begun.commit }, undefined)
})

const done = (tool: Tool, outcome: ToolOutcome, durationMs: number | undefined): Tool => ({
  ...tool,
  run: () => Effect.succeed(durationMs === undefined ? outcome : { ...outcome, durationMs }),
})

const failing = (tool: Tool, error: ToolError): Tool => ({ ...tool, run: () => Effect.fail(error) })
