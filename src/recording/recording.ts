// What a recording holds, and what a playback reads of it.
// Invariant: a recording is whole in itself: with its signals and answers a run or a session is played back without a request.
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Signal } from "../schemas/signal.ts"

/** Letters, digits, `_` and `-`, 64 at most. */
export const RecordingId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/, { message: "Expected 1 to 64 letters, digits, _ or -" }),
).annotate({ identifier: "RecordingId" })

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a list of recordings shows of one. */
export const RecordingMetadata = Schema.Struct({
  id: RecordingId,
  kind: Schema.Literals(["workflow", "session"]),
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  /** ISO 8601. */
  createdAt: Schema.String,
  signalCount: Count,
  /** False for what was recorded of a run that failed or goes on. */
  finalized: Schema.Boolean,
  durationMs: Schema.Finite,
  source: Schema.optionalKey(
    Schema.Struct({
      session_id: Schema.optionalKey(Schema.String),
      run_id: Schema.optionalKey(Schema.String),
      workflow: Schema.optionalKey(Schema.String),
    }),
  ),
  version: Schema.Literal(1),
}).annotate({ identifier: "RecordingMetadata" })
export type RecordingMetadata = typeof RecordingMetadata.Type

/** A named place in a recording: behind its first `index` signals. */
export const RecordingCheckpoint = Schema.Struct({
  name: Schema.String,
  index: Count,
  timestamp: Schema.String,
  /** The state of the run there. */
  state: Schema.optionalKey(Schema.Json),
}).annotate({ identifier: "RecordingCheckpoint" })
export type RecordingCheckpoint = typeof RecordingCheckpoint.Type

/** Who gave a recorded answer. */
export const AnswerKind = Schema.Literals(["model", "tool", "hook", "ask", "agent"])
export type AnswerKind = typeof AnswerKind.Type

/** An answer from outside, and the request that it is found by. */
export const RecordedAnswer = Schema.Struct({
  kind: AnswerKind,
  /** Of the normalised request, in hexadecimal. */
  hash: Schema.String,
  /** The n-th answer to equal requests, from 0. */
  ordinal: Count,
  /** What was hashed; long pieces as `{"$chunk": sha256}`. */
  request: Schema.Json,
  response: Schema.Json,
}).annotate({ identifier: "RecordedAnswer" })
export type RecordedAnswer = typeof RecordedAnswer.Type

/** A whole recording: signals, answers and checkpoints. */
export const Recording = Schema.Struct({
  metadata: RecordingMetadata,
  signals: Schema.Array(Signal),
  checkpoints: Schema.Array(RecordingCheckpoint),
  answers: Schema.Array(RecordedAnswer),
  /** Long pieces of requests and responses by their SHA-256. */
  chunks: Schema.Record(Schema.String, Schema.Json),
}).annotate({ identifier: "Recording" })
export type Recording = typeof Recording.Type

/** What a playback reads of a recording. */
export interface RecordingReader {
  find(kind: AnswerKind, hash: string, ordinal: number): Effect.Effect<RecordedAnswer | null>
  /** The recorded request that is most like this one: what a difference is shown against. */
  nearest(kind: AnswerKind, request: Schema.Json): Effect.Effect<RecordedAnswer | null>
}
