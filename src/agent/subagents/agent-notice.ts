// A line about a subagent for the people who watch its session; no model sees it.
import type { NewEvent } from "../../schemas/log/events.ts"
import { informational } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import type { AgentIdentity } from "./identity.ts"

/** It is under the agent's thread already, so that it is sent as it is. */
export const agentNotice = (turn: Turn, { detached, thread }: AgentIdentity, text: string): NewEvent => ({
  ...informational(turn, text, { level: "warning" }),
  turn: detached ? null : turn.id,
  parent_tool_use_id: thread,
})
