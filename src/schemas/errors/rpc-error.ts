// Outcomes of calls between the Worker and a session's Durable Object: a value, or an error that is sent to the client.
// Invariant: an error's type is one of the Anthropic envelope's, and each type has one HTTP status.

/** The error types of the Anthropic envelope, with their HTTP status. */
export const ERROR_STATUS = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  method_not_allowed_error: 405,
  request_timeout_error: 408,
  conflict_error: 409,
  precondition_failed_error: 412,
  request_too_large: 413,
  range_not_satisfiable_error: 416,
  unprocessable_error: 422,
  upgrade_required_error: 426,
  rate_limit_error: 429,
  api_error: 500,
  not_configured_error: 503,
  service_unavailable_error: 503,
  storage_full_error: 507,
  overloaded_error: 529,
} as const
export type ErrorType = keyof typeof ERROR_STATUS

/** An issue of one field of a request: its path, and a sentence that begins with it. */
export interface RefusedField {
  readonly field: string
  readonly message: string
}

export interface RpcError {
  readonly type: ErrorType
  readonly message: string
  /** The path of a refused field. */
  readonly field?: string
  /** Seconds after which the request may be retried. */
  readonly retry_after?: number
  /** All issues of the request, when more than the first one is known. */
  readonly issues?: ReadonlyArray<RefusedField>
}
/** The error as the response of an object's `fetch`. */
export const errorResponse = (error: RpcError): Response => Response.json(error, { status: ERROR_STATUS[error.type] })

export type RpcResult<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: RpcError }

export const ok = <A>(value: A): RpcResult<A> => ({ ok: true, value })

/** The result of a call that is refused; `more` has the other fields of its error. */
export const refused = (
  type: ErrorType,
  message: string,
  more: Omit<RpcError, "type" | "message"> = {},
): { readonly ok: false; readonly error: RpcError } => ({ ok: false, error: { type, message, ...more } })

/** An Idempotency-Key, or the id of a prompt or run, came again with a request that differs from the first one. */
export const OTHER_REQUEST = refused(
  "unprocessable_error",
  "this Idempotency-Key or id was used before with another request",
)

/**
 * Why a request does not repeat the one that created the thing with its id; null if it does. After a full stop, a fingerprint
 * has the hash of the Idempotency-Key of a request that named the id; requests with another key get `exists`.
 */
export const repetitionRefusal = <E>(stored: string, given: string, exists: E): E | typeof OTHER_REQUEST | null => {
  const [[hash, key], [givenHash, givenKey]] = [stored.split("."), given.split(".")]
  if (key !== undefined && key !== givenKey) return exists
  return hash === givenHash ? null : OTHER_REQUEST
}

/** D1 or the Queue did not answer a call that needs them. Nothing was lost, and the same request may be sent again. */
export const UNAVAILABLE = refused(
  "service_unavailable_error",
  "The database of this server is not responding at the moment. Send the same request again later.",
  { retry_after: 5 },
)
