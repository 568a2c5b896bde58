// Receives a prompt of a session's log; returns the event by which it joined another turn.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { SessionLog } from "./log.ts"

/** Events that are read at once: a prompt joins a turn soon after it was queued. */
const FEW = 20

/** `queued` is the seq of the prompt's `turn:queued`. Undefined when the prompt joined no turn. */
export const joinOf = (
  log: Pick<SessionLog, "all">,
  prompt: string,
  queued: number,
): LogEvent<"turn:joined"> | undefined => {
  for (const { event } of log.all(queued, { name: EventNames.turnJoined, limit: FEW }))
    if (event.payload.turn === prompt) return event
  return undefined
}
