// Receives an event of a session's log; returns it in the form that webhooks deliver.
// Invariant: a pure function of the event, so that an event which is offered again makes the same delivery. A body has at
// most MAX_DATA_BYTES of payload.
import { EventNames, type LogEvent } from "../schemas/log/events.ts"
import type { OfferedEvent, WebhookEvent } from "../schemas/api/webhooks.ts"
import { orReference } from "../store/delivery/hook-message.ts"

const MAX_DATA_BYTES = 64_000

/** The name that patterns match: the event's own, for a hook event `hook:fired/NAME`, and `bridge:called/TOOL`. */
export const typeOf = ({ name, payload }: LogEvent): string => {
  if (name === EventNames.bridgeCalled) return `${name}/${payload.tool}`
  return name === EventNames.hookFired ? `${name}/${payload.hook_event_name}` : name
}

export const offeredEvent = (session: string, event: LogEvent): OfferedEvent => {
  const { seq, at, turn, payload } = event
  const id = `${session}_${seq}`
  const data = orReference({ ...payload }, MAX_DATA_BYTES, seq)
  const place = { session_id: session, seq, turn_id: turn }
  return { ...webhookEvent(id, typeOf(event), at, data, place), session_id: session, seq }
}

/** `session:erased` of a session: it is in no log, because the log is gone. */
export const erasedEvent = (session: string, at: number): OfferedEvent => {
  const place = { session_id: session, seq: null, turn_id: null }
  return { ...webhookEvent(`${session}_erased`, "session:erased", at, { session_id: session }, place), ...place }
}

const NO_PLACE = { session_id: null, seq: null, turn_id: null }

/** An event as a delivery; without `place` it is in no session's log. `at` is in milliseconds since 1970. */
export const webhookEvent = (
  id: string,
  type: string,
  at: number,
  data: unknown,
  place: Pick<WebhookEvent, "session_id" | "seq" | "turn_id"> = NO_PLACE,
): Pick<OfferedEvent, "id" | "type" | "at" | "body"> => {
  const body: WebhookEvent = { id, type, timestamp: new Date(at).toISOString(), ...place, data }
  return { id, type, at, body: JSON.stringify(body) }
}
