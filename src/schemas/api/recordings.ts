// Recordings as the HTTP API shows them: what a client sends to create or replay one, and the responses.
// Invariant: every text, list and number that a client sends has a bound, and unknown fields are refused by name.
import * as Schema from "effect/Schema"
import { Uuid } from "../ids.ts"
import { Signal } from "../signal.ts"

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const Name = Schema.String.check(Schema.isPattern(NAME, { message: "Expected 1 to 64 letters, digits, _ or -" }))

/** Letters, digits, `_` and `-`, 64 at most. */
export const RecordingId = Name

const Text = (maximum: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(maximum))

export const RecordingName = Text(200)
export const RecordingTag = Text(64)
export const RecordingTags = Schema.Array(RecordingTag).check(Schema.isMaxLength(20))

/** The most bytes of an uploaded recording's document. */
export const MAX_DOCUMENT = 128 * 1024 * 1024
/** The most recordings of a tenant. */
export const MAX_RECORDINGS = 1000
/** The most checkpoints of a recording. */
export const MAX_CHECKPOINTS = 1000

/** `POST /v1/recordings` */
export const CreateRecording = Schema.Struct({
  id: Schema.optionalKey(Name),
  session_id: Schema.optionalKey(Uuid),
  run_id: Schema.optionalKey(Name),
  name: Schema.optionalKey(RecordingName),
  tags: Schema.optionalKey(RecordingTags),
}).annotate({ identifier: "CreateRecording" })
export type CreateRecording = typeof CreateRecording.Type

export const RecordingKind = Schema.Literals(["workflow", "session"]).annotate({ identifier: "RecordingKind" })
export type RecordingKind = typeof RecordingKind.Type

export const RecordingSource = Schema.Struct({
  session_id: Schema.optionalKey(Schema.String),
  run_id: Schema.optionalKey(Schema.String),
  workflow: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "RecordingSource" })

const listed = {
  id: Schema.String,
  type: Schema.Literal("recording"),
  kind: RecordingKind,
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  created_at: Schema.String,
  finalized: Schema.Boolean,
  duration_ms: Schema.Finite,
  signals: Schema.Int,
  answers: Schema.Int,
  bytes: Schema.Int,
  source: RecordingSource,
}

/** A recording in a list. */
export const ListedRecording = Schema.Struct(listed).annotate({ identifier: "ListedRecording" })
export type ListedRecording = typeof ListedRecording.Type

/** A named position in a recording: after its first `index` signals. */
export const Checkpoint = Schema.Struct({
  name: Schema.String,
  index: Schema.Int,
  timestamp: Schema.String,
}).annotate({ identifier: "RecordingPlace" })
export type Checkpoint = typeof Checkpoint.Type

export const RecordingInfo = Schema.Struct({
  ...listed,
  checkpoints: Schema.Array(Checkpoint),
}).annotate({ identifier: "RecordingInfo" })
export type RecordingInfo = typeof RecordingInfo.Type

/** `POST …/checkpoints` */
export const CreateCheckpoint = Schema.Struct({
  name: RecordingName,
  index: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))),
}).annotate({ identifier: "CreateCheckpoint" })
export type CreateCheckpoint = typeof CreateCheckpoint.Type

/** A signal of a recording, with its seq, from 1. */
export const RecordedSignal = Schema.Struct({ seq: Schema.Int, ...Signal.fields }).annotate({
  identifier: "RecordedSignal",
})

export const ErasedRecording = Schema.Struct({
  id: Schema.String,
  deleted: Schema.Literal(true),
  deleted_at: Schema.String,
  signals: Schema.Int,
  answers: Schema.Int,
}).annotate({ identifier: "ErasedRecording" })
export type ErasedRecording = typeof ErasedRecording.Type

/** The first difference between a recording and its replay. */
export const ReplayDifference = Schema.Struct({
  part: Schema.String,
  index: Schema.NullOr(Schema.Int),
  recorded: Schema.NullOr(Schema.String),
  got: Schema.NullOr(Schema.String),
  text: Schema.String,
}).annotate({ identifier: "ReplayDifference" })
export type ReplayDifference = typeof ReplayDifference.Type

export const ReplayReport = Schema.Struct({
  recording_id: Schema.String,
  session_id: Schema.NullOr(Schema.String),
  status: Schema.Literals(["running", "ended"]),
  equal: Schema.NullOr(Schema.Boolean),
  events: Schema.Int,
  difference: Schema.NullOr(ReplayDifference),
  not_found: Schema.NullOr(Schema.String),
  state: Schema.optionalKey(Schema.Json),
}).annotate({ identifier: "ReplayReport" })
export type ReplayReport = typeof ReplayReport.Type
