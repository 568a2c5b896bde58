// The ports of a session, as a subagent's turn uses them.
import { agentEvents } from "./agent-log.ts"
import type { Asks, Hooks, Turn } from "../ports.ts"

/** A hook that is called again after a restart is known by the agent's own count of its events. */
export const agentHooks = (hooks: Hooks["Service"], turn: () => Turn): Hooks["Service"] => ({
  listens: (event) => hooks.listens(event),
  run: (event, input, toolUseId) => {
    const { agent, memory } = turn()
    const place = toolUseId ?? memory.accounting.tally?.hookCounts.get(event) ?? 0
    return hooks.run(event, input, toolUseId, `${agent?.runId ?? ""}:${place}`)
  },
})

/** Questions name the agent whose call they are about. */
export const agentAsks = (asks: Asks["Service"], turn: () => Turn): Asks["Service"] => ({
  ...asks,
  open: (ask, events) => {
    const { agent } = turn()
    const beside = agent?.detached === true ? ({ detached: true } as const) : {}
    const named = agent === undefined ? ask : { ...ask, agent_id: agent.id, ...beside }
    return asks.open(
      named,
      events.flatMap((event) => agentEvents(turn(), event)),
    )
  },
})
