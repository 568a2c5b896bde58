// Composes the HTTP API: middleware, routes by noun, and what answers when nothing else does.
// Invariant: every answer has a request id, and every failure is an error envelope.
import { Effect } from "effect"
import { Hono } from "hono"
import { cors } from "hono/cors"
import { secureHeaders } from "hono/secure-headers"
import { adminRoutes } from "./admin-routes.ts"
import { contract } from "./contract.ts"
import { controlRoutes } from "./control-routes.ts"
import { ApiError, errorResponse, unexpected } from "./errors.ts"
import { eventRoutes } from "./event-routes.ts"
import { fileRoutes } from "./file-routes.ts"
import { type App, type AppEnv, handle, json } from "./handle.ts"
import { mcpRoutes } from "./mcp-routes.ts"
import { openApiDocument } from "./openapi.ts"
import { queryRoutes } from "./query-routes.ts"
import { reportRoutes } from "./report-routes.ts"
import { requestId } from "./request-id.ts"
import { sessionRoutes } from "./session-routes.ts"

export const makeApp = (): App => {
  const app = new Hono<AppEnv>()

  app.use(requestId)
  app.use(secureHeaders({ crossOriginResourcePolicy: "cross-origin", xFrameOptions: "DENY" }))
  app.use(
    cors({
      origin: (origin, context) => allowedOrigin(origin, context.env.PERCH_CORS_ORIGINS),
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposeHeaders: ["request-id", "perch-session-id", "perch-turn-id", "etag", "location", "preference-applied"],
      maxAge: 86_400,
    }),
  )

  handle(app, contract.healthz, () => Effect.succeed(json(200, { status: "ok" })))
  handle(app, contract.openapi, () => Effect.succeed(json(200, openApiDocument())))
  sessionRoutes(app)
  queryRoutes(app)
  eventRoutes(app)
  controlRoutes(app)
  fileRoutes(app)
  reportRoutes(app)
  mcpRoutes(app)
  adminRoutes(app)

  app.notFound((context) => {
    const message = `There is no ${context.req.method} ${context.req.path.slice(0, 200)}`
    return errorResponse(new ApiError({ type: "not_found_error", message }), context.get("requestId"))
  })
  app.onError((cause, context) => {
    const at = { requestId: context.get("requestId"), route: context.req.method }
    return errorResponse(unexpected(cause, at), at.requestId)
  })
  return app
}

/** What `access-control-allow-origin` says: everybody, unless the setting lists who. */
const allowedOrigin = (origin: string, setting: string | undefined): string | null => {
  if (setting === undefined || setting.trim() === "") return "*"
  return setting.split(",").some((allowed) => allowed.trim() === origin) ? origin : null
}
