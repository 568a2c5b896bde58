// Ends a turn that failed or killed its process each time it was tried.
// Invariant: it uses only what is stored, because anything that is made for a turn may be what fails.
import { rejections } from "../../agent/messages/rejections.ts"
import { resultMessage } from "../../agent/messages/result.ts"
import type { Turn } from "../../agent/ports.ts"
import { unchecked } from "../../agent/start.ts"
import { stoppedAgents } from "../../agent/subagents/stopped-agents.ts"
import type { InboxEntry } from "../storage/inbox.ts"
import { contextOutsideTurn } from "./outside-turn.ts"
import type { TurnParts } from "./turn-services.ts"

const REASON = "The turn failed inside the server each time it was tried, so it was ended."

/** The end of such a turn, and of a run of a subagent. */
export const ABANDONED = {
  subtype: "error_during_execution",
  terminalReason: "turn_setup_failed",
  errors: [REASON],
} as const

/** A turn without tools, commands and servers. */
export const bareTurn = ({ core, web }: TurnParts, id: string): Turn => ({
  ...contextOutsideTurn(core, { id, memory: core.memory, tools: [], web, signal: new AbortController().signal }),
  background: core.background,
})

export const abandonTurn = (parts: TurnParts, entry: InboxEntry): void => {
  const { core } = parts
  const { prompts, runningTurn } = core
  const { origin, prompt } = prompts.queued(entry)
  const turn: Turn = {
    ...bareTurn(parts, entry.turn),
    prompt,
    origin,
    promptUuids: runningTurn.acknowledged(entry),
    waiting: () => prompts.waitingBehind(entry.turn),
  }
  const events = [...unchecked(turn, REASON), ...stoppedAgents(turn, null), ...rejections(turn)]
  runningTurn.writeEnd(entry, events, () => resultMessage(turn, ABANDONED, {}))
}
