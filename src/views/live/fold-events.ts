// Receives events of a log in their order; returns the frames that a view sends for them.
// Invariant: the frames of a stream without its ephemeral ones.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { Frame } from "../sdk.ts"
import type { LiveView, ViewEvent } from "./live-view.ts"

export const foldView = (view: LiveView, events: Iterable<LogEvent>): ReadonlyArray<Frame> => {
  const frames: Array<Frame> = []
  for (const event of events) frames.push(...view.apply(viewEventOf(event)))
  return frames
}

/** An event of the log as views read it. */
export const viewEventOf = ({ parent_tool_use_id: parent, ...event }: LogEvent): ViewEvent =>
  // The name and its payload came together.
  ({ ...event, parent }) as ViewEvent

/** An event that a view read, as folds of the log take it; null of an ephemeral one. */
export const logEventOf = ({ seq, parent, ...event }: ViewEvent): LogEvent | null =>
  // The name and its payload came together.
  seq === null ? null : ({ ...event, seq, parent_tool_use_id: parent } as LogEvent)
