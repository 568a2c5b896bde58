// Composes the HTTP API: middleware, routes by noun, and what answers when nothing else does.
// Invariant: every answer has a request id, and every failure is an error envelope.
import { Effect } from "effect"
import { Hono, type MiddlewareHandler } from "hono"
import { cors } from "hono/cors"
import { secureHeaders } from "hono/secure-headers"
import { adminRoutes } from "./admin-routes.ts"
import { contract } from "./contract.ts"
import { archiveRoutes } from "./archive-routes.ts"
import { controlRoutes } from "./control-routes.ts"
import { ApiError, errorResponse, unexpected } from "./errors.ts"
import { eventRoutes } from "./event-routes.ts"
import { fileRoutes } from "./file-routes.ts"
import { type App, type AppEnv, handle, isUpgrade, json } from "./handle.ts"
import { hookRoutes } from "./hook-routes.ts"
import { mcpRoutes } from "./mcp-routes.ts"
import { openApiDocument } from "./openapi.ts"
import { allowedOrigin } from "./origin.ts"
import { queryRoutes } from "./query-routes.ts"
import { rateLimitHeaders } from "./rate-limit-headers.ts"
import { reportRoutes } from "./report-routes.ts"
import { localHosts } from "./local-hosts.ts"
import { requestId } from "./request-id.ts"
import { notFromSessions } from "./sessions-own.ts"
import { sessionRoutes } from "./session-routes.ts"
import { socketRoutes } from "./socket-routes.ts"
import { API_POLICY, staticPage } from "./static-pages.ts"

export const makeApp = (): App => {
  const app = new Hono<AppEnv>()

  app.use(requestId)
  app.use(localHosts)
  app.use(notFromSessions)
  app.use(notForSockets(secureHeaders({ crossOriginResourcePolicy: "cross-origin", xFrameOptions: "DENY" })))
  app.use(notForSockets(contentPolicy))
  app.use(notForSockets(rateLimitHeaders))
  app.use(
    notForSockets(
      // Whatever headers a page wants to send it may: none of them gives it a right of its own.
      cors({
        origin: (origin, context) => allowedOrigin(origin, context.env.PERCH_CORS_ORIGINS),
        allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        exposeHeaders: [
          "request-id",
          "perch-session-id",
          "perch-turn-id",
          "etag",
          "content-range",
          "location",
          "preference-applied",
          "retry-after",
          "ratelimit",
          "ratelimit-policy",
        ],
        maxAge: 86_400,
      }),
    ),
  )

  handle(app, contract.healthz, () => Effect.succeed(json(200, { status: "ok" })))
  handle(app, contract.openapi, () => Effect.succeed(json(200, openApiDocument())))
  sessionRoutes(app)
  socketRoutes(app)
  queryRoutes(app)
  eventRoutes(app)
  controlRoutes(app)
  fileRoutes(app)
  archiveRoutes(app)
  reportRoutes(app)
  hookRoutes(app)
  mcpRoutes(app)
  adminRoutes(app)

  app.notFound(async (context) => {
    const page = await staticPage(context)
    if (page !== undefined) return page
    const message = `There is no ${context.req.method} ${context.req.path.slice(0, 200)}`
    return errorResponse(new ApiError({ type: "not_found_error", message }), context.get("requestId"))
  })
  app.onError((cause, context) => {
    const at = { requestId: context.get("requestId"), route: context.req.method }
    return errorResponse(unexpected(cause, at), at.requestId)
  })
  return app
}

/** An answer without a policy of its own loads and runs nothing. */
const contentPolicy: MiddlewareHandler<AppEnv> = async (context, next) => {
  await next()
  if (!context.res.headers.has("content-security-policy")) context.header("content-security-policy", API_POLICY)
}

/** The handshake of a WebSocket comes from the session's object: its answer cannot be copied, so nothing is added to it. */
const notForSockets =
  (middleware: MiddlewareHandler): MiddlewareHandler<AppEnv> =>
  (context, next) =>
    isUpgrade(context.req.raw.headers) ? next() : middleware(context, next)
