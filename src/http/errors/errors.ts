// Receives an error; returns the error envelope of the API.
// Invariant: only an `ApiError` is described to the client. Any other error is logged with the request id and answered
// with a bare `api_error`: no stack, SQL or path leaves the Worker.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { redact } from "../../net/redact.ts"
import {
  ERROR_STATUS,
  type ErrorType,
  type RefusedField,
  type RpcError,
  type RpcResult,
  UNAVAILABLE,
} from "../../schemas/errors/rpc-error.ts"
import type { InvalidCursor, StoreError } from "../../store/store-error.ts"

const errorTypes = Object.keys(ERROR_STATUS) as Array<ErrorType> // the keys of a const object

/**
 * An expected failure: `type` fixes the status, `message` is for the client, `field` is the path of a refused field, and
 * `issues` lists every field that was refused, with its problem; without it, the response lists `field` with the message.
 */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  type: Schema.Literals(errorTypes),
  message: Schema.String,
  field: Schema.optionalKey(Schema.String),
  issues: Schema.optionalKey(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))),
  /** Seconds to wait before the request is sent again. */
  retry_after: Schema.optionalKey(Schema.Finite),
}) {}

/** The refusal of a request as a whole; for one of its fields there is `invalidField`. */
export const invalidRequest = (message: string): ApiError => new ApiError({ type: "invalid_request_error", message })

/** The refusal of a request without a valid credential. */
export const unauthenticated = (message: string): ApiError => new ApiError({ type: "authentication_error", message })

/** The refusal of a request for one field, which the message names before the problem. */
export const invalidField = (field: string, problem: string): ApiError =>
  new ApiError({ type: "invalid_request_error", message: `${field}: ${problem}`, field })

/** The most sentences in a message; `issues` has all of them. */
const SHOWN_ISSUES = 5

/** The refusal of a request for all of `issues`, of which there is at least one. */
export const invalidFields = (issues: ReadonlyArray<RefusedField>): ApiError => {
  const shown = issues.slice(0, SHOWN_ISSUES).map(({ message }) => message)
  if (issues.length > SHOWN_ISSUES) shown.push(`and ${issues.length - SHOWN_ISSUES} more`)
  const field = issues[0]?.field
  const place = field === undefined || field === "" ? {} : { field }
  return new ApiError({ type: "invalid_request_error", message: shown.join("; "), ...place, issues })
}

export const isErrorType = (type: string): type is ErrorType => Object.hasOwn(ERROR_STATUS, type)

export const fromRpcError = ({ type, message, field, issues, retry_after }: RpcError): ApiError =>
  new ApiError({
    type,
    message,
    ...(field === undefined ? {} : { field }),
    ...(issues === undefined ? {} : { issues }),
    ...(retry_after === undefined ? {} : { retry_after }),
  })

/** Returns the value of an RPC result, or fails with its error. */
export const fromRpc = <A>(result: RpcResult<A>): Effect.Effect<A, ApiError> =>
  result.ok ? Effect.succeed(result.value) : Effect.fail(fromRpcError(result.error))

/** Logs which operation D1 or the Queue did not answer, and returns the error for the client. */
const unavailable = ({ operation }: Pick<StoreError, "operation">): ApiError => {
  console.error(JSON.stringify({ level: "error", message: "D1 or the Queue did not answer", operation }))
  return fromRpcError(UNAVAILABLE.error)
}

/** Maps a store's errors: an invalid cursor is a 400, an unavailable D1 a 503, and a row that can't be decoded is a defect. */
export const fromStore = <A>(effect: Effect.Effect<A, StoreError | InvalidCursor>): Effect.Effect<A, ApiError> =>
  Effect.catch(effect, (error) => {
    if (error._tag === "InvalidCursor") return Effect.fail(invalidField("cursor", error.message))
    return error.unavailable === true ? Effect.fail(unavailable(error)) : Effect.die(error)
  })

/** The response with an error's envelope and status. A 401 names the authentication scheme, a 426 the protocol to upgrade to. */
export const errorResponse = (error: ApiError, requestId: string): Response => {
  const { type, message, field } = error
  const { issues = field === undefined ? undefined : [{ field, message }] } = error
  const body = {
    type: "error",
    error: {
      type,
      message,
      ...(field === undefined ? {} : { field }),
      ...(issues === undefined ? {} : { issues }),
    },
    request_id: requestId,
  }
  const response = Response.json(body, { status: ERROR_STATUS[type] })
  if (error.retry_after !== undefined) response.headers.set("retry-after", String(Math.max(1, error.retry_after)))
  if (type === "authentication_error") response.headers.set("www-authenticate", "Bearer")
  if (type === "upgrade_required_error") response.headers.set("upgrade", "websocket")
  return response
}

/** Logs a defect and returns the bare `api_error` for the client. */
export const unexpected = (cause: unknown, at: { readonly requestId: string; readonly route: string }): ApiError => {
  console.error(JSON.stringify({ level: "error", request_id: at.requestId, route: at.route, error: describe(cause) }))
  return new ApiError({ type: "api_error", message: "Internal error. The request id names it in the server's log." })
}

/** The first line of an error's name and message, with keys redacted, at most 300 characters. */
const describe = (cause: unknown): string => {
  const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeof cause
  return redact(text.split("\n", 1)[0] ?? "").slice(0, 300)
}
