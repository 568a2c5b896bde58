// Receives the failure of a request of `/mcp`; returns the message for its client.
import * as Cause from "effect/Cause"
import { ApiError, unexpected } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** The message of an error; for a defect, which is logged, only that it happened. */
export const errorOf = (cause: Cause.Cause<ApiError>, { requestId, route }: Caller): string =>
  apiError(cause, { requestId, route }).message

/** The same, and whether the requested item does not exist. */
export const refusalOf = (cause: Cause.Cause<ApiError>, caller: Caller) => {
  const { message, type } = apiError(cause, caller)
  return { error: message, missing: type === "not_found_error" }
}

const apiError = (
  cause: Cause.Cause<ApiError>,
  { requestId, route }: Pick<Caller, "requestId" | "route">,
): ApiError => {
  const error = Cause.squash(cause)
  return error instanceof ApiError ? error : unexpected(error, { requestId, route })
}
