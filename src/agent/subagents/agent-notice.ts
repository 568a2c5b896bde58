// A notice about a subagent for people; no model sees it.
import type { NewEvent } from "../../schemas/log/events.ts"
import { informational } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import type { AgentIdentity } from "./identity.ts"

/** The notice, already under the agent's thread, so that the agent's log passes it on unchanged. */
export const agentNotice = (turn: Turn, { detached, thread }: AgentIdentity, text: string): NewEvent => ({
  ...informational(turn, text, { level: "warning" }),
  turn: detached ? null : turn.id,
  parent_tool_use_id: thread,
})
