// Receives the events that a new session starts with; writes them after its first one.
// Invariant: each of their turns is in the inbox as finished, so that it never runs and its uuid can't be used again.
import type { CreateArgs } from "../../schemas/rpc/session.ts"
import { EventNames } from "../../schemas/log/events.ts"
import type { Inbox } from "../storage/inbox.ts"
import type { SessionLog } from "../storage/log.ts"

/** Call it inside the transaction that writes the session's first event. */
export const writeHistory = (log: SessionLog, inbox: Inbox, history: NonNullable<CreateArgs["history"]>): void => {
  let queued = 0
  for (const { payload, ...event } of history) {
    const seq = log.lastSeq + 1
    log.copy({ ...event, seq }, JSON.stringify(log.media.hold(event.name, payload)))
    if (event.turn === null) continue
    if (event.name === EventNames.turnQueued) queued = seq
    if (event.name !== EventNames.turnImported) continue
    inbox.add({ turn: event.turn, seq: queued, fingerprint: "" })
    inbox.settle(event.turn, seq)
  }
}
