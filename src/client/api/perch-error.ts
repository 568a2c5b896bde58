// The errors of the client: one class per error type of the API, and one for requests without a response.
// Invariant: every failed request ends as a PerchError; `retryable` is true when the same request may succeed later.
import type { ErrorType } from "../../schemas/errors/rpc-error.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

/** The `type` of an error: the API's own, or `connection_error` when there was no response. */
export type PerchErrorType = ErrorType | "connection_error"

/** The fields of a PerchError. */
export interface PerchErrorFields {
  readonly type: PerchErrorType
  /** The HTTP status; 0 when there was no response. */
  readonly status: number
  readonly message: string
  /** The id of the request in the server's log. */
  readonly request_id?: string
  /** Seconds to wait before the request is sent again. */
  readonly retry_after?: number
  /** The path of a refused field. */
  readonly field?: string
  /** Everything that is wrong with the request, one entry per field. */
  readonly issues?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  readonly cause?: unknown
}

const RETRYABLE: ReadonlySet<number> = new Set([0, 408, 425, 429, 500, 502, 503, 504, 529])

/** The error of a request that failed. */
export class PerchError extends Error {
  readonly type: PerchErrorType
  readonly status: number
  readonly request_id: string | undefined
  readonly retry_after: number | undefined
  readonly field: string | undefined
  readonly issues: ReadonlyArray<{ readonly field: string; readonly message: string }>
  /** Whether the same request may succeed later. */
  readonly retryable: boolean

  constructor(fields: PerchErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.name = new.target.name
    this.type = fields.type
    this.status = fields.status
    this.request_id = fields.request_id
    this.retry_after = fields.retry_after
    this.field = fields.field
    this.issues = fields.issues ?? []
    this.retryable = RETRYABLE.has(fields.status)
  }
}

/** 400: the request can't be read, or asks for what is not supported; `field` and `issues` name the place. */
export class InvalidRequestError extends PerchError {}
/** 401: there is no key, or it is not valid. */
export class AuthenticationError extends PerchError {}
/** 402: the account that pays for the model refuses. */
export class BillingError extends PerchError {}
/** 403: the key or the ticket may not do this. */
export class PermissionDeniedError extends PerchError {}
/** 404: there is no such session, file, turn or ask. */
export class NotFoundError extends PerchError {}
/** 409: the state of the session does not allow it, or the id is taken. */
export class ConflictError extends PerchError {}
/** 412: the file is not the one that `ifMatch` or `ifNoneMatch` names. */
export class PreconditionFailedError extends PerchError {}
/** 413: the body, the file or the workspace would be too large. */
export class RequestTooLargeError extends PerchError {}
/** 422: an idempotency key was used before with another body. */
export class UnprocessableError extends PerchError {}
/** 429: a limit is reached; `retry_after` is how long to wait. */
export class RateLimitError extends PerchError {}
/** 507: the storage of the session is full; reading works. */
export class StorageFullError extends PerchError {}
/** 503: the server has no root key, or can't reach what it needs. */
export class UnavailableError extends PerchError {}
/** 500, and every error type or status without a class of its own. */
export class ApiError extends PerchError {}
/** 529: the model is overloaded. */
export class OverloadedError extends PerchError {}
/** There was no usable response: the server can't be reached, the connection broke, or the body is not Perch's JSON. */
export class ConnectionError extends PerchError {}

type ErrorClass = new (fields: PerchErrorFields) => PerchError

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  billing_error: BillingError,
  permission_error: PermissionDeniedError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  precondition_failed_error: PreconditionFailedError,
  request_too_large: RequestTooLargeError,
  unprocessable_error: UnprocessableError,
  rate_limit_error: RateLimitError,
  not_configured_error: UnavailableError,
  service_unavailable_error: UnavailableError,
  storage_full_error: StorageFullError,
  api_error: ApiError,
  overloaded_error: OverloadedError,
  connection_error: ConnectionError,
}

/** Types by status, for responses of an intermediary such as a proxy. */
const TYPES: Readonly<Record<number, PerchErrorType>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  412: "precondition_failed_error",
  413: "request_too_large",
  422: "unprocessable_error",
  429: "rate_limit_error",
  503: "service_unavailable_error",
  507: "storage_full_error",
  529: "overloaded_error",
}

const MAX_MESSAGE = 4000

/** Converts an error response: from its envelope when it has one, otherwise from its status. */
export const perchError = (status: number, text: string, headers: Headers): PerchError => {
  const body = recordOf(parsed(text))
  const error = recordOf(body?.error)
  const type = (textOf(error?.type) ?? TYPES[status] ?? "api_error") as PerchErrorType // unknown types are an ApiError
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  const request_id = textOf(body?.request_id) ?? headers.get("request-id") ?? undefined
  const field = textOf(error?.field)
  const Class = CLASSES[type] ?? (status < 500 ? InvalidRequestError : ApiError)
  return new Class({
    type,
    status,
    message: (textOf(error?.message) ?? `The server answered ${status} without an error body.`).slice(0, MAX_MESSAGE),
    ...(request_id === undefined ? {} : { request_id }),
    ...(Number.isFinite(seconds) ? { retry_after: seconds } : {}),
    ...(field === undefined ? {} : { field }),
    // The server sends a list of one shape.
    issues: Array.isArray(error?.issues) ? (error.issues as PerchErrorFields["issues"] & object) : [],
  })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // A proxy in front of the server may answer in HTML.
    return undefined
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isPlainObject(value) ? value : undefined

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
