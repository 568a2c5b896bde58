// Every scenario of agents and tasks.
import { BACKGROUND, STEERED } from "./background.ts"
import { DEFINITIONS, MESSAGES, MOVED } from "./definitions.ts"
import { FAILURES } from "./failures.ts"
import { FOREGROUND } from "./foreground.ts"
import { HOOKS } from "./hooks.ts"
import { PERMISSIONS } from "./permissions.ts"
import { OF_AGENTS, SESSIONS } from "./sessions.ts"
import { TASKS, TASKS_OF_AGENTS } from "./tasks.ts"

/** The scenarios that use only features of Perch. */
export const PLAYED = [
  ...FOREGROUND,
  ...FAILURES,
  ...PERMISSIONS,
  ...HOOKS,
  ...SESSIONS,
  ...OF_AGENTS,
  ...BACKGROUND,
  ...TASKS,
  ...TASKS_OF_AGENTS,
  ...DEFINITIONS,
  ...MESSAGES,
  ...MOVED,
]

export const SCENARIOS = [...PLAYED, ...STEERED]
