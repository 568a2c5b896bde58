// The WebSocket of the control protocol: authenticates the client, then returns the socket of the session's own object.
// Invariant: the Worker relays between the two only for a client that authenticates in its first line.
import * as Effect from "effect/Effect"
import { admit } from "../auth/admission.ts"
import { actorOf, type Principal } from "../auth/auth.ts"
import { contract } from "../contract/contract.ts"
import { ApiError } from "../errors/errors.ts"
import { socketOf } from "../socket/feed-socket.ts"
import { FirstLine } from "../socket/first-line.ts"
import { type App, type Caller, handle, isUpgrade } from "../handle.ts"
import { allowedOrigin } from "../auth/origin.ts"
import { callSession, sessionsOf } from "../sessions/session-call.ts"

export const socketRoutes = (app: App): void => {
  handle(
    app,
    contract.openSocket,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      yield* mayUpgrade(caller)
      const { ticket: _, ...asked } = query
      const texts = Object.entries({ client: crypto.randomUUID(), framing: "plain", after: "head", ...asked })
      const wanted = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]))
      const open = (principal: Principal) =>
        callSession(sessionsOf(caller.env, principal.tenant), params.id, (stub) =>
          socketOf(stub, wanted, actorOf(principal)),
        )
      if (caller.principal !== null) return yield* open(caller.principal)
      const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket] // a pair has two
      const { requestId, route, signIn } = caller
      const admitted = (principal: Principal) => Effect.andThen(admit(principal, signIn), open(principal))
      new FirstLine({ socket: server, signIn, session: params.id, open: admitted, at: { requestId, route } }).listen()
      return new Response(null, { status: 101, webSocket: client })
    }),
  )
}

const mayUpgrade = Effect.fnUntraced(function* ({ env, request }: Caller) {
  if (!isUpgrade(request.headers)) {
    const message = "This path is for WebSockets: send `Upgrade: websocket`"
    return yield* new ApiError({ type: "upgrade_required_error", message })
  }
  // CORS does not apply to WebSockets: browsers only send the origin of the page, so it is checked here.
  const origin = request.headers.get("origin")
  if (origin !== null && allowedOrigin(origin, env.PERCH_CORS_ORIGINS) === null) {
    return yield* new ApiError({
      type: "permission_error",
      message: "PERCH_CORS_ORIGINS does not list the origin of this page.",
    })
  }
})
