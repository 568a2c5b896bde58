// The shape of a recording, and the port by which a playback reads it.
// Invariant: a recording is self-contained: its signals and answers play back a run or a session without a request.
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { RecordingId } from "../schemas/api/recordings.ts"
import { Signal } from "../schemas/signal.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A recording as a list shows it. */
export const RecordingMetadata = Schema.Struct({
  id: RecordingId,
  kind: Schema.Literals(["workflow", "session"]),
  name: Schema.String,
  tags: Schema.Array(Schema.String),
  /** ISO 8601. */
  createdAt: Schema.String,
  signalCount: Count,
  /** False when the source failed or was still running at the time. */
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

/** A named position in a recording: after its first `index` signals. */
export const RecordingCheckpoint = Schema.Struct({
  name: Schema.String,
  index: Count,
  timestamp: Schema.String,
  /** The state of the run at this position. */
  state: Schema.optionalKey(Schema.Json),
}).annotate({ identifier: "RecordingCheckpoint" })
export type RecordingCheckpoint = typeof RecordingCheckpoint.Type

/** The source of a recorded answer. */
export const AnswerKind = Schema.Literals(["model", "tool", "hook", "ask", "agent"])
export type AnswerKind = typeof AnswerKind.Type

/** An answer from outside, with the request by which it is found. */
export const RecordedAnswer = Schema.Struct({
  kind: AnswerKind,
  /** SHA-256 of the normalised request, in hexadecimal. */
  hash: Schema.String,
  /** The n-th answer to equal requests, from 0. */
  ordinal: Count,
  /** The normalised request that was hashed; long pieces are `{"$chunk": sha256}`. */
  request: Schema.Json,
  response: Schema.Json,
}).annotate({ identifier: "RecordedAnswer" })
export type RecordedAnswer = typeof RecordedAnswer.Type

/** The key by which an answer is found in its recording. */
export const answerKey = ({
  kind,
  hash,
  ordinal,
}: {
  readonly kind: string
  readonly hash: string
  readonly ordinal: number
}): string => `${kind} ${hash} ${ordinal}`

/** A whole recording: signals, answers and checkpoints. */
export const Recording = Schema.Struct({
  metadata: RecordingMetadata,
  signals: Schema.Array(Signal),
  checkpoints: Schema.Array(RecordingCheckpoint),
  answers: Schema.Array(RecordedAnswer),
  /** The long pieces of requests and responses, by their SHA-256. */
  chunks: Schema.Record(Schema.String, Schema.Json),
}).annotate({ identifier: "Recording" })
export type Recording = typeof Recording.Type

/** How a playback reads a recording. */
export interface RecordingReader {
  find(kind: AnswerKind, hash: string, ordinal: number): Effect.Effect<RecordedAnswer | null>
  /** The answer whose request is most similar to this one, to show the difference; null when there is none. */
  nearest(kind: AnswerKind, request: Schema.Json): Effect.Effect<RecordedAnswer | null>
}
