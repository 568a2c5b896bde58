// Receives a session; returns what reads its project's files, and the skills in them.
// Invariant: a file that a rule of the session keeps from Read is not read.
import { ProjectReader } from "../../agent/project/project-reader.ts"
import { readSkills, type Skill } from "../../agent/project/skills.ts"
import type { SessionCore } from "../core.ts"

type Source = Pick<SessionCore, "permissions" | "record" | "workspace">

export const projectReader = ({ permissions, record, workspace }: Source): ProjectReader =>
  new ProjectReader(workspace, record.cwd, () => permissions.policy())

/** The skills that the project has now, whether or not the model has them in its list. */
export const projectSkills = (core: Source & Pick<SessionCore, "runningOptions">): ReadonlyArray<Skill> =>
  readSkills(projectReader(core), core.runningOptions).skills
