// Payloads of events about routed turns: which agent was chosen and why, that the other one followed it, and the progress
// that runs read.
import type { Who } from "../access.ts"
import type { SubagentMode } from "../interop/subtask.ts"

/** `route:decided`: the agent that carries out the turn's subtask. `score` and `threshold` are from 0 to 1. */
export interface RouteDecided {
  readonly mode: SubagentMode
  readonly reason: string
  readonly score: number
  readonly threshold: number
  readonly label?: string
}

/** `route:fell_back`: the full agent failed with this error, and the minimal one goes on. */
export interface RouteFellBack {
  readonly error: string
}

/** `progress:changed`: what runs of the session read as its progress from now on. */
export interface ProgressChanged {
  readonly text: string
  /** Who wrote it. */
  readonly actor?: Who
}
