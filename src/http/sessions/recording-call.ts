// Calls a method of a recording's Durable Object; returns its value, or its error as an `ApiError`.
// Invariant: the object's name starts with the caller's own tenant, so that no id reaches another tenant's recording.
import type * as Effect from "effect/Effect"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { RecordingStub } from "../../schemas/rpc/recording-rpc.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { callObject } from "../object-call.ts"

/** A new stub: one whose call has failed can't be used again. */
export const recordingOf = ({ env, tenant }: Pick<Caller, "env" | "tenant">, id: string): RecordingStub =>
  env.RECORDINGS.getByName(`${tenant}/${id}`)

export const callRecording = <A>(
  caller: Pick<Caller, "env" | "tenant">,
  id: string,
  call: (recording: RecordingStub) => Promise<RpcResult<A>>,
): Effect.Effect<A, ApiError> => callObject("recording", () => call(recordingOf(caller, id)))
