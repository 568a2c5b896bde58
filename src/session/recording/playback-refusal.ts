// Receives the option `runtime` of a session that is about to be created; returns the refusal of a playback without recording.
// Invariant: only a recording of the session's own tenant counts.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openRecordingOf } from "../../recording/rpc-reader.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { ObjectContext } from "../object-context.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** Undefined unless it plays back a missing recording: every turn of such a session would end with `recording_not_found`. */
export const playbackRefusal = async (
  { env, tenant }: Pick<ObjectContext, "env" | "tenant">,
  { runtime }: SessionOptions,
): Promise<Refusal | undefined> => {
  const id = runtime?.recording
  if (id === undefined) return undefined
  const opened = await Effect.runPromise(Effect.result(openRecordingOf(env.RECORDINGS, tenant)(id)))
  const field = "options.runtime.recording"
  return Result.isSuccess(opened)
    ? undefined
    : refuse("invalid_request_error", `${field}: there is no recording ${id}. GET /v1/recordings lists them.`, field)
}
