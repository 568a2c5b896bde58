// Gives every request an id: in the `request-id` header, in error bodies and in the log.
import type { MiddlewareHandler } from "hono"
import type { AppEnv } from "./handle.ts"

export const requestId: MiddlewareHandler<AppEnv> = async (context, next) => {
  const id = `req_${crypto.randomUUID().replaceAll("-", "")}`
  const startedAt = Date.now()
  context.set("requestId", id)
  await next()
  // The handshake of a WebSocket cannot be copied, and so takes no header.
  if (context.res.status !== 101) context.header("request-id", id)
  if (context.env.PERCH_LOG !== "requests" && context.env.PERCH_LOG !== "debug") return
  const { method, path } = context.req
  const line = { level: "info", request_id: id, method, path, status: context.res.status, ms: Date.now() - startedAt }
  console.log(JSON.stringify(line))
}
