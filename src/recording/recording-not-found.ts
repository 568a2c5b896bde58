// The failure of a playback: the recording, or the answer in it that was asked for, does not exist.
import * as Schema from "effect/Schema"

/** `hash` is that of the request without an answer, empty when the recording itself is missing. */
export class RecordingNotFound extends Schema.TaggedError<RecordingNotFound>()("RecordingNotFound", {
  recording: Schema.String,
  hash: Schema.String,
  message: Schema.String,
  /** What the request asks otherwise than the nearest one that was recorded; at most 2 KiB. */
  difference: Schema.optionalKey(Schema.String),
}) {}
