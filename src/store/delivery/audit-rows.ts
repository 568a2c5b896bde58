// Receives events of a session's log; returns their audit rows, one for each audited event with an actor.
// Invariant: a row contains only ids, and the same event always yields the same row.
import type { Who } from "../../schemas/access.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { type AuditAction, type AuditRow, auditRow } from "../audit.ts"

interface Noted {
  readonly action: AuditAction
  readonly subject: string | null
  readonly who: Who | undefined
}

/** The action, subject and actor of an audited event; null for other events. */
const notedOf = (event: LogEvent): Noted | null => {
  switch (event.name) {
    case EventNames.sessionCreated:
      return { action: "session:created", subject: null, who: event.payload.actor }
    case EventNames.sessionForked:
      return { action: "session:forked", subject: event.payload.parent, who: event.payload.actor }
    case EventNames.sessionChanged: {
      const { reopened, actor } = event.payload
      return { action: reopened === true ? "session:reopened" : "session:changed", subject: null, who: actor }
    }
    case EventNames.turnQueued:
      return { action: "turn:queued", subject: event.turn, who: event.payload.actor }
    case EventNames.askSettled:
      return { action: "ask:settled", subject: event.payload.request_id, who: event.payload.actor }
    case EventNames.toolCalled:
      return { action: "tool:called", subject: event.payload.tool_use_id, who: event.payload.actor }
    default:
      return null
  }
}

export const auditRowsOf = (
  tenant: string,
  sessionId: string,
  events: ReadonlyArray<LogEvent>,
): ReadonlyArray<AuditRow> =>
  events.flatMap((event): ReadonlyArray<AuditRow> => {
    const noted = notedOf(event)
    if (noted?.who === undefined) return []
    const { action, subject, who } = noted
    const id = `${sessionId}:${event.seq}`
    return [auditRow({ tenant, id, at: event.at, action, session_id: sessionId, who, subject })]
  })
