// Receives the starts and ends of subagents; returns the events that open and close them within a run.
// Invariant: a subagent is open in a run from its first event there until it ends, or until the run ends.
import type { AgentEnded, AgentStarted } from "../../schemas/log/agent-events.ts"
import type { AgUiEvent } from "./ag-ui-event.ts"

export class OpenAgents {
  /** Running agents, by the call that first started them, which is the `parent` of their messages. */
  readonly #working = new Map<string, AgentStarted>()
  readonly #open = new Set<string>()

  started(agent: AgentStarted): void {
    if (agent.detached !== true) this.#working.set(agent.thread, agent)
  }

  /** The run id of the subagent that was started by the call `thread`; undefined for the main thread. */
  idOf(thread: string | null): string | undefined {
    return thread === null ? undefined : this.#working.get(thread)?.run_id
  }

  ofAgent(agentId: string | undefined): string | undefined {
    return [...this.#working.values()].find((agent) => agent.agent_id === agentId)?.run_id
  }

  /** Opens the subagent of a call, after its ancestors. */
  enter(thread: string | null): ReadonlyArray<AgUiEvent> {
    const agent = thread === null ? undefined : this.#working.get(thread)
    if (agent === undefined || this.#open.has(agent.run_id)) return []
    const parent = [...this.#working.values()].find(({ agent_id: id }) => id === agent.parent_agent_id)
    const before = parent === undefined ? [] : this.enter(parent.thread)
    this.#open.add(agent.run_id)
    return [
      ...before,
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: agent.run_id,
        name: agent.agent_type,
        description: agent.description,
        parentToolCallId: agent.tool_use_id,
        ...(parent === undefined ? {} : { parentSubagentRunId: parent.run_id }),
      },
    ]
  }

  ended({ run_id: id, status, report }: AgentEnded): ReadonlyArray<AgUiEvent> {
    for (const [thread, agent] of this.#working) if (agent.run_id === id) this.#working.delete(thread)
    if (!this.#open.delete(id)) return []
    return status === "failed" || status === "stopped"
      ? [
          {
            type: "SUBAGENT_ERROR",
            subagentRunId: id,
            message: report === "" ? `The subagent ${status}.` : report,
            code: status,
          },
        ]
      : [{ type: "SUBAGENT_FINISHED", subagentRunId: id, outcome: { type: "success" }, result: report }]
  }

  /** Closes the open subagents as suspended when the run ends: those that still work continue in the next run. */
  leave(): ReadonlyArray<AgUiEvent> {
    const events = [...this.#open]
      .toReversed()
      .map((subagentRunId): AgUiEvent => ({ type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "suspended" } }))
    this.#open.clear()
    return events
  }
}
