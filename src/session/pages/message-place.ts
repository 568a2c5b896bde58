// Receives the id of a message; returns the place of the event that opened it.
// Invariant: nothing but that event is found; a message that is not found here may still be there, in a log whose times go back.
import { answerId, partViewId, readPartViewId } from "../../views/parts/part-ids.ts"
import type { SessionLog, Stamp } from "../storage/log.ts"

export const placeOfMessage = (log: SessionLog, id: string): number | undefined => {
  const wanted = readPartViewId(id, log.lastAt)
  if (wanted === undefined) return undefined
  const { at, seqRest, place } = wanted
  for (let one = log.firstAt(at); one?.at === at; one = log.stampOf(one.seq + 1)) {
    if (one.seq % 4096 !== seqRest) continue
    // An event opens the message of place 0; behind it begin the answers of the others.
    if (place === 0 && partViewId("msg", one, 0) === id) return one.seq
    if (place > 0 && answerId({ event: one, nth: place - 1 }) === id) return firstPiece(log, one, place - 1)
  }
  return undefined
}

/** The first piece of the n-th answer that begins behind an event, in the thread of that event. */
const firstPiece = (log: SessionLog, { seq }: Stamp, nth: number): number | undefined => {
  const start = log.at(seq)?.event
  const answers = new Set<unknown>()
  for (const { event } of log.all(seq)) {
    if (event.name !== "sdk:assistant" || event.turn !== start?.turn) continue
    if (event.parent_tool_use_id !== start.parent_tool_use_id || event.payload.message.model === SYNTHETIC) continue
    answers.add(event.payload.message.id ?? event.uuid)
    if (answers.size > nth) return event.seq
  }
  return undefined
}

const SYNTHETIC = "<synthetic>"
