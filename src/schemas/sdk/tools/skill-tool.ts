// What the model sends to the tool Skill, and its structured result; the SDK publishes no schema of them, and these are
// as its CLI shows them.
import * as Schema from "effect/Schema"

export const SkillInput = Schema.Struct({
  skill: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
    description: "The name of a skill from the list, without a slash. Do not guess names.",
  }),
  args: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100_000)).annotate({ description: "What the skill is to work on." }),
  ),
})
export type SkillInput = typeof SkillInput.Type

/**
 * `allowedTools` are the rules that the skill allows for the rest of the turn, `effort` is its effort from here on. `model`
 * is what the skill names; the turn goes on with its own. A skill that ran as a subagent has `status`, `agentId`, `result`.
 */
export const SkillOutput = Schema.Struct({
  success: Schema.Boolean,
  commandName: Schema.String,
  allowedTools: Schema.optionalKey(Schema.Array(Schema.String)),
  model: Schema.optionalKey(Schema.String),
  effort: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.Literal("forked")),
  agentId: Schema.optionalKey(Schema.String),
  result: Schema.optionalKey(Schema.String),
})
export type SkillOutput = typeof SkillOutput.Type
