// The document's text for every type of error: when it is returned, and an example of its message.
// Invariant: the table has every type of the envelope: a new one does not compile without an entry.
import { ERROR_STATUS, type ErrorType } from "../../schemas/errors/rpc-error.ts"
import type { HeaderName } from "../contract/headers.ts"
import type { Json } from "./tidy.ts"

interface Meaning {
  readonly when: string
  readonly message: string
  readonly field?: string
  readonly headers?: ReadonlyArray<HeaderName>
}

const MEANINGS: Readonly<Record<ErrorType, Meaning>> = {
  invalid_request_error: {
    when: "The request is malformed. `field` is the path of the first invalid field, `issues` lists all of them.",
    message: "options.maxTurn is not an option of the Claude Agent SDK. Did you mean maxTurns?",
    field: "options.maxTurn",
  },
  authentication_error: {
    when: "The key is missing or no longer valid.",
    message: "An API key is needed: `Authorization: Bearer KEY` or `x-api-key: KEY`",
    headers: ["www-authenticate"],
  },
  billing_error: {
    when: "The Messages API refused the request because the account has no credit.",
    message: "The credit balance is too low.",
  },
  permission_error: {
    when: "The key or ticket is not permitted to do this: it lacks the scope or role that the operation requires.",
    message: "This key lacks the scope files",
  },
  not_found_error: {
    when: "The resource does not exist, or it belongs to another tenant.",
    message: "there is no such session",
  },
  method_not_allowed_error: {
    when: "The path exists but accepts other methods only: `Allow` lists them.",
    message: "GET /v1/query is not a route: /v1/query takes POST.",
    headers: ["allow"],
  },
  request_timeout_error: {
    when: "The request's body stalled.",
    message: "The request body stalled for 30 seconds. Nothing of it was stored; send it again.",
  },
  conflict_error: {
    when: "The request conflicts with the current state of the session or another resource.",
    message: "A turn is running",
  },
  precondition_failed_error: {
    when: "The condition of `If-Match` or `If-None-Match` is not met.",
    message: "The file is not the one that If-Match names",
  },
  request_too_large: {
    when: "The body is too large. Put larger content into the workspace and refer to it in the prompt.",
    message: "The request body is larger than 20971520 bytes (20 MiB).",
  },
  range_not_satisfiable_error: { when: "The file has no such bytes.", message: "The file has 12 bytes" },
  unprocessable_error: {
    when: "The `Idempotency-Key` was used for another request.",
    message: "This Idempotency-Key was used with another request",
  },
  upgrade_required_error: {
    when: "The route accepts WebSocket upgrades only.",
    message: "Connect with a WebSocket",
    headers: ["upgrade"],
  },
  rate_limit_error: {
    when: "A limit of the tenant, the key or the session is reached.",
    message: "The tenant has used its requests of this minute. Try again later.",
    headers: ["retry-after"],
  },
  api_error: {
    when: "An error on the server. The request id identifies it in the server's log.",
    message: "Internal error. The request id names it in the server's log.",
  },
  not_configured_error: {
    when: "The server has no root key yet, or one of its settings can't be read.",
    message: "This server has no root key yet. Set the secret PERCH_ROOT_KEY and try again.",
  },
  service_unavailable_error: {
    when: "A service that the server needs is unreachable, or the server has no root key yet.",
    message: "The database can't be reached. Try again.",
    headers: ["retry-after"],
  },
  storage_full_error: {
    when: "The storage is full.",
    message: "The session's storage is full.",
  },
  overloaded_error: {
    when: "The session receives more requests than it can handle.",
    message: "The session is overloaded. Try again later.",
    headers: ["retry-after"],
  },
}

/** `rate_limit` as `RateLimit`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the responses for these errors by status, as references; adds the components that they refer to. */
export const errorAnswers = (types: ReadonlyArray<ErrorType>, components: Record<string, Json>): Json => {
  const byStatus = Map.groupBy([...new Set(types)].toSorted(), (type) => ERROR_STATUS[type])
  const answers: Record<string, Json> = {}
  for (const [status, same] of byStatus) {
    const name = same.map(pascal).join("Or")
    components[name] ??= errorAnswer(same)
    answers[status] = { $ref: `#/components/responses/${name}` }
  }
  return answers
}

const errorAnswer = (types: ReadonlyArray<ErrorType>): Json => ({
  description: types.map((type) => `\`${type}\`: ${MEANINGS[type].when}`).join(" "),
  headers: headersOf(["request-id", ...new Set(types.flatMap((type) => MEANINGS[type].headers ?? []))]),
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(types.map((type) => [type, { value: exampleOf(type, MEANINGS[type]) }])),
    },
  },
})

const exampleOf = (type: ErrorType, { message, field }: Meaning): Json => ({
  type: "error",
  error: { type, message, ...(field === undefined ? {} : { field, issues: [{ field, message }] }) },
  request_id: "req_0199a000f2c17e0fa1b2c3d4e5f60718",
})

/** References to headers of the components. */
export const headersOf = (names: ReadonlyArray<HeaderName>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
