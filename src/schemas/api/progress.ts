// The progress of a session's work: the app that coordinates it writes it, routed runs read it.
import * as Schema from "effect/Schema"

/** The most bytes of UTF-8 of a progress text. */
export const MAX_PROGRESS = 65_536

const encoder = new TextEncoder()

/** `PUT /v1/sessions/{id}/progress` */
export const PutProgress = Schema.Struct({
  text: Schema.String.check(
    Schema.makeFilter((text) => encoder.encode(text).byteLength <= MAX_PROGRESS || "Expected at most 64 KiB"),
  ),
}).annotate({ identifier: "PutProgress" })

/** The progress; an empty text and null until it is first written. */
export const Progress = Schema.Struct({
  text: Schema.String,
  updated_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Progress" })
export type Progress = typeof Progress.Type
