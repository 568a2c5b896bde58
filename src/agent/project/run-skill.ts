// Receives a call of the Skill tool that may run; runs the scripts in the skill's text, and the subagent of a skill with
// `context: fork`. Returns the tool with a `run` that returns the outcome, or how the call ends without a result.
// Invariant: a call that is resumed after a crash or an ask runs no script again, and continues the agent that it started.
import * as Effect from "effect/Effect"
import type { AgentEnded } from "../../schemas/log/agent-events.ts"
import { withAllowed, withDenied } from "../../permissions/policy.ts"
import { calledSkill, type SkillInput, type SkillOutput } from "../../schemas/sdk/tools/skill-tool.ts"
import { launchedSkill, skillContent } from "../../tools/skills/skill.ts"
import { type Tool, ToolError, type ToolOutcome } from "../../tools/tool.ts"
import { type CallEnd, withBatch } from "../calls/call-batch.ts"
import { scriptSource } from "../commands/called-command.ts"
import { runScriptCalls } from "../commands/script-calls.ts"
import { joinOutputs } from "../commands/template.ts"
import { Loop } from "../loop.ts"
import { type CallServices, type Turn, TurnContext, turnWith } from "../ports.ts"
import { outcomeOf } from "../subagents/agent-end.ts"
import { runFork } from "../subagents/fork.ts"
import type { ToolUse } from "../transcript/transcript.ts"
import { skillVariables, usableSkill } from "./skill-access.ts"
import type { Skill } from "./skills.ts"
import { fillSkill } from "./skill-text.ts"

export const runSkill = Effect.fnUntraced(function* (
  use: ToolUse,
  tool: Tool,
  input: unknown,
): Effect.fn.Return<Tool | CallEnd, never, CallServices> {
  const turn = yield* TurnContext
  // The tool decoded its input.
  const given = input as SkillInput
  const { args = "" } = given
  const name = calledSkill(given)
  const skill = usableSkill(turn, name)
  // The tool itself reports the error.
  if (skill === undefined || !skill.forModel) return tool
  const filled = fillSkill(skill, args, skillVariables(turn, skill))
  const { agent } = skill
  if ("fault" in filled) return tool
  if (filled.scripts.length === 0 && agent === undefined) return tool
  const loop = yield* Loop
  if (loop === null) return { ...tool, run: () => Effect.fail(NO_TURN) }
  const calls = filled.scripts.map((script, index) => ({ id: `toolu_skill_${index}_${use.id}`, script }))
  const outputs = yield* withBatch<CallServices, ReadonlyArray<string> | CallEnd>((batch) =>
    runScriptCalls(calls, { ...scriptSource({ name, source: "skill" }), invoked_by: "claude" }, batch, loop.call),
  ).pipe(Effect.provideService(TurnContext, ruled(turn, skill)))
  if (typeof outputs === "string") return outputs
  const text = joinOutputs(filled, outputs)
  if (agent === undefined) {
    const texts = turn.memory.project.textsLoading(name, text)
    return { ...tool, run: () => Effect.succeed(launchedSkill(name, skill, texts)) }
  }
  const { model, effort, allowedTools, disallowedTools } = skill
  const ended = yield* runFork({
    call: use.id,
    thread: use.id,
    by: "call",
    description: `/${name}`,
    agent,
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    prompt: () => text,
  })
  if (typeof ended === "string") return ended
  return {
    ...tool,
    run: () => (ended instanceof ToolError ? Effect.fail(ended) : Effect.succeed(forkedOutcome(name, ended))),
  }
})

/** The turn for the skill's scripts: the skill's rules apply to them too. */
const ruled = (turn: Turn, { allowedTools, disallowedTools }: Skill): Turn =>
  turnWith(turn, { policy: () => withDenied(withAllowed(turn.policy(), allowedTools), disallowedTools) })

const NO_TURN = new ToolError({
  reason: "command_failed",
  message: "This skill runs scripts or an agent, which can run only inside a turn.",
})

/**
 * The outcome of a forked skill. As the official SDK: the report of an agent that failed is a successful result, too; an agent
 * that a client stopped is an error.
 */
const forkedOutcome = (name: string, ended: AgentEnded): ToolOutcome => {
  if (ended.status === "stopped") return outcomeOf(ended)
  const { agent_id: agentId, report: result } = ended
  const output: SkillOutput = { success: true, commandName: name, status: "forked", agentId, result }
  return { content: skillContent(output), output }
}
