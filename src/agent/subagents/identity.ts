// Which subagent a turn is the run of.
import type { AgentStarted } from "../../schemas/log/agent-events.ts"
import type { Turn } from "../ports.ts"
import type { ResolvedAgent } from "./definition.ts"

export interface AgentIdentity {
  readonly id: string
  /** The name of its definition. */
  readonly type: string
  /** The call that first began it: the parent of its messages. */
  readonly thread: string
  readonly runId: string
  /** The call that began this run. */
  readonly call: string
  readonly description: string
  /** A command or a skill runs as it. */
  readonly fork?: AgentStarted["fork"]
  readonly background: boolean
  /** Its events belong to no turn. */
  readonly detached: boolean
  /** 1 for an agent of the conversation itself. */
  readonly depth: number
  readonly startedAt: number
  readonly definition: ResolvedAgent
  /** The turn that the outermost agent belongs to. */
  readonly root: Turn
}
