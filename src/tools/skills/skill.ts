// Skill: receives the name of a skill; returns its text, as a message that follows the result.
// Invariant: a skill that changes no rules needs no permission; one that allows or denies tools, or has hooks, does.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { resolveModel } from "../../model/catalogue/models.ts"
import { calledSkill, SkillInput, SkillOutput } from "../../schemas/sdk/tools/skill-tool.ts"
import { NO_FILES, makeTool } from "../make-tool.ts"
import type { SkillAccess, UsableSkill } from "../context-parts.ts"
import { ToolError, type ToolOutcome } from "../tool.ts"

const unknown = (skills: SkillAccess | undefined, name: string): string => {
  const known = skills?.names() ?? []
  const list = known.length === 0 ? "There are none." : `Known skills: ${known.join(", ")}`
  return `Unknown skill: ${name}. ${list}`
}

export const skillTool = makeTool(SkillInput, {
  name: "Skill",
  description:
    "Loads a skill: instructions of the user or the project for one kind of task. A reminder in this conversation lists the " +
    "available skills and what each is for. When a task matches one of them, call this before anything else and " +
    "follow the returned instructions. Use only names from the list; do not load a skill again that this turn already contains.",
  readOnly: () => false,
  ...NO_FILES,
  bySkill: true,
  subject: calledSkill,
  needsNoPermission: (input, { skills }) => {
    const skill = skills?.find(calledSkill(input))
    return skill?.allowedTools === undefined && skill?.disallowedTools === undefined && skill?.hooks === undefined
  },
  validate: (input, { skills }) => {
    const name = calledSkill(input)
    const skill = skills?.find(name)
    if (skill === undefined) {
      return Effect.fail(new ToolError({ reason: "not_found", message: unknown(skills, name) }))
    }
    if (skill.forModel) return Effect.void
    const message = `Only users can start the skill ${name} (disable-model-invocation, or not in options.skills). Ask the user to send /${name}, and do not perform its steps by other means.`
    return Effect.fail(new ToolError({ reason: "permission_denied", message }))
  },
  run: (input, { skills }) => {
    const { args = "" } = input
    const name = calledSkill(input)
    const skill = skills?.find(name)
    if (skill === undefined) {
      return Effect.fail(new ToolError({ reason: "not_found", message: unknown(skills, name) }))
    }
    const text = skill.text(args)
    return typeof text === "string"
      ? Effect.succeed(launchedSkill(name, skill, skill.loading(text)))
      : Effect.fail(new ToolError({ reason: "invalid_arguments", message: text.fault }))
  },
  contentOf: (output) => (isOutput(output) ? skillContent(output) : null),
})

const isOutput = Schema.is(SkillOutput)

/** The result for the model of a skill that is loaded, or that has run as a subagent. */
export const skillContent = ({ commandName, status, result = "" }: SkillOutput): string =>
  status === "forked"
    ? `Skill "${commandName}" completed (forked execution).\n\nResult:\n${result}`
    : `Launching skill: ${commandName}`

/** As in the official SDK, what follows a call instead of a text that the conversation contains already. */
export const alreadyLoaded = (name: string): string =>
  `The skill ${name} was loaded above: its instructions and arguments are the same. Follow them again.`

/** As in the official SDK, what follows a call before a text that replaces one the conversation contains. */
export const loadedAgain = (name: string): string =>
  `The skill ${name} was loaded above. The text that follows has other arguments or outputs, or is a newer version.`

/** The outcome of a skill that runs in the conversation itself, not in a subagent. */
export const launchedSkill = (
  name: string,
  { allowedTools, disallowedTools, model, effort }: Omit<UsableSkill, "forModel" | "text" | "loading">,
  followUp: ReadonlyArray<string>,
): ToolOutcome => {
  const output: SkillOutput = {
    success: true,
    commandName: name,
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined || model === "inherit" ? {} : { model: resolveModel(model).id }),
    ...(effort === undefined ? {} : { effort }),
  }
  return { content: skillContent(output), output, followUp }
}
