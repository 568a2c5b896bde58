// Receives a request; refuses it when its `Host` is not one of the local server's own names.
// Invariant: a page whose host name was made to resolve to this machine (DNS rebinding) gets a 403. Only `npm start` sets
// PERCH_LOCAL_HOSTS; a deployment answers to every name that is routed to it.
import type { MiddlewareHandler } from "hono"
import { ApiError, errorResponse } from "../errors/errors.ts"
import type { AppEnv } from "../handle.ts"

/** The host in a `Host` header, without its port; undefined when there is none. workerd does not validate the header. */
export const hostName = (header: string | undefined): string | undefined =>
  /^(\[[\da-f:.]+\]|[^:[\]/@\s]+?)\.?(?::\d{1,5})?$/i.exec(header ?? "")?.[1]?.toLowerCase()

/**
 * Whether a `Host` header is allowed. `allowed` is a comma-separated list of hosts without ports, IPv6 in brackets; `<ip>`
 * matches any IP address, since DNS rebinding needs a name.
 */
export const mayName = (header: string | undefined, allowed: string): boolean => {
  const host = hostName(header)
  if (host === undefined) return false
  return allowed
    .split(",")
    .some((name) => name === host || (name === "<ip>" && /^(\[.*\]|\d{1,3}(\.\d{1,3}){3})$/.test(host)))
}

export const localHosts: MiddlewareHandler<AppEnv> = async (context, next) => {
  const allowed = context.env.PERCH_LOCAL_HOSTS
  if (allowed === undefined || mayName(context.req.header("host"), allowed)) return next()
  const message = "This local server does not accept requests for that host. `npm start -- --host NAME` adds a name."
  return errorResponse(new ApiError({ type: "permission_error", message }), context.get("requestId"))
}
