// Identifies the subagent whose run a turn is.
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import type { Turn } from "../ports.ts"
import type { ResolvedAgent } from "./definition.ts"

export interface AgentIdentity {
  readonly id: string
  /** The name of its definition. */
  readonly type: string
  /** The call that first started the agent: the `parent_tool_use_id` of its messages. */
  readonly thread: string
  readonly runId: string
  /** The call that started this run. */
  readonly call: string
  readonly description: string
  /** Set when a command or a skill runs as the agent. */
  readonly fork?: AgentStarted["fork"]
  readonly background: boolean
  /** True when its events belong to no turn: it runs in the background, or inside an agent that does. */
  readonly detached: boolean
  /** The nesting depth: 1 for an agent that the conversation itself started. */
  readonly depth: number
  readonly startedAt: number
  readonly definition: ResolvedAgent
  /** The turn that the outermost agent belongs to. */
  readonly root: Turn
}
