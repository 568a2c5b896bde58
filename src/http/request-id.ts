// Assigns every request an id (in the `request-id` header, in error bodies and in the log) and counts it by route.
import type { MiddlewareHandler } from "hono"
import { writeRequest } from "../observe/data-points.ts"
import { countRequest } from "../observe/request-counters.ts"
import type { AppEnv } from "./handle.ts"

export const requestId: MiddlewareHandler<AppEnv> = async (context, next) => {
  const id = `req_${crypto.randomUUID().replaceAll("-", "")}`
  // A middleware runs outside Effect, so it has no Clock; the time is only reported.
  const startedAt = Date.now()
  context.set("requestId", id)
  await next()
  // The response of a WebSocket handshake can't be copied, so no header can be added.
  if (context.res.status !== 101) context.header("request-id", id)
  const ms = Date.now() - startedAt
  const { status } = context.res
  const route = context.get("route") ?? "other"
  countRequest(context.req.method, route, status, ms)
  const tenant = context.get("tenant") ?? ""
  writeRequest(context.env.METRICS, { tenant, method: context.req.method, route, status, duration_ms: ms })
  if (context.env.PERCH_LOG !== "requests" && context.env.PERCH_LOG !== "debug") return
  const { method, path } = context.req
  const line = { level: "info", request_id: id, method, path, status, ms }
  console.log(JSON.stringify(line))
}
