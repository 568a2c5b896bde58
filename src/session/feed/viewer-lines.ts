// Receives events of the log; returns the lines that viewers get in addition to the SDK's messages: asks and their outcomes, prompts
// that were cancelled, and how a turn waits for its place in its tenant's lane.
// Invariant: an ask is shown while it is open and never replayed, so that no client answers what was settled long ago; its
// outcome is a durable line, so that a viewer that was disconnected removes the ask.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { encodeFeedLine } from "../../schemas/log/feed-line.ts"
import type { PendingAsk } from "../../schemas/api/api.ts"
import type {
  AskEvent,
  AskSettledEvent,
  LaneEnteredEvent,
  LaneWaitingEvent,
  TurnCancelledEvent,
} from "../../schemas/api/stream-events.ts"
import type { Listener } from "./listener.ts"
import type { StoredEvent } from "../storage/log.ts"

/**
 * True for a feed with these lines. Clients of the control protocol get control frames instead, feeds of signals or facts the
 * events of asks themselves.
 */
export const isViewer = ({
  form,
  client,
  signals,
  facts,
}: Pick<Listener, "form" | "client" | "signals" | "facts">): boolean =>
  form === "feed" && client === null && signals === undefined && facts !== true

/** An open ask, as `GET …/permissions` has it. */
export const askLine = (ask: PendingAsk): string =>
  encodeFeedLine({
    seq: null,
    at: Date.parse(ask.created_at),
    turn: ask.turn_id,
    name: EventNames.askOpened,
    json: JSON.stringify({ type: "ask", ...ask } satisfies AskEvent),
  })

/**
 * The durable line that an event implies for a viewer, or null. Asks of other turns count too: they may block the viewer's
 * own turn.
 */
export const viewerLine = ({ event }: StoredEvent, { turn }: Pick<Listener, "turn">): string | null => {
  if (event.name === EventNames.askSettled) {
    const { request_id, by, answer } = event.payload
    const { behavior, action } = answer
    return durable(event, {
      type: "ask_settled",
      request_id,
      turn_id: event.turn,
      by,
      ...(behavior === "allow" || behavior === "deny" ? { behavior } : {}),
      ...(action === "accept" || action === "decline" || action === "cancel" ? { action } : {}),
    } satisfies AskSettledEvent)
  }
  if (turn === null || event.turn === turn) {
    const lane = laneEvent(event)
    if (lane !== null) return durable(event, lane)
  }
  return event.name === EventNames.turnCancelled && event.turn === turn
    ? durable(event, { type: "turn_cancelled", turn_id: event.turn } satisfies TurnCancelledEvent)
    : null
}

const laneEvent = (event: LogEvent): LaneWaitingEvent | LaneEnteredEvent | null => {
  if (event.name === EventNames.laneEntered) return { type: "lane_entered", turn_id: event.turn, ...event.payload }
  if (event.name !== EventNames.laneWaiting) return null
  const since = new Date(event.payload.since).toISOString()
  return { type: "lane_waiting", turn_id: event.turn, ...event.payload, since }
}

const durable = ({ seq, at, turn, name }: StoredEvent["event"], payload: unknown): string =>
  encodeFeedLine({ seq, at, turn, name, json: JSON.stringify(payload) })

/** The id of the ask that an event opens, or null. */
export const openedAsk = ({ event }: StoredEvent): string | null =>
  event.name === EventNames.askOpened ? event.payload.request_id : null
