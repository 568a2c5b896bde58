// Receives a view of SDK messages; returns the same with asks, each as an SSE event of its own (`event: ask`).
// Invariants: `onmessage` of an EventSource still gets SDK messages alone; within one stream an ask is shown once, however
// often its feed is opened again; only what is in the log has an id.
import type { TurnCancelledEvent } from "../schemas/api/stream-events.ts"
import { EventNames } from "../schemas/log/events.ts"
import type { FeedLine } from "../schemas/log/feed-line.ts"
import type { Frame, View } from "./sdk.ts"

const NOTHING: ReadonlyArray<Frame> = []

/** The events that say how a turn waits for its place. */
const LANE_EVENTS: ReadonlyMap<string, string> = new Map([
  [EventNames.laneWaiting, "lane_waiting"],
  [EventNames.laneEntered, "lane_entered"],
])

/** True for a line that no SDK message is. */
export const isBeside = ({ name }: FeedLine): boolean =>
  name === EventNames.askOpened || name === EventNames.askSettled || name === EventNames.turnCancelled

/** True for the line by which a turn ends that never ran. */
export const isCancelled = ({ name }: FeedLine): boolean => name === EventNames.turnCancelled

/** Sent for a turn whose session was erased before its result could be sent. */
export const erasedTurn = (turn: string): Frame => {
  const data: TurnCancelledEvent = { type: "turn_cancelled", turn_id: turn }
  return { id: null, event: "turn_cancelled", data: JSON.stringify(data) }
}

/** A view for one stream; it keeps the ids of what it has shown. */
export const withAsks = (view: View): View => {
  const shown = new Set<string>()
  return (line) => {
    if (line.name.startsWith("sdk:")) return view(line)
    if (line.name === EventNames.askSettled) {
      shown.delete(requestOf(line))
      return [{ id: line.seq, event: "ask_settled", data: line.json }]
    }
    const lane = LANE_EVENTS.get(line.name)
    if (lane !== undefined) return [{ id: line.seq, event: lane, data: line.json }]
    if (isCancelled(line)) return [{ id: line.seq, event: "turn_cancelled", data: line.json }]
    if (line.name !== EventNames.askOpened) return view(line)
    const request = requestOf(line)
    if (shown.has(request)) return NOTHING
    shown.add(request)
    return [{ id: null, event: "ask", data: line.json }]
  }
}

const requestOf = ({ json }: FeedLine): string => (JSON.parse(json) as { readonly request_id: string }).request_id // the feed wrote it
