// Binds a row of the route table to its handler: authenticates, decodes the input, runs one Effect, sends one response.
// Invariant: credentials are checked before anything else of the request is read; only a socket may send them later.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Context, Hono } from "hono"
import type { Actor } from "../schemas/access.ts"
import type { Permit } from "../limits/request-permits.ts"
import type { Env } from "../schemas/env.ts"
import { admit } from "./auth/admission.ts"
import {
  actorOf,
  authenticate,
  authenticateTicket,
  isStillValid,
  presentsKey,
  type Principal,
  requireScope,
  rootKey,
  type SignIn,
} from "./auth/auth.ts"
import { readJson } from "./bodies/body.ts"
import { checkPromptSize } from "./bodies/prompt-size.ts"
import { decodeBody, decodeTexts } from "./bodies/decode.ts"
import { checkOptions, sentOptions } from "./bodies/check-options.ts"
import { ApiError, errorResponse, invalidField, invalidRequest, unexpected } from "./errors/errors.ts"
import { answerOnce } from "./idempotency/answer-once.ts"
import { honoPath, type Input, readsQuery, type Route, type Shape } from "./route.ts"
import { type Sessions, sessionsOf } from "./sessions/session-call.ts"
import { isPercentEncoded } from "./percent-encoded.ts"
import { orStorageFull } from "./errors/storage-full.ts"
import { refusedSocket } from "./socket/refused-socket.ts"

export interface AppEnv {
  readonly Bindings: Env
  readonly Variables: { requestId: string; route?: string; tenant?: string; permit?: Permit }
}
/** The most characters of a parameter's name in an error. */
const MAX_NAME = 200

/** The longest spelling of an IPv6 address. */
const MAX_ADDRESS = 45

export type App = Hono<AppEnv>
type AppContext = Context<AppEnv>

/** What a handler receives in addition to its decoded input. */
export interface Caller {
  readonly env: Env
  /** Null on routes without authentication, and for a socket that sends its credentials as its first line. */
  readonly principal: Principal | null
  /** The principal's tenant, or empty. */
  readonly tenant: string
  /** The context for authenticating later in this request. */
  readonly signIn: SignIn
  readonly request: Request
  readonly requestId: string
  /** A UUID for what the request creates; the same for every request with the same Idempotency-Key on a row with `once`. */
  readonly creationId: string
  /** The principal as sessions receive it. It has no rights while `principal` is null. */
  readonly actor: Actor
  /** The route as it is logged: `GET /v1/sessions/{id}`. */
  readonly route: string
  /** A fresh stub of one of the caller's own sessions. */
  readonly session: Sessions
}

const NO_ACTOR: Actor = {
  key: "",
  roles: [],
  bypass: false,
  files: false,
  generation: 0,
  expires: null,
  checked: 0,
}

/** The caller's identity, as a field of the arguments of a session's method. */
export const acting = ({ actor }: Caller): { readonly actor: Actor } => ({ actor })

/** Returns a function that checks whether the credential of a long-lived response is still valid. */
export const stillValid =
  ({ principal, env }: Caller) =>
  (): Promise<boolean> =>
    principal === null ? Promise.resolve(true) : Effect.runPromise(isStillValid(principal, env))

export type Handler<P, Q, B> = (input: Input<P, Q, B>, caller: Caller) => Effect.Effect<Response, ApiError>

/** Adds a route to the app. */
export const handle = <P, Q, B>(app: App, row: Route<P, Q, B>, handler: Handler<P, Q, B>): void => {
  const name = `${row.method.toUpperCase()} ${row.path}`
  app.on(row.method.toUpperCase(), honoPath(row.path), async (context) => {
    const requestId = context.get("requestId")
    context.set("route", row.path)
    const exit = await Effect.runPromiseExit(answer(row, handler, context, name))
    if (Exit.isSuccess(exit)) return exit.value
    const cause = Cause.squash(exit.cause)
    const error = cause instanceof ApiError ? cause : unexpected(cause, { requestId, route: name })
    const refusal = await orStorageFull(error, cause, context.env)
    return fromPage(row, context.req.raw.headers) ? refusedSocket(refusal) : errorResponse(refusal, requestId)
  })
}

/** Whether a handshake was sent by a page: it has no key in its headers. A page can't read an HTTP error. */
const fromPage = (row: Route, headers: Headers): boolean =>
  row.firstLine === true && isUpgrade(headers) && !presentsKey(headers)

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers })

const answer = Effect.fnUntraced(function* <P, Q, B>(
  row: Route<P, Q, B>,
  handler: Handler<P, Q, B>,
  context: AppContext,
  name: string,
) {
  const { env } = context
  const signIn: SignIn = {
    env,
    // Cloudflare overwrites any value that a client sends; a local server accepts it from clients on its own machine.
    address: context.req.header("cf-connecting-ip")?.slice(0, MAX_ADDRESS) ?? null,
    later: (work) => context.executionCtx.waitUntil(work),
  }
  const principal = yield* identify(row, context, signIn)
  const tenant = principal?.tenant ?? ""
  context.set("tenant", tenant)
  if (principal !== null && !(principal.root && row.auth === "admin")) {
    yield* admit(principal, signIn, (permit) => context.set("permit", permit))
  }
  const input = yield* decodeInput(row, context)
  const caller: Caller = {
    env,
    principal,
    tenant,
    actor: principal === null ? NO_ACTOR : actorOf(principal),
    signIn,
    request: context.req.raw,
    requestId: context.get("requestId"),
    creationId: crypto.randomUUID(),
    route: name,
    session: sessionsOf(env, tenant),
  }
  yield* checkOptions(sentOptions(input.body), caller)
  return yield* row.once === true ? answerOnce(row, input, caller, handler) : handler(input, caller)
})

const identify = Effect.fnUntraced(function* (
  row: Route,
  context: AppContext,
  signIn: SignIn,
): Effect.fn.Return<Principal | null, ApiError> {
  if (row.auth === "none") return null
  const { headers } = context.req.raw
  if (row.ticket !== undefined && !presentsKey(headers)) {
    const ticket = context.req.query("ticket")
    const wanted = { session: context.req.param("id") ?? "", roles: row.ticket, scope: row.auth }
    if (ticket !== undefined) return yield* authenticateTicket(ticket, wanted, signIn)
    if (row.firstLine === true && isUpgrade(headers)) {
      yield* rootKey(context.env)
      return null
    }
  }
  const principal = yield* authenticate(headers, signIn)
  yield* requireScope(principal, row.auth)
  return principal
})

/** Whether a request asks for a WebSocket. */
export const isUpgrade = (headers: Headers): boolean => headers.get("upgrade")?.toLowerCase() === "websocket"

/**
 * Headers with which a client asks to change only a part, or to change something only under a condition. Routes that do not
 * support such a header refuse the request: if they ignored it, the change could overwrite what the client wanted to keep.
 */
const RESTRICTIONS = ["Content-Range", "If-Match", "If-None-Match", "If-Unmodified-Since"]

/** The parts that the row declares, decoded; a part that it does not declare is undefined. Unsupported headers are refused. */
const decodeInput = Effect.fnUntraced(function* <P, Q, B>(row: Route<P, Q, B>, context: AppContext) {
  const { headers } = context.req.raw
  const ignored = RESTRICTIONS.find((name) => row.method !== "get" && !row.headers?.[name] && headers.has(name))
  if (ignored)
    return yield* invalidField(ignored, "is not supported: this request applies to the whole, unconditionally")
  const params = yield* texts(row.params, context.req.param(), "the path")
  const query = yield* decodeQuery(row, context)
  const body = row.body === undefined ? undefined : yield* decodeJson(row.body, row, context)
  // For a part without a schema `route` infers `unknown`, to which undefined is assignable.
  return { params, query, body } as Input<P, Q, B>
})

/** Decodes the query. Malformed, repeated and unknown parameters are refused, also when the row has none. */
const decodeQuery = Effect.fnUntraced(function* <Q>(
  row: Pick<Route<unknown, Q>, "query" | "auth" | "method">,
  context: AppContext,
): Effect.fn.Return<Q | undefined, ApiError> {
  if (!readsQuery(row)) return undefined
  const parameters = new URL(context.req.url).search.slice(1).split("&")
  const malformed = parameters.find((one) => !isPercentEncoded(one))
  if (malformed !== undefined) {
    const name = malformed.slice(0, MAX_NAME).replace(/=.*/s, "")
    return yield* invalidField(name, "must be percent-encoded UTF-8, with `%25` for a percent sign")
  }
  // Hono leaves them out.
  if (parameters.some((one) => one.startsWith("="))) {
    return yield* invalidRequest("The query has a parameter without a name.")
  }
  for (const [name, values] of Object.entries(context.req.queries())) {
    const shown = name.slice(0, MAX_NAME)
    if (row.query === undefined) return yield* invalidField(shown, "this request takes no query parameters")
    if (values.length > 1) return yield* invalidField(shown, `is in the query ${values.length} times. Send it once.`)
  }
  return yield* texts(row.query, context.req.query(), "the query")
})

const decodeJson = Effect.fnUntraced(function* <B>(
  shape: Shape<B>,
  { bodyLimit: limit, fields }: Pick<Route, "bodyLimit" | "fields">,
  context: AppContext,
) {
  const body = yield* decodeBody(shape, yield* readJson(context.req.raw, limit), fields)
  if (limit !== undefined) yield* checkPromptSize(body)
  return body
})

const texts = <A>(
  shape: Shape<A> | undefined,
  values: Record<string, string>,
  what: string,
): Effect.Effect<A | undefined, ApiError> =>
  shape === undefined ? Effect.succeed(undefined) : decodeTexts(shape, values, what)
