// Adds the number of requests that the key has left in this minute to a response, in the IETF's RateLimit header fields.
// Invariant: the headers need no further call, and responses to requests without a key do not have them.
import type { MiddlewareHandler } from "hono"
import { WINDOW_MS } from "../../schemas/limits.ts"
import type { AppEnv } from "../handle.ts"

export const rateLimitHeaders: MiddlewareHandler<AppEnv> = async (context, next) => {
  await next()
  const permit = context.get("permit")
  if (permit === undefined) return
  // A middleware runs outside Effect, so it has no Clock; the time is only reported.
  const seconds = Math.max(0, Math.ceil((permit.until - Date.now()) / 1000))
  context.header("ratelimit-policy", `"requests";q=${permit.limit};w=${WINDOW_MS / 1000}`)
  context.header("ratelimit", `"requests";r=${Math.max(0, permit.left)};t=${seconds}`)
}
