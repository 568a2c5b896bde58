// What is between a session and everything outside of it when it is recorded or played back: each exchange goes through here.
// Invariant: a session that runs live has none of it.
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { AnswerKind } from "./recording.ts"
import type { RecordingNotFound } from "./recording-not-found.ts"
import type { Json } from "./request-hash.ts"

/** How the answers of one kind of exchange are written into a recording, and read from it. */
export interface AnswerForm<A, E> {
  readonly write: (answer: Result.Result<A, E>) => Json
  readonly read: (response: Json) => Effect.Effect<A, E>
  /** What the session gets of an exchange that the recording does not have. */
  readonly missing: (error: RecordingNotFound) => Effect.Effect<A, E>
  /** Asking more often than it was recorded gets the last answer: a handshake, a list. */
  readonly repeats?: true
}

/** Carries a request out, and records its answer; or answers it from the recording, and carries nothing out. */
export type Exchange = <A, E>(
  kind: AnswerKind,
  request: Json,
  form: AnswerForm<A, E>,
  ask: Effect.Effect<A, E>,
) => Effect.Effect<A, E>
