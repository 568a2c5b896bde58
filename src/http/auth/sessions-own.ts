// Receives a request; refuses it when a session of a Perch server sent it.
// Invariant: a model can't call this server by fetching from it in its session, under any of the server's names.
import type { MiddlewareHandler } from "hono"
import { FETCH_MARK } from "../../net/guarded-fetch.ts"
import { ApiError, errorResponse } from "../errors/errors.ts"
import type { AppEnv } from "../handle.ts"

export const notFromSessions: MiddlewareHandler<AppEnv> = async (context, next) => {
  if (context.req.header(FETCH_MARK) === undefined) return next()
  const message = "this request comes from a session, and sessions can't call the server that they run on"
  return errorResponse(new ApiError({ type: "permission_error", message }), context.get("requestId"))
}
