// Receives the id of a message; returns the place of the event that opened it.
// Invariant: nothing but that event is found; a message that is not found here may still be there, in a log whose times go back.
import { partViewId, readPartViewId } from "../../views/parts/part-ids.ts"
import type { SessionLog } from "../storage/log.ts"

export const placeOfMessage = (log: SessionLog, id: string): number | undefined => {
  const wanted = readPartViewId(id, log.lastAt)
  if (wanted === undefined) return undefined
  const { at, seqRest, place } = wanted
  for (let one = log.firstAt(at); one?.at === at; one = log.stampOf(one.seq + 1)) {
    if (one.seq % 4096 === seqRest && partViewId("msg", one, place) === id) return one.seq
  }
  return undefined
}
