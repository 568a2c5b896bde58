// Composes the HTTP API: middleware, routes by noun, and the answers to all other requests.
// Invariant: every answer has a request id, and every failure is an error envelope.
import * as Effect from "effect/Effect"
import { Hono, type MiddlewareHandler } from "hono"
import { cors } from "hono/cors"
import { secureHeaders } from "hono/secure-headers"
import { rebuildRoutes } from "./routes/rebuild-routes.ts"
import { observeRoutes } from "./routes/observe-routes.ts"
import { adminRoutes } from "./routes/admin-routes.ts"
import { contract } from "./contract/contract.ts"
import { agentRoutes, routerRoutes } from "./routes/definitions/agent-routes.ts"
import { signInRoutes } from "./routes/clients/sign-in-routes.ts"
import { agUiRoutes } from "./routes/clients/ag-ui-routes.ts"
import { opencodeRoutes } from "./routes/clients/opencode-routes.ts"
import { configRoutes } from "./routes/definitions/config-routes.ts"
import { commandRoutes } from "./routes/definitions/command-routes.ts"
import { mcpServerRoutes } from "./routes/definitions/mcp-server-routes.ts"
import { backupRoutes } from "./routes/backup-routes.ts"
import { archiveRoutes } from "./routes/archive-routes.ts"
import { permissionRoutes } from "./routes/definitions/permission-routes.ts"
import { controlRoutes } from "./routes/control-routes.ts"
import { errorResponse, unexpected } from "./errors/errors.ts"
import { unknownRoute } from "./errors/unknown-route.ts"
import { eventRoutes } from "./routes/event-routes.ts"
import { fileRoutes } from "./routes/file-routes.ts"
import { type App, type AppEnv, type Caller, handle, isUpgrade } from "./handle.ts"
import { hookRoutes } from "./routes/hook-routes.ts"
import { webhookRoutes } from "./routes/webhook-routes.ts"
import { runRoutes } from "./runs/run-routes.ts"
import { workflowRoutes } from "./routes/workflow-routes.ts"
import { mcpRoutes } from "./routes/mcp-routes.ts"
import { allowedOrigin } from "./auth/origin.ts"
import { oauthRoutes } from "./mcp/oauth-routes.ts"
import { queryRoutes } from "./routes/query-routes.ts"
import { recordingRoutes } from "./routes/recording-routes.ts"
import { replayRoutes } from "./routes/replay-routes.ts"
import { rateLimitHeaders } from "./auth/rate-limit-headers.ts"
import { reportRoutes } from "./routes/report-routes.ts"
import { localHosts } from "./auth/local-hosts.ts"
import { requestId } from "./request-id.ts"
import { notFromSessions } from "./auth/sessions-own.ts"
import { sessionRoutes } from "./routes/session-routes.ts"
import { socketRoutes } from "./routes/socket-routes.ts"
import { API_POLICY, staticPage } from "./static-pages.ts"
import { turnRoutes } from "./routes/turn-routes.ts"

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
      // Pages may send any header, since no header but a key grants anything.
      cors({
        origin: (origin, context) => allowedOrigin(origin, context.env.PERCH_CORS_ORIGINS),
        allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        exposeHeaders: [
          "request-id",
          "perch-session-id",
          "perch-turn-id",
          "mcp-session-id",
          "etag",
          "content-range",
          "accept-ranges",
          "content-disposition",
          "perch-files-at",
          "www-authenticate",
          "location",
          "allow",
          "preference-applied",
          "idempotent-replayed",
          "retry-after",
          "ratelimit",
          "ratelimit-policy",
        ],
        maxAge: 86_400,
      }),
    ),
  )

  handle(app, contract.openapi, apiDocument)
  sessionRoutes(app)
  socketRoutes(app)
  queryRoutes(app)
  turnRoutes(app)
  eventRoutes(app)
  recordingRoutes(app)
  replayRoutes(app)
  controlRoutes(app)
  fileRoutes(app)
  archiveRoutes(app)
  reportRoutes(app)
  agentRoutes(app)
  permissionRoutes(app)
  commandRoutes(app)
  routerRoutes(app)
  mcpServerRoutes(app)
  configRoutes(app)
  opencodeRoutes(app)
  agUiRoutes(app)
  hookRoutes(app)
  webhookRoutes(app)
  runRoutes(app)
  workflowRoutes(app)
  mcpRoutes(app)
  oauthRoutes(app)
  adminRoutes(app)
  signInRoutes(app)
  rebuildRoutes(app)
  observeRoutes(app)
  backupRoutes(app)

  app.notFound(async (context) => {
    const page = await staticPage(context)
    if (page !== undefined) return page
    const { method, path } = context.req
    return unknownRoute(method, path, context.get("requestId"))
  })
  app.onError((cause, context) => {
    const at = { requestId: context.get("requestId"), route: context.req.method }
    return errorResponse(unexpected(cause, at), at.requestId)
  })
  return app
}

const OPENAPI_HEADERS = { "content-type": "application/json", "cache-control": "public, max-age=300" }

/** Serves `public/openapi.json`, which `scripts/openapi/document.mjs` generates from the route table. */
const apiDocument = (_: unknown, { env, request }: Caller) =>
  Effect.promise(async () => {
    const { body } = await env.ASSETS.fetch(new Request(new URL("/openapi.json", request.url)))
    return new Response(body, { headers: OPENAPI_HEADERS })
  })

/** Sets the policy that loads and runs nothing on every response without a policy of its own. */
const contentPolicy: MiddlewareHandler<AppEnv> = async (context, next) => {
  await next()
  if (!context.res.headers.has("content-security-policy")) context.header("content-security-policy", API_POLICY)
}

/** Skips a middleware for WebSocket handshakes: their response comes from the session's object and can't be copied or changed. */
const notForSockets =
  (middleware: MiddlewareHandler): MiddlewareHandler<AppEnv> =>
  (context, next) =>
    isUpgrade(context.req.raw.headers) ? next() : middleware(context, next)
