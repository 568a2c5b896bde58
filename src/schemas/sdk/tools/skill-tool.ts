// The input and the structured result of the tool Skill. The SDK publishes no schemas of them; these follow its CLI.
import * as Schema from "effect/Schema"

export const SkillInput = Schema.Struct({
  skill: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
    description: "The name of a skill from the list, without a slash. Do not guess names.",
  }),
  args: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100_000)).annotate({ description: "What the skill should work on." }),
  ),
})
export type SkillInput = typeof SkillInput.Type

/** The skill that a call names. As in the official SDK, the name may have the slash of a prompt. */
export const calledSkill = ({ skill }: SkillInput): string => skill.replace(/^\//, "")

/**
 * `allowedTools` are the rules that the skill adds for the rest of the turn, `effort` is the turn's effort from here on.
 * `disallowedTools`, its deny rules, is Perch's own field.
 * `model` is the model that the skill names; the turn keeps its own. A skill that ran as a subagent has `status`, `agentId`,
 * `result`.
 */
export const SkillOutput = Schema.Struct({
  success: Schema.Boolean,
  commandName: Schema.String,
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  disallowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  model: Schema.optionalKey(Schema.String),
  effort: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Literal("forked")),
  agentId: Schema.optionalKey(Schema.String),
  result: Schema.optionalKey(Schema.String),
})
export type SkillOutput = typeof SkillOutput.Type
