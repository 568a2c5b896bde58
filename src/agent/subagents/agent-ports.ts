// The ports of a session, adapted for a subagent's turn.
import { agentEvents } from "./agent-log.ts"
import type { Asks, Hooks, Turn } from "../ports.ts"

/** Identifies an agent's hook event by the agent's run and its place there. */
export const agentHooks = (hooks: Hooks["Service"], turn: () => Turn): Hooks["Service"] => ({
  listens: (event) => hooks.listens(event),
  run: (event, input, toolUseId, place = toolUseId ?? "") =>
    hooks.run(event, input, toolUseId, `${turn().agent?.runId ?? ""}:${place}`),
})

/** Adds to each ask the agent whose call it is about. */
export const agentAsks = (asks: Asks["Service"], turn: () => Turn): Asks["Service"] => ({
  ...asks,
  open: (ask, events) => {
    const { agent } = turn()
    const background = agent?.detached === true ? ({ detached: true } as const) : {}
    const named = agent === undefined ? ask : { ...ask, agent_id: agent.id, ...background }
    return asks.open(
      named,
      events.flatMap((event) => agentEvents(turn(), event)),
    )
  },
})
