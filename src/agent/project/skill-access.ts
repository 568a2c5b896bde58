// Gives the tool Skill the skills of its turn, as the files are when the call comes to them.
import type { ToolContext } from "../../tools/tool.ts"
import type { Turn } from "../ports.ts"
import { ProjectReader } from "./project-reader.ts"
import { skillText } from "./skill-text.ts"
import { readSkills, usesSkills } from "./skills.ts"

/** Nothing where the session uses no skills. */
export const skillsFor = ({ options, workspace, root, policy }: Turn): Pick<ToolContext, "skills"> => {
  if (!usesSkills(options)) return {}
  const read = () => readSkills(new ProjectReader(workspace, root, policy), options).skills
  const skills: ToolContext["skills"] = {
    names: () => read().flatMap(({ name, forModel }) => (forModel ? [name] : [])),
    find: (name) => {
      const skill = read().find((one) => one.name === name)
      if (skill === undefined) return undefined
      const { allowedTools, forModel } = skill
      const text = (args: string) => skillText(skill, args)
      return { forModel, text, ...(allowedTools === undefined ? {} : { allowedTools }) }
    },
  }
  return { skills }
}
