// Receives a line of a client's feed; returns the SSE frames that the official browser SDK reads (`format=client`).
// Observed behaviour of that SDK (0.3.330), and how this view uses it:
//  - It never drops a frame because of its number: it accepts a `client_event` whose number is equal, lower or missing, so
//    each durable message is sent once. Its cursor is the highest `id:` (or `sequence_num`) that it has read, which it sends
//    as Last-Event-ID. Here the number is the seq, and only a message that is in the log has one.
//  - A `client_event` without a number does not move the cursor. Control frames are sent that way: live, never replayed, and
//    without skipping a durable message. So are the ephemeral messages that it rejects as `ephemeral_event`.
//  - It ignores a control request whose id it is already handling; after the answer was sent, or the request was cancelled, it
//    handles the same id again, and a cancelled handler still answers. It ignores a control response with no pending request.
// Invariant: `source` is always "worker", otherwise the client drops the frame; messages of clients are not sent back to them.
import type { FeedLine } from "../schemas/log/feed-line.ts"
import { fromStoredText } from "../schemas/log/media-mark.ts"
import type { Frame, View } from "./sdk.ts"

/** Names of the events that the client accepts as `ephemeral_event`. */
const EPHEMERAL: ReadonlySet<string> = new Set([
  "sdk:stream_event",
  "sdk:sources_changed",
  "sdk:system/thinking_tokens",
  "sdk:system/commands_changed",
  "sdk:system/post_turn_summary",
  "sdk:system/task_summary",
])

const NOTHING: ReadonlyArray<Frame> = []

export const clientView: View = (line) => {
  if (line.name === "control:frame") return [live("client_event", line)]
  // A `keep_alive` is not sent: the stream has its own heartbeat.
  if (!line.name.startsWith("sdk:") || line.name === "sdk:keep_alive") return NOTHING
  if (line.seq !== null) return [durable(line.seq, line)]
  return [live(EPHEMERAL.has(line.name) ? "ephemeral_event" : "client_event", line)]
}

const live = (event: string, { json }: FeedLine): Frame => ({
  id: null,
  event,
  data: `{"source":"worker","payload":${json}}`,
})

const durable = (seq: number, { at, json }: FeedLine): Frame => {
  const { uuid } = JSON.parse(fromStoredText(json)) as { readonly uuid?: unknown } // a message of the log is an object
  const envelope = JSON.stringify({
    event_id: typeof uuid === "string" ? uuid : String(seq),
    sequence_num: seq,
    source: "worker",
    created_at: new Date(at).toISOString(),
  })
  return { id: seq, event: "client_event", data: `${envelope.slice(0, -1)},"payload":${json}}` }
}
