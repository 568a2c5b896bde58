// Receives events of a session's log; returns the rows of the audit that they are, one for each event with an actor.
// Invariant: a row names ids alone, and the same event is always the same row.
import type { Who } from "../../schemas/access.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { type AuditAction, type AuditEntry, type AuditRow, auditRow } from "../audit.ts"

interface Facts {
  readonly actor?: Who
  readonly reopened?: boolean
  readonly parent?: string
  readonly request_id?: string
  readonly tool_use_id?: string
}

interface Noted {
  readonly action: AuditAction
  readonly subject: (event: LogEvent, facts: Facts) => string | null
}

const NOTED: Readonly<Record<string, Noted>> = {
  [EventNames.sessionCreated]: { action: "session:created", subject: () => null },
  [EventNames.sessionForked]: { action: "session:forked", subject: (_, { parent }) => parent ?? null },
  [EventNames.sessionChanged]: { action: "session:changed", subject: () => null },
  [EventNames.turnQueued]: { action: "turn:queued", subject: ({ turn }) => turn },
  [EventNames.askSettled]: { action: "ask:settled", subject: (_, { request_id: id }) => id ?? null },
  [EventNames.toolCalled]: { action: "tool:called", subject: (_, { tool_use_id: id }) => id ?? null },
}

export const auditRowsOf = (
  tenant: string,
  sessionId: string,
  events: ReadonlyArray<LogEvent>,
): ReadonlyArray<AuditRow> =>
  events.flatMap((event): ReadonlyArray<AuditRow> => {
    const noted = NOTED[event.name]
    if (noted === undefined) return []
    // The log wrote these payloads.
    const facts = event.payload as Facts
    if (facts.actor === undefined) return []
    const entry: AuditEntry = {
      tenant,
      id: `${sessionId}:${event.seq}`,
      at: event.at,
      action: facts.reopened === true ? "session:reopened" : noted.action,
      session_id: sessionId,
      who: facts.actor,
      subject: noted.subject(event, facts),
    }
    return [auditRow(entry)]
  })
