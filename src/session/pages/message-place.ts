// Receives the id of a message; returns the seq of the event that opened it.
// Invariant: no other event is returned. A message that is not found may still exist, in a log whose times go back.
import { answerId, partViewId, readPartViewId } from "../../views/parts/part-ids.ts"
import type { SessionLog, Stamp } from "../storage/log.ts"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

export const placeOfMessage = (log: SessionLog, id: string): number | undefined => {
  const wanted = readPartViewId(id, log.lastAt)
  if (wanted === undefined) return undefined
  const { at, seqRest, place } = wanted
  for (let one = log.firstAt(at); one?.at === at; one = log.stampOf(one.seq + 1)) {
    if (one.seq % 4096 !== seqRest) continue
    // Place 0 is the message that the event itself opens; the others are the answers that start after it.
    if (place === 0 && partViewId("msg", one, 0) === id) return one.seq
    if (place > 0 && answerId({ event: one, nth: place - 1 }) === id) return firstPiece(log, one, place - 1)
  }
  return undefined
}

/** seq of the first piece of the n-th answer (from 0) that starts after an event, in the thread of that event. */
const firstPiece = (log: SessionLog, { seq }: Stamp, nth: number): number | undefined => {
  const start = log.at(seq)?.event
  const answers = new Set<unknown>()
  for (const { event } of log.all(seq)) {
    if (event.name !== "sdk:assistant" || event.turn !== start?.turn) continue
    if (event.parent_tool_use_id !== start.parent_tool_use_id || event.payload.message.model === SYNTHETIC_MODEL)
      continue
    answers.add(event.payload.message.id ?? event.uuid)
    if (answers.size > nth) return event.seq
  }
  return undefined
}
