// The section of a log that the list of events shows. Receives the shown events and new ones at one end; returns what is shown next.
// Invariant: each event once, in the order of the list, and at most `MAX_SHOWN` of them: events at the other end are dropped, so
// that a new event costs the same however long the log is.
import type { RawEvent } from "../past/marks.ts"

export type Order = "desc" | "asc"

export const MAX_SHOWN = 1000

export interface EventWindow {
  readonly events: ReadonlyArray<RawEvent>
  /** Whether events at the other end were dropped. */
  readonly isCut: boolean
}

/** Adds events behind the last one; they are in the order of the list. */
export const withLater = (
  shown: ReadonlyArray<RawEvent>,
  added: ReadonlyArray<RawEvent>,
  order: Order,
): EventWindow => {
  const last = shown.at(-1)?.seq
  const isNew = ({ seq }: RawEvent) => last === undefined || (order === "desc" ? seq < last : seq > last)
  const events = [...shown, ...added.filter(isNew)]
  return { events: events.slice(-MAX_SHOWN), isCut: events.length > MAX_SHOWN }
}

/** Adds the log's newest event before the first one, in a list that has the newest first. */
export const withNewest = (shown: ReadonlyArray<RawEvent>, added: RawEvent, most = MAX_SHOWN): EventWindow => {
  const [first] = shown
  if (first !== undefined && added.seq <= first.seq) return { events: shown, isCut: false }
  const events = [added, ...shown]
  return { events: events.slice(0, most), isCut: events.length > most }
}
