// The routes of sessions themselves: open, fork, list, read, change, erase, and tickets for them.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { SCOPE_OF_ROLE, type TicketRole } from "../../schemas/access.ts"
import type { PatchSession } from "../../schemas/api/api.ts"
import type { TicketScope } from "../../schemas/api/credentials.ts"
import type { OptionChanges } from "../../schemas/rpc/option-changes.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { listSessions } from "../../store/sessions.ts"
import type { Principal } from "../auth/auth.ts"
import { audited } from "../auth/audited.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, fromStore, invalidField } from "../errors/errors.ts"
import { acting, type App, handle, json } from "../handle.ts"
import { REPLAYED } from "../idempotency/request-name.ts"
import { forkSession, openSession } from "../sessions/session-opening.ts"
import { callOnce, callSession } from "../sessions/session-call.ts"
import { signTicket } from "../auth/ticket.ts"

const DEFAULT_TICKET_SECONDS = 3600

export const sessionRoutes = (app: App): void => {
  handle(
    app,
    contract.createSession,
    Effect.fnUntraced(function* ({ body }, caller) {
      const { session, created, replayed } = yield* openSession(body, caller)
      const location = `/v1/sessions/${session.id}`
      return json(created ? 201 : 200, session, { location, ...(replayed ? REPLAYED : {}) })
    }),
  )

  handle(
    app,
    contract.forkSession,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const { session, created, replayed } = yield* forkSession(params.id, body, caller)
      const location = `/v1/sessions/${session.id}`
      return json(created ? 201 : 200, session, { location, ...(replayed ? REPLAYED : {}) })
    }),
  )

  handle(
    app,
    contract.revertSession,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      return json(
        200,
        yield* callOnce(caller.session, params.id, (stub) => stub.revert({ ...body, ...acting(caller) })),
      )
    }),
  )

  handle(
    app,
    contract.unrevertSession,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      return json(
        200,
        yield* callOnce(caller.session, params.id, (stub) => stub.unrevert({ ...body, ...acting(caller) })),
      )
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
      return json(200, yield* callSession(session, params.id, (stub) => stub.info()))
    }),
  )

  handle(
    app,
    contract.patchSession,
    Effect.fnUntraced(function* ({ params, body }, { actor, session }) {
      const options = yield* patchedOptions(body)
      const change = {
        ...(body.title === undefined ? {} : { title: body.title }),
        ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
        ...(options === undefined ? {} : { options }),
      }
      return json(200, yield* callSession(session, params.id, (stub) => stub.patch(change, actor)))
    }),
  )

  handle(
    app,
    contract.getProgress,
    Effect.fnUntraced(function* ({ params }, { session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.progress()))
    }),
  )

  handle(
    app,
    contract.putProgress,
    Effect.fnUntraced(function* ({ params, body }, { actor, session }) {
      return json(200, yield* callSession(session, params.id, (stub) => stub.putProgress(body.text, actor)))
    }),
  )

  handle(
    app,
    contract.deleteSession,
    Effect.fnUntraced(function* ({ params }, { actor, session }) {
      return json(200, yield* callOnce(session, params.id, (stub) => stub.erase(actor)))
    }),
  )

  handle(
    app,
    contract.createTicket,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const { env, principal, tenant, session, creationId: id } = caller
      const maker = principal === null ? yield* Effect.die(new Error("a ticket has no maker")) : principal
      yield* callSession(session, params.id, (stub) => stub.info())
      const roles = yield* rolesFor(maker, body)
      const now = yield* Clock.currentTimeMillis
      const requestedExpiry = Math.floor(now / 1000) + (body.ttl_seconds ?? DEFAULT_TICKET_SECONDS)
      const expires = Math.min(requestedExpiry, Math.floor((maker.expires ?? Number.POSITIVE_INFINITY) / 1000))
      const { keyId: key, generation } = maker
      const claims = { id, tenant, session: params.id, key, generation, roles, expires }
      const ticket = yield* signTicket(env.DB, claims, now)
      yield* audited(caller, "ticket:created", id, { id, session_id: params.id })
      return json(201, { id, ticket, roles, expires_at: new Date(expires * 1000).toISOString() })
    }),
  )
}

/** The roles for the `scopes` of a ticket, which are the older form of its roles. */
const ROLES_OF_SCOPE: Readonly<Record<TicketScope, ReadonlyArray<TicketRole>>> = {
  stream: ["observe"],
  events: ["prompt", "answer"],
  socket: ["observe", "prompt", "answer"],
}

/** The roles of a new ticket. Fails when the key that creates it lacks the scope of one of them. */
const rolesFor = Effect.fnUntraced(function* (
  maker: Principal,
  body: { readonly roles?: ReadonlyArray<TicketRole>; readonly scopes?: ReadonlyArray<TicketScope> },
) {
  if (body.roles !== undefined && body.scopes !== undefined) {
    return yield* invalidField("scopes", "is the older form of roles. Send only one of the two.")
  }
  const requestedRoles = body.roles ?? body.scopes?.flatMap((scope) => ROLES_OF_SCOPE[scope]) ?? ["observe"]
  const roles = [...new Set<TicketRole>(requestedRoles)]
  const beyond = roles.find((role) => !maker.scopes.includes(SCOPE_OF_ROLE[role]))
  if (beyond === undefined) return roles
  const message = `A ticket with the role ${beyond} needs a key with the scope ${SCOPE_OF_ROLE[beyond]}`
  return yield* new ApiError({ type: "permission_error", message, field: "roles" })
})

const patchedOptions = Effect.fnUntraced(function* (body: PatchSession) {
  for (const name of ["model", "permissionMode"] as const) {
    if (body[name] !== undefined && body.options?.[name] !== undefined) {
      return yield* invalidField(name, "is given twice, here and in options")
    }
  }
  const short: SessionOptions = {
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(body.permissionMode === undefined ? {} : { permissionMode: body.permissionMode }),
  }
  const options: OptionChanges = { ...body.options, ...short }
  return Object.keys(options).length === 0 ? undefined : options
})
