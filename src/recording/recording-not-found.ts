// The failure of a playback: the recording does not exist, or has no answer to a request.
import * as Schema from "effect/Schema"

/** `hash` is the hash of the unanswered request, empty when the recording itself is missing. */
export class RecordingNotFound extends Schema.TaggedError<RecordingNotFound>()("RecordingNotFound", {
  recording: Schema.String,
  hash: Schema.String,
  message: Schema.String,
  /** The difference between the request and the nearest recorded one; at most 2 KiB. */
  difference: Schema.optionalKey(Schema.String),
}) {}
