// Payloads of events about routed turns: which agent was chosen and why, the fallback to the other agent, and the progress
// that runs read.
import type { Who } from "../access.ts"
import type { SubagentMode } from "../interop/subagent-run.ts"

/** `route:decided`: the agent that executes the turn's subtask. `score` and `threshold` are from 0 to 1. */
export interface RouteDecided {
  readonly mode: SubagentMode
  readonly reason: string
  readonly score: number
  readonly threshold: number
  readonly label?: string
}

/** `route:fell_back`: the full agent failed with this error, and the minimal one continues. */
export interface RouteFellBack {
  readonly error: string
}

/** `progress:changed`: the new progress text, which the session's runs read. */
export interface ProgressChanged {
  readonly text: string
  /** Who wrote it. */
  readonly actor?: Who
}
