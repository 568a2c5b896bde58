// Receives a turn at its start; returns the event that lists its skills for the model, and names and notices for clients.
// Invariant: the list is sent again only when it has changed, so that requests keep their common prefix.
import type { SkillsListed } from "../../schemas/log/project-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { Turn } from "../ports.ts"
import { ProjectReader } from "./project-reader.ts"
import { NO_SKILLS, readSkills, usesSkills } from "./skills.ts"

export interface LoadedSkills {
  readonly events: ReadonlyArray<NewEvent>
  /** The names for `system/init`: as in the official SDK, the skills that people can call and whose file describes them. */
  readonly names: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

/** The most characters of all descriptions together; later skills are listed by name alone. */
const MAX_LIST = 16_000

export const loadSkills = (turn: Turn): LoadedSkills => {
  const { options, memory, workspace, root, policy } = turn
  const known = memory.project.skills
  const isOffered = turn.toolByName("Skill") !== undefined
  // Without the tool, people can still call them, but only in the main conversation.
  const uses = usesSkills(options) && (isOffered || turn.agent === undefined)
  if (!uses && known === null) return { events: [], names: [], notices: [] }
  const { skills, notices } = uses ? readSkills(new ProjectReader(workspace, root, policy), options) : NO_SKILLS
  const listed = withCutDescriptions(skills.filter(({ forModel }) => isOffered && forModel))
  const names = skills.flatMap(({ name, forPeople, described }) => (forPeople && described ? [name] : []))
  if (JSON.stringify(listed) === JSON.stringify(known ?? [])) return { events: [], names, notices }
  return {
    events: [{ name: EventNames.skillsListed, payload: { skills: listed }, turn: turn.id }],
    names,
    notices,
  }
}

/** The skills, with all their descriptions together cut to `MAX_LIST` characters. */
const withCutDescriptions = (skills: SkillsListed["skills"]): SkillsListed["skills"] => {
  let left = MAX_LIST
  return skills.map(({ name, description }) => {
    const shown = description.slice(0, Math.max(left, 0))
    left -= description.length
    return { name, description: shown }
  })
}
