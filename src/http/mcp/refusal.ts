// Why a request of `/mcp` can't be carried out, as its client reads it.
import * as Cause from "effect/Cause"
import { ApiError, unexpected } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"

/** What a refusal says; of the unexpected, which is logged, no more than that it happened. */
export const errorOf = (cause: Cause.Cause<ApiError>, { requestId, route }: Caller): string =>
  apiError(cause, { requestId, route }).message

/** The same, for what may be missing. */
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
