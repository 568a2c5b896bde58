// Receives a view of SDK messages; returns that view with asks added, each as a separate SSE event (`event: ask`).
// Invariants: `onmessage` of an EventSource still receives only SDK messages; within one stream an ask is shown once, however
// often its feed is reopened; only frames of events in the log have an id.
import type { TurnCancelledEvent } from "../schemas/api/stream-events.ts"
import { EventNames } from "../schemas/log/events.ts"
import type { FeedLine } from "../schemas/log/feed-line.ts"
import type { Frame, View } from "./sdk.ts"

const NOTHING: ReadonlyArray<Frame> = []

/** SSE names of the events that report when a turn starts waiting for its lane, and when it enters the lane. */
const LANE_EVENTS: ReadonlyMap<string, string> = new Map([
  [EventNames.laneWaiting, "lane_waiting"],
  [EventNames.laneEntered, "lane_entered"],
])

/** True for a line that is sent as a separate SSE event, because it is no SDK message. */
export const isSeparateEvent = ({ name }: FeedLine): boolean =>
  name === EventNames.askOpened || name === EventNames.askSettled || name === EventNames.turnCancelled

/** True for the line that ends a turn which never ran. */
export const isCancelled = ({ name }: FeedLine): boolean => name === EventNames.turnCancelled

/** Sent for a turn whose session was erased before its result could be sent. */
export const erasedTurn = (turn: string): Frame => {
  const data: TurnCancelledEvent = { type: "turn_cancelled", turn_id: turn }
  return { id: null, event: "turn_cancelled", data: JSON.stringify(data) }
}

/** Returns a view for one stream; it remembers the ids of the asks that it has shown. */
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
