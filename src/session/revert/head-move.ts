// Receives the new place of the conversation's head; returns the events that move it.
// Invariant: each call that is left without its result gets one that says so.
import type { ToolSkipped } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { HeadMoved } from "../../schemas/log/session-events.ts"
import type { SessionCore } from "../core.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** The tool result of a call whose own result was cut off. */
const CUT_OFF_TEXT =
  "The conversation continues from before this call's result. Check whether it took effect before you rely on it or repeat it."

const STILL_WORKS = refuse(
  "conflict_error",
  "a subagent or a command that this part of the conversation has started is still running in the background. Stop it, or wait for its end.",
)

/** The refusal to move the head to an event while a background task that was started after it still runs. */
export const workRefusal = (
  { background, log }: Pick<SessionCore, "background" | "log">,
  seq: number,
): Refusal | undefined => {
  const running = background.running()
  if (running.length === 0) return undefined
  const nextAt = log.stampOf(seq + 1)?.at ?? Number.POSITIVE_INFINITY
  return running.some(({ started_at: started }) => started >= nextAt) ? STILL_WORKS : undefined
}

/** `later` returns more events for the same transaction, once the first are written. */
export interface HeadMove {
  readonly events: ReadonlyArray<NewEvent>
  readonly later: () => ReadonlyArray<NewEvent>
}

export const headMove = ({ fold }: Pick<SessionCore, "fold">, payload: HeadMoved): HeadMove => {
  const open = new Set(fold.memory.transcript.openCalls().map(({ id }) => id))
  const later = () => {
    fold.drop()
    // Calls that had no result before the revert are open again, and get none.
    if (payload.restored === true) return []
    const cut = fold.memory.transcript.openCalls().filter(({ id }) => !open.has(id))
    return cut.map(({ id }) => ({
      name: EventNames.toolSkipped,
      payload: { tool_use_id: id, content: CUT_OFF_TEXT } satisfies ToolSkipped,
    }))
  }
  return { events: [{ name: EventNames.headMoved, payload }], later }
}
