// The routes of a session itself: create, list, read, change, erase, and tickets for it.
// Invariant: an Idempotency-Key names the session, so that the object is the lock: one key, one session.
import { Clock, Effect } from "effect"
import type { CreateSession, PatchSession, Query } from "../schemas/api.ts"
import { uuidV7, uuidV8 } from "../schemas/ids.ts"
import type { NewSession } from "../schemas/session-rpc.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import { listSessions } from "../store/sessions.ts"
import { rootKey } from "./auth.ts"
import { fingerprint } from "./body.ts"
import { contract } from "./contract.ts"
import { type ApiError, fromStore, invalidRequest } from "./errors.ts"
import { type App, type Caller, handle, json } from "./handle.ts"
import { callOnce, callSession } from "./session-call.ts"
import { signTicket } from "./ticket.ts"

const DEFAULT_CWD = "/workspace"
const DEFAULT_TICKET_SECONDS = 3600

export const sessionRoutes = (app: App): void => {
  handle(
    app,
    contract.createSession,
    Effect.fnUntraced(function* ({ body }, caller) {
      const key = yield* idempotencyKey(caller)
      const { resume, forkSession: _fork, resumeSessionAt: _at, continue: _continue, ...options } = body.options ?? {}
      const taken = resume ?? (body.on_exists === "attach" ? body.id : undefined)
      if (taken !== undefined) {
        const existing = yield* Effect.result(callOnce(caller.session(taken), (stub) => stub.reopen(options)))
        if (existing._tag === "Success") return json(200, existing.success)
        if (resume !== undefined || existing.failure.type !== "not_found_error") return yield* existing.failure
      }
      const id = body.id ?? (yield* newSessionId(caller, key))
      // An explicit id is itself the lock: without a key of its own, creating it twice is a conflict.
      const hash = body.id !== undefined && key === null ? undefined : yield* hashOf("session", body)
      const args = { session: newSession(body), ...(hash === undefined ? {} : { fingerprint: hash }) }
      const create =
        hash === undefined
          ? callOnce(caller.session(id), (stub) => stub.create(args))
          : callSession(
              () => caller.session(id),
              (stub) => stub.create(args),
            )
      const { session, created } = yield* create
      return json(created ? 201 : 200, session, { location: `/v1/sessions/${id}` })
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

/** The session that a request describes. */
export const newSession = (body: CreateSession | Query): NewSession => {
  // Which session is meant is no option of the session.
  const {
    resume: _r,
    forkSession: _f,
    resumeSessionAt: _a,
    continue: _c,
    ...options
  }: NonNullable<CreateSession["options"]> = body.options ?? {}
  return {
    cwd: body.cwd ?? DEFAULT_CWD,
    title: body.title ?? null,
    metadata: body.metadata ?? {},
    options,
  }
}

/** A new id, or the one that the key has always had. */
export const newSessionId = Effect.fnUntraced(function* ({ tenant }: Caller, key: string | null) {
  if (key !== null) return yield* Effect.promise(() => uuidV8("session", tenant, key))
  return uuidV7(yield* Clock.currentTimeMillis)
})

/** The `Idempotency-Key` header, or null. */
export const idempotencyKey = ({ request }: Caller): Effect.Effect<string | null, ApiError> => {
  const key = request.headers.get("idempotency-key")
  return key !== null && (key === "" || key.length > 255)
    ? Effect.fail(invalidRequest("Idempotency-Key must have 1 to 255 characters", "Idempotency-Key"))
    : Effect.succeed(key)
}

/** A hash of what a request asks for. */
export const hashOf = (what: string, body: unknown): Effect.Effect<string> =>
  Effect.promise(() => fingerprint(what, body))

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
