// The layer between a session and everything outside of it while the session is recorded or played back: it receives each
// request and returns the answer. Invariant: a session that runs live has no such layer.
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { AnswerKind } from "./recording.ts"
import type { RecordingNotFound } from "./recording-not-found.ts"
import type { Json } from "./request-hash.ts"

/** How the answers of one kind of exchange are written into a recording, and read from it. */
export interface AnswerForm<A, E> {
  readonly write: (answer: Result.Result<A, E>) => Json
  readonly read: (response: Json) => Effect.Effect<A, E>
  /** What the session gets when the recording has no answer to its request. */
  readonly missing: (error: RecordingNotFound) => Effect.Effect<A, E>
  /** When asked more often than recorded, the last answer is repeated; for handshakes and lists. */
  readonly repeats?: true
}

/** Executes a request and records its answer; or, in a playback, answers it from the recording without executing it. */
export type Exchange = <A, E>(
  kind: AnswerKind,
  request: Json,
  form: AnswerForm<A, E>,
  ask: Effect.Effect<A, E>,
) => Effect.Effect<A, E>
