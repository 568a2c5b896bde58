// Receives a line of a client's feed; returns the SSE frames that the official browser SDK reads (`format=client`).
// What that SDK (0.3.330) was seen to do, and what this view makes of it:
//  - It drops nothing for its number: a `client_event` whose number is equal, lower or missing is taken like any other, so
//    each durable message is sent once. Its cursor is the highest `id:` (or `sequence_num`) that it has read; that is what
//    it sends as Last-Event-ID. Here the number is the seq, and only a message that is in the log has one.
//  - A `client_event` without a number leaves the cursor alone. Control frames travel so: live, never replayed, and no
//    durable message is skipped for them. So do the ephemeral messages that it refuses as `ephemeral_event`.
//  - A control request whose id is being handled is left out; after its answer was sent, or it was cancelled, the same id
//    is handled again, and a cancelled handler still answers. A control response with no pending request is left out.
// Invariant: `source` is always "worker", or the client drops the frame; messages of clients are not sent back to them.
import type { FeedLine } from "../schemas/log/feed-line.ts"
import { fromStoredText } from "../schemas/log/media-mark.ts"
import type { Frame, View } from "./sdk.ts"

/** What the client lets through as `ephemeral_event`. */
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
  // The stream's own heartbeat is enough.
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
