// Receives the events of a whole log; returns its messages as parts, with the fold that sessions use incrementally.
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import type { Message } from "../../../src/schemas/parts.ts"
import { PartsProjection } from "../../../src/views/parts/parts.ts"

export const projectParts = (sessionId: string, events: Iterable<LogEvent>): ReadonlyArray<Message> => {
  const projection = new PartsProjection(sessionId)
  for (const event of events) projection.apply(event)
  return projection.messages()
}
