// Receives the turn when it begins; returns the event that lists its skills for the model, and what clients are sent of them.
// Invariant: the list is sent again only when it has changed, so that requests keep their beginning.
import type { SkillsListed } from "../../schemas/log/project-events.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { Turn } from "../ports.ts"
import { ProjectReader } from "./project-reader.ts"
import { NO_SKILLS, readSkills, usesSkills } from "./skills.ts"

export interface LoadedSkills {
  readonly events: ReadonlyArray<NewEvent>
  /** As `system/init` has them: those that people use. */
  readonly names: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

/** All descriptions together; the rest of the list has names alone. */
const MAX_LIST = 16_000

export const loadSkills = (turn: Turn): LoadedSkills => {
  const { options, memory, workspace, root, policy } = turn
  const known = memory.project.skills
  const uses = usesSkills(options) && turn.toolByName("Skill") !== undefined
  if (!uses && known === null) return { events: [], names: [], notices: [] }
  const { skills, notices } = uses ? readSkills(new ProjectReader(workspace, root, policy), options) : NO_SKILLS
  const listed = shortened(skills.filter(({ forModel }) => forModel))
  const names = skills.flatMap(({ name, forPeople }) => (forPeople ? [name] : []))
  if (JSON.stringify(listed) === JSON.stringify(known ?? [])) return { events: [], names, notices }
  return {
    events: [{ name: EventNames.skillsListed, payload: { skills: listed }, turn: turn.id }],
    names,
    notices,
  }
}

const shortened = (skills: SkillsListed["skills"]): SkillsListed["skills"] => {
  let left = MAX_LIST
  return skills.map(({ name, description }) => {
    const shown = description.slice(0, Math.max(left, 0))
    left -= description.length
    return { name, description: shown }
  })
}
