// The progress of a session's work, as the app that leads it writes it and routed runs read it.
import * as Schema from "effect/Schema"

/** Bytes of UTF-8. */
export const MAX_PROGRESS = 65_536

const encoder = new TextEncoder()

/** `PUT /v1/sessions/{id}/progress` */
export const PutProgress = Schema.Struct({
  text: Schema.String.check(
    Schema.makeFilter((text) => encoder.encode(text).byteLength <= MAX_PROGRESS || "Expected at most 64 KiB"),
  ),
}).annotate({ identifier: "PutProgress" })

/** Empty, with null, as long as none was written. */
export const Progress = Schema.Struct({
  text: Schema.String,
  updated_at: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Progress" })
export type Progress = typeof Progress.Type
