// Payloads of events about routed turns: which agent was chosen and why, and that the other one followed it.
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
