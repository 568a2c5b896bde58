// Provides the Skill tool with the skills of its turn, read from their files at the time of the call.
import type { ToolContext } from "../../tools/tool.ts"
import type { Turn } from "../ports.ts"
import { ProjectReader } from "./project-reader.ts"
import { skillText, type SkillVariables } from "./skill-text.ts"
import { readSkills, type Skill, usesSkills } from "./skills.ts"

/** Empty when the session uses no skills. */
export const skillsFor = (turn: Turn): Pick<ToolContext, "skills"> => {
  if (!usesSkills(turn.options)) return {}
  const skills: ToolContext["skills"] = {
    names: () => skillsOf(turn).flatMap(({ name, forModel }) => (forModel ? [name] : [])),
    find: (name) => {
      const skill = usableSkill(turn, name)
      if (skill === undefined) return undefined
      return {
        ...skill,
        text: (args) => skillText(skill, args, skillVariables(turn, skill)),
        loading: (text) => turn.memory.project.textsLoading(name, text),
      }
    },
  }
  return { skills }
}

const skillsOf = ({ options, workspace, root, policy }: Turn): ReadonlyArray<Skill> =>
  readSkills(new ProjectReader(workspace, root, policy), options).skills

/** A skill of the turn by its name. */
export const usableSkill = (turn: Turn, name: string): Skill | undefined =>
  usesSkills(turn.options) ? skillsOf(turn).find((one) => one.name === name) : undefined

export const skillVariables = (
  { options, sessionId }: Pick<Turn, "options" | "sessionId">,
  skill: Skill,
): SkillVariables => {
  const effort = skill.effort ?? options.effort ?? options.settings?.effortLevel ?? undefined
  return { sessionId, ...(effort === undefined ? {} : { effort }) }
}
