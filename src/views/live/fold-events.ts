// Receives events of a log in their order; returns the frames that a view sends for them.
// Invariant: the frames of a stream without its ephemeral ones.
import { HeadPath } from "../../schemas/log/head-path.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { Frame } from "../sdk.ts"
import type { LiveView, ViewEvent } from "./live-view.ts"
import { movedMessages, movesOf } from "./moved-head.ts"
import { EMPTY_BASE, foldBase, isKept, type SessionBase } from "./session-base.ts"

/** `sessionId` is that of the view; `events` are the whole log. */
export const foldView = (sessionId: string, view: LiveView, events: ReadonlyArray<LogEvent>): ReadonlyArray<Frame> =>
  viewEventsOf(sessionId, events).flatMap((event) => view.apply(event))

/** A whole log as views read it. */
export const viewEventsOf = (sessionId: string, events: ReadonlyArray<LogEvent>): ReadonlyArray<ViewEvent> =>
  events.map((event, index) => {
    if (event.name !== EventNames.headMoved) return viewEventOf(event)
    const through = events.slice(0, index + 1)
    const moves = movesOf(through)
    const { todos } = baseAlong(through, new HeadPath(moves))
    return { ...viewEventOf(event), moved: { ...movedMessages(sessionId, through, moves), todos } }
  })

/** What events make of the session whose head took this path. */
export const baseAlong = (events: Iterable<LogEvent>, path: HeadPath): SessionBase => {
  let base = EMPTY_BASE
  for (const event of events) if (isKept(event.name) || path.has(event.seq)) base = foldBase(base, viewEventOf(event))
  return base
}

/** An event of the log as views read it. */
export const viewEventOf = ({ parent_tool_use_id: parent, ...event }: LogEvent): ViewEvent =>
  // The name and its payload came together.
  ({ ...event, parent }) as ViewEvent

/** An event that a view read, as folds of the log take it; null of an ephemeral one. */
export const logEventOf = ({ seq, parent, moved: _, ...event }: ViewEvent): LogEvent | null =>
  // The name and its payload came together.
  seq === null ? null : ({ ...event, seq, parent_tool_use_id: parent } as LogEvent)
