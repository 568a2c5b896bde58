// Every scenario of agents and tasks.
import { BACKGROUND } from "./background.ts"
import { FAILURES } from "./failures.ts"
import { FOREGROUND } from "./foreground.ts"
import { HOOKS } from "./hooks.ts"
import { PERMISSIONS } from "./permissions.ts"
import { SESSIONS } from "./sessions.ts"
import { TASKS, TASKS_OF_AGENTS } from "./tasks.ts"

export const SCENARIOS = [
  ...FOREGROUND,
  ...FAILURES,
  ...PERMISSIONS,
  ...HOOKS,
  ...SESSIONS,
  ...BACKGROUND,
  ...TASKS,
  ...TASKS_OF_AGENTS,
]
