// Receives the events of a whole log; returns what its live feed would send to a view.
import { HeadPath } from "../../../src/schemas/log/head-path.ts"
import { EventNames, type LogEvent } from "../../../src/schemas/log/events.ts"
import type { ViewEvent } from "../../../src/views/live/live-view.ts"
import { movedMessages } from "../../../src/views/live/moved-head.ts"
import { EMPTY_BASE, foldBase, isKept, type SessionBase } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"

/** A whole log in the form that views read. */
export const viewEventsOf = (sessionId: string, events: ReadonlyArray<LogEvent>): ReadonlyArray<ViewEvent> =>
  events.map((event, index) => {
    if (event.name !== EventNames.headMoved) return viewEventOf(event)
    const through = events.slice(0, index + 1)
    const moves = movesOf(through)
    const { todos } = baseAlong(through, new HeadPath(moves))
    return { ...viewEventOf(event), moved: { ...movedMessages(sessionId, through, moves), todos } }
  })

/** The session facts after these events, along the head's path. */
export const baseAlong = (events: Iterable<LogEvent>, path: HeadPath): SessionBase => {
  let base = EMPTY_BASE
  for (const event of events) if (isKept(event.name) || path.has(event.seq)) base = foldBase(base, viewEventOf(event))
  return base
}

/** The moves of the head among the events. */
export const movesOf = (events: Iterable<LogEvent>): ReadonlyArray<{ readonly seq: number; readonly to: number }> =>
  [...events].flatMap((event) =>
    event.name === EventNames.headMoved ? [{ seq: event.seq, to: event.payload.to_seq }] : [],
  )
