// Receives a request of `/mcp`, or its failure; returns its value, or the message for its client.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Offered } from "../../mcp/endpoint-resources.ts"
import { ApiError, unexpected } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** The message of an error; for a defect, which is logged, only that it happened. */
export const errorOf = (cause: Cause.Cause<ApiError>, caller: Caller): string => apiError(cause, caller).message

/** Runs the effect; returns its value, or the message of its error and whether the requested item does not exist. */
export const offered = async <A>(caller: Caller, effect: Effect.Effect<A, ApiError>): Offered<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const { message, type } = apiError(exit.cause, caller)
  return { error: message, missing: type === "not_found_error" }
}

const apiError = (cause: Cause.Cause<ApiError>, { requestId, route }: Caller): ApiError => {
  const error = Cause.squash(cause)
  return error instanceof ApiError ? error : unexpected(error, { requestId, route })
}
