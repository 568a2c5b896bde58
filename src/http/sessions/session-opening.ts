// Receives a request that opens a session; returns the session that it selects: a new one, an existing one, or a copy.
// Invariant: the object whose id derives from the Idempotency-Key is the lock: one key, one request, one session.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CreateSession, ForkSession, Query } from "../../schemas/api/api.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { isUuid } from "../../schemas/ids.ts"
import type { RpcResult } from "../../schemas/errors/rpc-error.ts"
import type { ForkArgs } from "../../schemas/rpc/fork.ts"
import type { NewSession, Reopened, SessionInfo } from "../../schemas/rpc/session.ts"
import type { SessionStub } from "../../schemas/env.ts"
import { newestSession } from "../../store/sessions.ts"
import { historyEvents } from "../../views/parts/history.ts"
import { ApiError, fromStore, invalidField } from "../errors/errors.ts"
import { acting, type Caller } from "../handle.ts"
import { createdId, hashOf, idempotencyKey } from "../idempotency/request-name.ts"
import { callOnce, callSession } from "./session-call.ts"

const DEFAULT_CWD = "/workspace"

interface Made {
  readonly session: SessionInfo
  readonly created: boolean
}

/** `replayed` is true when a request with the same Idempotency-Key opened the session before. */
interface Opened extends Made {
  readonly replayed: boolean
}

/** `POST /v1/sessions` */
export const openSession = Effect.fnUntraced(function* (
  body: CreateSession,
  caller: Caller,
): Effect.fn.Return<Opened, ApiError> {
  const key = yield* idempotencyKey(caller)
  const { forkSession: fork, resumeSessionAt: at } = body.options ?? {}
  yield* checkSelection(body)
  const request = { body, caller, key, hash: yield* hashOf("session", body) }
  const selected = yield* selectedSession(body, caller)
  if (selected !== null && fork !== true) {
    const resumed = yield* Effect.result(resume(request, selected))
    if (resumed._tag === "Success") return { ...resumed.success, created: false }
    // The session to continue was erased while D1 was read, so a new one is created.
    if (body.options?.continue !== true || key !== null || resumed.failure.type !== "not_found_error") {
      return yield* resumed.failure
    }
  } else if (body.id !== undefined && body.on_exists === "attach") {
    const attached = yield* Effect.result(reopen(request, body.id, undefined))
    if (attached._tag === "Success") return { ...attached.success, created: false }
    if (attached.failure.type !== "not_found_error") return yield* attached.failure
  }
  const id = body.id ?? (yield* createdId(caller, key, "session"))
  const { title, metadata } = body
  if (selected !== null && fork === true) {
    const args = {
      parent: selected,
      options: newSession(body).options,
      merge: false,
      ...(at === undefined ? {} : { at }),
      ...(title === undefined ? {} : { title }),
      ...(metadata === undefined ? {} : { metadata }),
    }
    return yield* make(request, id, (stub, once) => stub.fork({ ...args, ...once, ...acting(caller) }))
  }
  if (at !== undefined) {
    const message = "options.resumeSessionAt: there is no session in this directory to resume"
    return yield* new ApiError({ type: "not_found_error", message })
  }
  const history = body.history === undefined ? {} : { history: yield* readHistory(id, body.history) }
  return yield* make(request, id, (stub, once) =>
    stub.create({ session: newSession(body), ...history, ...once, ...acting(caller) }),
  )
})

/** `POST /v1/sessions/{id}/fork` */
export const forkSession = Effect.fnUntraced(function* (
  parent: string,
  body: ForkSession,
  caller: Caller,
): Effect.fn.Return<Opened, ApiError> {
  const key = yield* idempotencyKey(caller)
  if (body.id === parent) return yield* copyIntoItself
  const request = { body, caller, key, hash: yield* hashOf("fork", { parent, body }) }
  const id = body.id ?? (yield* createdId(caller, key, "session"))
  const { id: _, options = {}, ...more } = body
  const args: ForkArgs = { parent, options, merge: true, ...more }
  return yield* make(request, id, (stub, once) => stub.fork({ ...args, ...once, ...acting(caller) }))
})

interface Request {
  readonly body: { readonly id?: string; readonly options?: CreateSession["options"] }
  readonly caller: Caller
  readonly key: string | null
  readonly hash: string
}

/** Creates a session under an id. A client's own id is itself the lock: without a key, creating it twice is a conflict. */
const make = (
  { body, caller, key, hash }: Request,
  id: string,
  call: (stub: SessionStub, once: { readonly fingerprint?: string }) => Promise<RpcResult<Made>>,
): Effect.Effect<Opened, ApiError> =>
  Effect.map(
    body.id !== undefined && key === null
      ? callOnce(caller.session, id, (stub) => call(stub, {}))
      : callSession(caller.session, id, (stub) => call(stub, { fingerprint: hash })),
    (made) => ({ ...made, replayed: key !== null && !made.created }),
  )

const resume = Effect.fnUntraced(function* (request: Request, selected: string): Effect.fn.Return<Reopened, ApiError> {
  const { body, caller, key, hash } = request
  const at = body.options?.resumeSessionAt
  if (key === null) return yield* reopen(request, selected, at)
  // The key must not be claimed for a session that does not exist.
  yield* callSession(caller.session, selected, (stub) => stub.info())
  const own = yield* createdId(caller, key, "session")
  const { session } = yield* callSession(caller.session, own, (stub) =>
    stub.claim({ fingerprint: hash, session: selected }),
  )
  if (session !== own) return yield* reopen(request, session, at)
  // The first request with this key found no session to continue, and created this one.
  const info = yield* callSession(caller.session, own, (stub) => stub.info())
  return { session: info, replayed: true }
})

const reopen = (
  { body, caller, key, hash }: Request,
  id: string,
  at: string | undefined,
): Effect.Effect<Reopened, ApiError> => {
  const args = { options: optionsOf(body.options), ...(at === undefined ? {} : { at }), ...acting(caller) }
  return key === null
    ? callOnce(caller.session, id, (stub) => stub.reopen(args))
    : callSession(caller.session, id, (stub) => stub.reopen({ ...args, once: { key, fingerprint: hash } }))
}

/** Refuses fields that select different sessions, so that the selection does not depend on the order in which they are read. */
const checkSelection = Effect.fnUntraced(function* ({ id, history, options = {} }: CreateSession) {
  const { resume, continue: goOn, forkSession: fork, resumeSessionAt: at } = options
  if (history !== undefined && (resume !== undefined || goOn === true)) {
    return yield* invalidField(
      "history",
      "can't be combined with options.resume or options.continue, whose session has its own history",
    )
  }
  if (resume !== undefined && goOn === true) {
    return yield* invalidField("options.continue", "can't be combined with options.resume, which specifies the session")
  }
  if (resume === undefined && goOn !== true) {
    const name = at !== undefined ? "resumeSessionAt" : fork === true ? "forkSession" : undefined
    if (name === undefined) return
    return yield* invalidField(`options.${name}`, "needs options.resume or options.continue")
  }
  if (id === undefined) return
  if (fork === true) return id === resume?.toLowerCase() ? yield* copyIntoItself : undefined
  if (id !== resume?.toLowerCase()) {
    return yield* invalidField(
      "id",
      "differs from the session to resume. Leave it out, or send options.forkSession for a copy with this id.",
    )
  }
})

const copyIntoItself = Effect.fail(invalidField("id", "must be another id than that of the session to copy"))

/** The id of the session to resume; null when there is none. An id that is not a UUID is a 404, like an unknown one. */
const selectedSession = Effect.fnUntraced(function* ({ cwd, options = {} }: CreateSession, { env, tenant }: Caller) {
  if (options.continue === true) return yield* fromStore(newestSession(env.DB, tenant, cwd ?? DEFAULT_CWD))
  if (options.resume === undefined) return null
  const id = options.resume.toLowerCase()
  if (isUuid(id)) return id
  return yield* new ApiError({ type: "not_found_error", message: "there is no such session" })
})

const optionsOf = (options: CreateSession["options"] = {}): NewSession["options"] => {
  // The fields that select a session are not stored as its options.
  const { resume: _r, forkSession: _f, resumeSessionAt: _a, continue: _c, ...own } = options
  return own
}

/** Converts `history` to the first events of a new session; a message that can't be read is a 400 that names its field. */
const readHistory = Effect.fnUntraced(function* (sessionId: string, history: NonNullable<CreateSession["history"]>) {
  const now = yield* Clock.currentTimeMillis
  const read = historyEvents({ sessionId, now, newUuid: () => crypto.randomUUID() }, history)
  if (read._tag === "Success") return read.success
  const { index, path, message } = read.failure
  const field = fieldPath(["history", index, ...path])
  return yield* invalidField(field, message)
})

/** The new session that a request describes, with defaults for absent fields. */
export const newSession = (body: CreateSession | Query): NewSession => ({
  cwd: body.cwd ?? DEFAULT_CWD,
  title: body.title ?? null,
  metadata: body.metadata ?? {},
  options: optionsOf(body.options),
})
