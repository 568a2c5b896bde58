// The skills of a session's project as slash commands: `/NAME` puts the skill's text into the prompt.
// Invariant: a session that uses no skills looks nothing up; the list is the same object while the skills are the same.
import * as Effect from "effect/Effect"
import { notForPeople } from "../../agent/commands/command-file.ts"
import type { Command } from "../../agent/commands/command.ts"
import { skillVariables } from "../../agent/project/skill-access.ts"
import { fillSkill } from "../../agent/project/skill-text.ts"
import { type Skill, usesSkills } from "../../agent/project/skills.ts"
import type { SessionCore } from "../core.ts"
import { projectSkills } from "../project/project-files.ts"

const NONE: ReadonlyArray<Command> = []

/** The list that was made last, for each session. */
const lists = new WeakMap<SessionCore, { readonly of: string; readonly commands: ReadonlyArray<Command> }>()

export const skillCommands = (core: SessionCore): ReadonlyArray<Command> => {
  if (!usesSkills(core.runningOptions)) return NONE
  const skills = projectSkills(core)
  const of = JSON.stringify(skills)
  const known = lists.get(core)
  if (known?.of === of) return known.commands
  const commands = skills.map((skill) => commandOf(core, skill))
  lists.set(core, { of, commands })
  return commands
}

const commandOf = (core: SessionCore, skill: Skill): Command => {
  const { name, shownDescription, argumentHint, allowedTools, disallowedTools, model, effort, agent, hooks } = skill
  if (!skill.forPeople) return notForPeople({ name, source: "skill" })
  const variables = () => skillVariables({ options: core.runningOptions, sessionId: core.id }, skill)
  return {
    name,
    description: `${shownDescription} (project)`,
    source: "skill",
    ...(argumentHint === undefined ? {} : { argumentHint }),
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(agent === undefined ? {} : { agent }),
    ...(hooks === undefined ? {} : { hooks }),
    body: { kind: "prompt", expand: (args) => Effect.sync(() => fillSkill(skill, args, variables())) },
  }
}
