// Receives a failed model request; says whether to ask again, after how long, and how to name it to clients.
// Invariant: what asking again can't heal (401, 403, 400, 404, 413) is fatal at once.
import type { ModelError } from "./messages-api.ts"

/** A request is asked again at most this often. */
export const MAX_RETRIES = 10

const FIRST_DELAY_MS = 500
const LONGEST_BACKOFF_MS = 32_000
/** A server may ask for a longer wait than our own, up to this. */
const LONGEST_RETRY_AFTER_MS = 600_000
const JITTER = 0.25

/** `error` of an SDK assistant or api_retry message, as far as a model request can cause it. */
export type ErrorKind =
  | "authentication_failed"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "unknown"

/** Error types that a later try may not meet; they count when there is no status (an error event in the stream). */
const PASSING_TYPES: ReadonlySet<string> = new Set([
  "overloaded_error",
  "rate_limit_error",
  "api_error",
  "timeout_error",
  "connection_error",
])

export const classify = (error: ModelError): "retry" | "fatal" => {
  if (error.status === null) return PASSING_TYPES.has(error.type) ? "retry" : "fatal"
  return error.status === 429 || (error.status >= 500 && error.status <= 599) ? "retry" : "fatal"
}

/**
 * Milliseconds to wait before try number `attempt` + 1 (`attempt` counts from 1): 500 · 2^(attempt-1), at most 32 s, or
 * what the server asked for when that is longer; plus up to a quarter of it. `random` is in [0, 1).
 */
export const retryDelayMs = (attempt: number, error: ModelError, random: number): number => {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_BACKOFF_MS)
  const asked = Math.min(error.retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  const wait = Math.max(backoff, asked)
  return Math.round(wait + wait * JITTER * random)
}

export const isPromptTooLong = (error: ModelError): boolean =>
  error.status === 413 || (error.type === "invalid_request_error" && /prompt is too long/i.test(error.message))

/** The SDK's word for an error; a plain 400 is `unknown` there, as is a lost connection. */
export const errorKind = (error: ModelError): ErrorKind => {
  if (error.status === 529 || error.type === "overloaded_error") return "overloaded"
  if (error.status === 429 || error.type === "rate_limit_error") return "rate_limit"
  if (error.status === 401 || error.type === "authentication_error") return "authentication_failed"
  if (error.status === 403 || error.type === "permission_error") return "authentication_failed"
  if (error.status === 402 || error.type === "billing_error") return "billing_error"
  if (error.status === 404 || error.type === "not_found_error") return "model_not_found"
  if (isPromptTooLong(error)) return "invalid_request"
  if ((error.status !== null && error.status >= 500) || error.type === "api_error") return "server_error"
  return "unknown"
}

/** The text of the assistant message that ends a turn on an API error. */
export const apiErrorText = (error: ModelError): string => {
  if (error.midStream) {
    return error.type === "connection_error"
      ? "API Error: The connection was lost in the middle of the answer. What came before it was kept."
      : `API Error: The model's answer broke off: ${error.message}`
  }
  if (error.status === null) return `API Error: ${error.message}`
  return `API Error: ${error.status} ${error.message}`
}
