// Receives a subagent's turn at its start; returns the skills of its definition as messages that follow its prompt.
// Invariant: a session that reads no skills of its project reads none for its agents either. As in the official SDK,
// `options.skills` selects skills for the main thread only. The allow rules of a preloaded skill do not apply.
import type { NewEvent } from "../../schemas/log/events.ts"
import { stamp } from "../calls/hook-events.ts"
import { userMessage } from "../messages/sdk-messages.ts"
import { ProjectReader } from "../project/project-reader.ts"
import { skillText } from "../project/skill-text.ts"
import { readSkills, type Skill, usesSkills } from "../project/skills.ts"
import type { Turn } from "../ports.ts"
import { agentNotice } from "./agent-notice.ts"

/** The messages, and a notice for clients for each skill that does not exist. */
export const preloadedSkills = (turn: Turn): ReadonlyArray<NewEvent> => {
  const { agent, workspace, policy } = turn
  const names = agent?.definition.skills ?? []
  if (agent === undefined || names.length === 0) return []
  const { options, root } = agent.root
  const known = usesSkills(options)
    ? readSkills(new ProjectReader(workspace, root, policy), { ...options, skills: "all" }).skills
    : []
  return names.flatMap((name) => {
    const skill = known.find((one) => one.name === name)
    return skill === undefined
      ? [
          agentNotice(
            turn,
            agent,
            `The agent ${agent.type} requires the skill ${name}, but the project has no such skill.`,
          ),
        ]
      : [userMessage(stamp(turn), skillBlocks(skill))]
  })
}

/** As the official SDK: the skill's name, then its text, as if the skill had been called. */
const skillBlocks = (skill: Skill) => [
  {
    type: "text",
    text: `<command-message>${skill.name}</command-message>\n<command-name>${skill.name}</command-name>\n<skill-format>true</skill-format>`,
  },
  { type: "text", text: textOf(skill) },
]

/** The text can't be too long: without arguments nothing is inserted into the file's text. */
const textOf = (skill: Skill): string => {
  const text = skillText(skill, "")
  return typeof text === "string" ? text : text.fault
}
