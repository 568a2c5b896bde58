// Receives the new place of the conversation's head; returns the events that move it.
// Invariant: each call that is left without its result gets one that says so.
import type { ToolSkipped } from "../../schemas/log/event-payloads.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import type { HeadMoved } from "../../schemas/log/session-events.ts"
import type { SessionCore } from "../core.ts"

/** The tool result of a call whose own result was cut off. */
const CUT_OFF_TEXT =
  "The conversation continues from before this call's result. Check whether it took effect before you rely on it or repeat it."

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
