// Receives a failed model request; says what to do next, after how long, and how to name the failure to clients.
// Invariant: what asking again can't heal (401, 403, 413, most 400) is fatal at once.
import type { ModelError } from "./messages-api.ts"

/** A request is asked again at most this often, unless the session's options say less. */
export const MAX_RETRIES = 10

const FIRST_DELAY_MS = 500
const LONGEST_BACKOFF_MS = 32_000
/** A server may ask for a longer wait than our own, up to this. */
const LONGEST_RETRY_AFTER_MS = 600_000
const JITTER = 0.25
/** As the official SDK: the fallback model is asked after this many overloaded answers. */
const OVERLOADS_BEFORE_FALLBACK = 3

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

/** What a step has tried so far, the failure that is asked about included. */
export interface TriesSoFar {
  /** Number of the next retry, from 1: one more than the retries that were announced. */
  readonly attempt: number
  readonly maxRetries: number
  /** True while a fallback model is left that was not asked. */
  readonly fallbackLeft: boolean
  /** Overloaded answers of the model that is asked now, in a row. */
  readonly overloads: number
  readonly nonStreamingTried: boolean
  /** Times that the request was sent again in its plain form. */
  readonly rejections: number
}

export type NextTry =
  /** Wait, tell it as `api_retry`, and stream again. */
  | { readonly next: "retry"; readonly countsAsRetry: true }
  /** Ask at once without streaming, and tell nobody. */
  | { readonly next: "non_streaming" }
  | { readonly next: "fallback_model" }
  /** Send the request's plain form at once, and tell nobody. */
  | { readonly next: "again" }
  | { readonly next: "fail" }

/** What to do after a failure of which nothing is kept. As the official SDK, except that 401 and 403 are fatal at once. */
export const plan = (error: ModelError, tries: TriesSoFar): NextTry => {
  const streamSaidError = error.midStream && error.type !== "connection_error"
  if ((streamSaidError || error.status === 404) && !tries.nonStreamingTried) return { next: "non_streaming" }
  if (refusesExtras(error) && tries.rejections === 0) return { next: "again" }
  if (classify(error) === "fatal") return { next: "fail" }
  const spent = tries.attempt > tries.maxRetries
  if (isOverloaded(error) && tries.fallbackLeft && (spent || tries.overloads >= OVERLOADS_BEFORE_FALLBACK)) {
    return { next: "fallback_model" }
  }
  return spent ? { next: "fail" } : { next: "retry", countsAsRetry: true }
}

const isOverloaded = (error: ModelError): boolean => error.status === 529 || error.type === "overloaded_error"

/**
 * True when the API refuses what only some models and servers know: a beta, an effort, a way of thinking. The request's
 * plain form has none of them. What is wrong with the conversation or a tool stays wrong in any form.
 */
const refusesExtras = (error: ModelError): boolean =>
  error.status === 400 &&
  !/^(messages|tools|system)\b/.test(error.message) &&
  /anthropic-beta|\b(display|effort|output_config|adaptive)\b|thinking\.(type|enabled|disabled)|extra inputs/i.test(
    error.message,
  )

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

const saysTooLong = (error: ModelError): boolean =>
  (error.status === 413 || error.type === "invalid_request_error") && /prompt is too long/i.test(error.message)

/** True when a shorter conversation may be accepted. */
export const isPromptTooLong = (error: ModelError): boolean => error.status === 413 || saysTooLong(error)

/** The SDK's word for an error; a plain 400 is `unknown` there, as is a lost connection. */
export const errorKind = (error: ModelError): ErrorKind => {
  if (isOverloaded(error)) return "overloaded"
  if (error.status === 429 || error.type === "rate_limit_error") return "rate_limit"
  if (error.status === 401 || error.type === "authentication_error") return "authentication_failed"
  if (error.status === 403 || error.type === "permission_error") return "authentication_failed"
  if (error.status === 402 || error.type === "billing_error") return "billing_error"
  if (error.status === 404 || error.type === "not_found_error") return "model_not_found"
  if (isPromptTooLong(error)) return "invalid_request"
  if ((error.status !== null && error.status >= 500) || error.type === "api_error") return "server_error"
  return "unknown"
}

/** `terminal_reason` of the result of a turn that ends on this error. */
export const terminalReasonOf = (error: ModelError): "api_error" | "prompt_too_long" | "image_error" => {
  if (saysTooLong(error)) return "prompt_too_long"
  return error.status === 413 ? "image_error" : "api_error"
}

/** The text of the assistant message that ends a turn on an API error. */
export const apiErrorText = (error: ModelError): string => {
  if (error.midStream) {
    return error.type === "connection_error"
      ? "API Error: The connection was lost in the middle of the answer."
      : `API Error: The model's server failed in the middle of the answer (${error.type}).`
  }
  if (saysTooLong(error)) return "API Error: The conversation is longer than the model can read. Compact or clear it."
  if (error.status === 413) {
    return "API Error: 413 The request is too large. Leave out images or long attachments, or begin a new session."
  }
  if (error.status === 404) {
    return "API Error: 404 The model was not found, or this API key may not use it. Choose another with `model`."
  }
  return error.status === null ? `API Error: ${error.message}` : `API Error: ${error.status} ${error.message}`
}
