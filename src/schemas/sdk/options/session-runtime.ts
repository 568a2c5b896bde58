// Perch's own option `runtime`: what answers a session's requests, and whether the answers are recorded.
import * as Schema from "effect/Schema"

/** The id of the recording that a request plays. */
export const PlayedRecording = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, {
    message: "Expected the id of a recording: 1 to 64 letters, digits, _ or -",
  }),
)

/** `live` is the default. `playback` requires the recording's id; other modes refuse one. */
export const SessionRuntime = Schema.Struct({
  mode: Schema.Literals(["live", "record", "playback"]),
  recording: Schema.optionalKey(
    PlayedRecording.annotate({ description: "The recording that `playback` reads its answers from." }),
  ),
}).annotate({
  identifier: "SessionRuntime",
  description:
    "`live`: nothing is recorded. `record`: the answers of the model, of tools outside of the session, of hooks and of people are recorded. `playback`: all of these answers come from `recording`, and no request is sent.",
})
export type SessionRuntime = typeof SessionRuntime.Type
