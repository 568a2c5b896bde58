// Receives a command or a skill that runs as a subagent; runs that agent to its end and returns its end.
// Invariant: as for a call of the Agent tool, the run is in the log before it starts, and has one end, which is read from the
// log; a turn that is resumed after a crash, an ask or a hand-over continues the run.
import * as Effect from "effect/Effect"
import type { AgentEnded, AgentStarted } from "../../schemas/log/agent-events.ts"
import { ToolError } from "../../tools/tool.ts"
import { Loop } from "../loop.ts"
import { type CallServices, TurnContext } from "../ports.ts"
import { runUntilMoved } from "./moved-agent.ts"
import { newRun, NO_TURN } from "./new-run.ts"
import { startEvents } from "./start-events.ts"

export interface Fork {
  /** The id of the run's call: the model's, or one that the turn makes for its command. */
  readonly call: string
  /** The `parent_tool_use_id` of the agent's messages. */
  readonly thread: string
  readonly by: NonNullable<AgentStarted["fork"]>
  /** The command or skill as `/name`. */
  readonly description: string
  readonly agent: string
  readonly model?: string
  readonly effort?: string
  /** Rules that allow calls inside the agent. */
  readonly allowedTools?: ReadonlyArray<string>
  /** Rules that deny calls inside it. */
  readonly disallowedTools?: ReadonlyArray<string>
  /** Called once, when the run starts. */
  readonly prompt: () => string
}

export const runFork = Effect.fnUntraced(function* (
  fork: Fork,
): Effect.fn.Return<AgentEnded | ToolError | "parked" | "handed_over", never, CallServices> {
  const caller = yield* TurnContext
  const loop = yield* Loop
  if (loop === null) return NO_TURN
  const root = caller.agent?.root ?? caller
  const { call } = fork
  if (root.subagents.runOf(call) === undefined) {
    const { agent, description, model, effort, allowedTools, disallowedTools } = fork
    const run = newRun(
      caller,
      { id: call },
      {
        description,
        prompt: fork.prompt(),
        subagent_type: agent,
        run_in_background: false,
      },
    )
    if (run instanceof ToolError) return run
    const definition = {
      ...run.definition,
      ...(model === undefined || model === "inherit" ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      ...(allowedTools === undefined ? {} : { allowedTools }),
      ...(disallowedTools === undefined ? {} : { deniedTools: disallowedTools }),
    }
    yield* loop.log.append(startEvents(caller, { ...run, thread: fork.thread, fork: fork.by, definition }))
  }
  const running = root.subagents.running.find(({ started }) => started.tool_use_id === call)
  if (running !== undefined) {
    const outcome = yield* runUntilMoved(root, running, loop)
    if (outcome === "parked" || outcome === "handed_over") return outcome
  }
  const ended = root.subagents.endOf(call)
  return ended ?? (yield* Effect.die(new Error("a subagent ended without its end in the log")))
})
