// The routes of a session itself: open, fork, list, read, change, erase, and tickets for it.
import { Clock, Effect } from "effect"
import type { PatchSession } from "../schemas/api.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import { listSessions } from "../store/sessions.ts"
import { rootKey } from "./auth.ts"
import { contract } from "./contract.ts"
import { fromStore, invalidRequest } from "./errors.ts"
import { type App, handle, json } from "./handle.ts"
import { forkSession, openSession } from "./session-opening.ts"
import { callOnce, callSession } from "./session-call.ts"
import { signTicket } from "./ticket.ts"

const DEFAULT_TICKET_SECONDS = 3600

export const sessionRoutes = (app: App): void => {
  handle(
    app,
    contract.createSession,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { session, created } = yield* openSession(body, caller)
      return json(created ? 201 : 200, session, { location: `/v1/sessions/${session.id}` })
    }),
  )

  handle(
    app,
    contract.forkSession,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const { session, created } = yield* forkSession(params.id, body, caller)
      return json(created ? 201 : 200, session, { location: `/v1/sessions/${session.id}` })
    }),
  )

  handle(
    app,
    contract.listSessions,
    Effect.fnUntraced(function* ({ query }, { env, tenant }) {
      return json(200, yield* fromStore(listSessions(env.DB, tenant, { ...query, limit: query.limit ?? 20 })))
    }),
  )

  handle(
    app,
    contract.getSession,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(
        200,
        yield* callSession(
          () => session(params.id),
          (stub) => stub.info(),
        ),
      )
    }),
  )

  handle(
    app,
    contract.patchSession,
    Effect.fnUntraced(function* ({ params, body }, { session }) {
      const options = yield* patchedOptions(body)
      const change = {
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
        ...(options === undefined ? {} : { options }),
      }
      return json(
        200,
        yield* callSession(
          () => session(params.id),
          (stub) => stub.patch(change),
        ),
      )
    }),
  )

  handle(
    app,
    contract.deleteSession,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, yield* callOnce(session(params.id), (stub) => stub.erase()))
    }),
  )

  handle(
    app,
    contract.createTicket,
    Effect.fnUntraced(function* ({ params, body }, { env, tenant, session }) {
      const root = yield* rootKey(env)
      yield* callSession(
        () => session(params.id),
        (stub) => stub.info(),
      )
      const now = yield* Clock.currentTimeMillis
      const expires = Math.floor(now / 1000) + (body.ttl_seconds ?? DEFAULT_TICKET_SECONDS)
      const claims = { tenant, session: params.id, scopes: body.scopes ?? ["stream" as const], expires }
      const ticket = yield* Effect.promise(() => signTicket(root, claims))
      return json(201, { ticket, expires_at: new Date(expires * 1000).toISOString() })
    }),
  )
}

const patchedOptions = Effect.fnUntraced(function* (body: PatchSession) {
  for (const name of ["model", "permissionMode"] as const) {
    if (body[name] !== undefined && body.options?.[name] !== undefined) {
      return yield* invalidRequest(`${name}: is given twice, here and in options`, name)
    }
  }
  const short: SessionOptions = {
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(body.permissionMode === undefined ? {} : { permissionMode: body.permissionMode }),
  }
  const options: SessionOptions = { ...body.options, ...short }
  return Object.keys(options).length === 0 ? undefined : options
})
