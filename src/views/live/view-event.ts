// Converts an event of the log to the event that views read, and back.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { ViewEvent } from "./live-view.ts"

/** An event of the log as views read it. */
export const viewEventOf = ({ parent_tool_use_id: parent, ...event }: LogEvent): ViewEvent =>
  // The name and its payload came together.
  ({ ...event, parent }) as ViewEvent

/** The log's form of an event that a view received; null for an ephemeral event. */
export const logEventOf = ({ seq, parent, moved: _, ...event }: ViewEvent): LogEvent | null =>
  // The name and its payload came together.
  seq === null ? null : ({ ...event, seq, parent_tool_use_id: parent } as LogEvent)
