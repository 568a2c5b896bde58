// Frames that are not SDK messages: keep-alives, a session's goal, a transcript's copy.
// Invariant: a client that does not know them may ignore them without missing any of the conversation.
import * as Schema from "effect/Schema"
import { stamped } from "./message-values.ts"
import { open } from "../open.ts"

/** Keeps the connection alive. Both sides send it; it gets no answer. */
export const SDKKeepAliveMessage = open({ type: Schema.Literal("keep_alive") })
export type SDKKeepAliveMessage = typeof SDKKeepAliveMessage.Type

/** The session's goal, or null when there is none any more. `set_at` is in milliseconds since 1970. */
export const SDKActiveGoalMessage = open({
  type: Schema.Literal("active_goal"),
  value: Schema.NullOr(
    open({
      condition: Schema.String,
      iterations: Schema.Finite,
      set_at: Schema.Finite,
      tokens_at_start: Schema.Finite,
      last_reason: Schema.optionalKey(Schema.String),
    }),
  ),
  ...stamped,
})
export type SDKActiveGoalMessage = typeof SDKActiveGoalMessage.Type

/** Lines of the transcript for a client that keeps its own copy. The official client accepts it; its types leave it out. */
export const TranscriptMirrorFrame = open({
  type: Schema.Literal("transcript_mirror"),
  filePath: Schema.String,
  entries: Schema.Array(Schema.Unknown),
})
export type TranscriptMirrorFrame = typeof TranscriptMirrorFrame.Type
