// Receives a failed model request; returns what to do next, after how long, and the failure's name for clients.
// Invariant: what asking again can't heal (401, 403, 413) is fatal at once; of a 400 only another form of the request is tried.
import type { ModelError } from "./messages-api.ts"
import { MAX_TIMEOUT_RETRIES, type TimedOut } from "./live/model-timeouts.ts"

/** A request is sent again at most this often, unless the session's options set a lower limit. */
export const MAX_RETRIES = 10

const FIRST_DELAY_MS = 500
const LONGEST_BACKOFF_MS = 32_000
/** A server may ask for a longer wait than our own, up to this. */
const LONGEST_RETRY_AFTER_MS = 600_000
/** An answer that broke off before any content is asked for again at most this often. */
const MAX_RESTARTS = 2
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

/** The type of a stream that ended before anything of an answer, or that held what is no event: the server can't stream it. */
export const UNREADABLE = "unreadable_answer"

/** The type of a stream that ended, without an error, when nothing but thinking had come. */
export const THOUGHT_ONLY = "thought_only"

/** Types of a connection or a server that does not bring an answer to its end. */
const INTERRUPTIONS: ReadonlySet<string> = new Set(["connection_error", UNREADABLE, THOUGHT_ONLY])

/** True when the API went on with the answer, for all that is known. */
export const isCutOff = ({ type }: ModelError): boolean => INTERRUPTIONS.has(type)

/** Error types that a later try may not meet; they count when there is no status (an error event in the stream). */
const PASSING_TYPES: ReadonlySet<string> = new Set([
  "overloaded_error",
  "rate_limit_error",
  "api_error",
  "timeout_error",
  ...INTERRUPTIONS,
])

/** Timeout, conflict, rate limit. */
const RETRIED: ReadonlySet<number> = new Set([408, 409, 429])

/** As the official SDK: the server's own answer whether to retry counts for more than its status, except where only a change heals. */
export const classify = (error: ModelError): "retry" | "fatal" => {
  const { shouldRetry, status } = error
  if (shouldRetry !== undefined && status !== 401 && status !== 403 && !blamesConversation(error))
    return shouldRetry ? "retry" : "fatal"
  if (isOverloaded(error)) return "retry"
  if (error.status === null) return PASSING_TYPES.has(error.type) ? "retry" : "fatal"
  return RETRIED.has(error.status) || (error.status >= 500 && error.status <= 599) ? "retry" : "fatal"
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
  /** True when the answer broke off before any text or call of it had begun. */
  readonly unseen: boolean
  /** Times that such an answer was asked for again. */
  readonly restarts: number
  /** Times that the request was sent again in its plain form. */
  readonly rejections: number
  /** Times that the model that is asked now kept quiet until a limit. */
  readonly timeouts: number
}

/** Why another model answers: the values of `model_fallback`. */
export type FallbackTrigger = "overloaded" | "server_error" | "model_not_found" | "last_resort"

export type NextTry =
  /** Wait, emit `api_retry`, and stream again. */
  | { readonly next: "retry"; readonly countsAsRetry: true }
  /** Stream again at once, and emit nothing. */
  | { readonly next: "restart" }
  /** Ask at once without streaming, and emit nothing. */
  | { readonly next: "non_streaming" }
  | { readonly next: "fallback_model"; readonly trigger: FallbackTrigger }
  /** Send the request's plain form at once, and emit nothing. */
  | { readonly next: "again" }
  | { readonly next: "fail" }

/** What to do after a failure of which nothing is kept. As the official SDK, except that 401 and 403 are fatal at once. */
export const plan = (error: ModelError, tries: TriesSoFar): NextTry => {
  if (error.timedOut !== undefined) return afterTimeout(error.timedOut, tries)
  const trigger = tries.fallbackLeft ? fallbackTrigger(error, tries) : null
  // Another model is asked at once when this one's server failed, or when it does not exist.
  if (trigger === "server_error" || (trigger === "model_not_found" && NAMES_MODEL.test(error.message))) {
    return { next: "fallback_model", trigger }
  }
  if (error.type === UNREADABLE && !tries.nonStreamingTried) return { next: "non_streaming" }
  const isStreamError = error.midStream && error.type !== "connection_error"
  if (isStreamError && tries.unseen && tries.restarts < Math.min(tries.maxRetries, MAX_RESTARTS)) {
    return { next: "restart" }
  }
  if ((isStreamError || error.status === 404) && !tries.nonStreamingTried) return { next: "non_streaming" }
  if (mayRefuseExtras(error) && tries.rejections === 0) return { next: "again" }
  if (trigger !== null) return { next: "fallback_model", trigger }
  if (classify(error) === "fatal") return { next: "fail" }
  // The answer that broke off before the whole one was asked for counts as a try.
  if (tries.attempt <= tries.maxRetries - (tries.nonStreamingTried ? 1 : 0))
    return { next: "retry", countsAsRetry: true }
  return error.midStream && !tries.nonStreamingTried ? { next: "non_streaming" } : { next: "fail" }
}

/** The step's own limit leaves no time for anything else. */
const afterTimeout = (limit: TimedOut, { timeouts, maxRetries, fallbackLeft }: TriesSoFar): NextTry => {
  if (limit === "total") return { next: "fail" }
  if (timeouts <= timeoutRetries(maxRetries)) return { next: "retry", countsAsRetry: true }
  return fallbackLeft ? { next: "fallback_model", trigger: "server_error" } : { next: "fail" }
}

/** How often a request that ran into a limit is sent again. */
export const timeoutRetries = (maxRetries: number): number => Math.min(maxRetries, MAX_TIMEOUT_RETRIES)

/** The message of a 404 whose cause is the model's name, not the URL. */
const NAMES_MODEL = /^model:/i

/** Why another model may answer instead, or null when that would not help or is not due yet. */
const fallbackTrigger = (error: ModelError, tries: TriesSoFar): FallbackTrigger | null => {
  if (isOverloaded(error)) {
    if (error.shouldRetry === false) return "last_resort"
    return tries.overloads >= OVERLOADS_BEFORE_FALLBACK ? "overloaded" : null
  }
  if (error.status !== null && error.status >= 500) return "server_error"
  if (error.status === 404) return "model_not_found"
  return error.status === 400 && !isPromptTooLong(error) && !isImageError(error) ? "last_resort" : null
}

const isOverloaded = (error: ModelError): boolean => error.status === 529 || error.type === "overloaded_error"

/**
 * True when the API may refuse what only some models and servers know: a beta, an effort, a way of thinking. The request's
 * plain form has none of them. As the official SDK: whatever the refusal says, since many a gateway names no field. What is
 * wrong with the conversation or a tool stays wrong in any form.
 */
const mayRefuseExtras = (error: ModelError): boolean =>
  (error.status === 400 || error.status === 422) &&
  !/^(messages|tools|system)\b/.test(error.message) &&
  !blamesConversation(error) &&
  !saysNoCredit(error)

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

/** An image or document of the conversation that the API can't take. */
const isImageError = (error: ModelError): boolean =>
  error.status === 400 && /\bimage (exceeds|dimensions exceed)/i.test(error.message)

const saysNoCredit = (error: ModelError): boolean =>
  (error.status === 400 || error.status === 402) && /credit balance is too low/i.test(error.message)

/** True when the conversation must change before the request can succeed. */
export const blamesConversation = (error: ModelError): boolean => isPromptTooLong(error) || isImageError(error)

/** True when a shorter conversation may be accepted. */
export const isPromptTooLong = (error: ModelError): boolean => error.status === 413 || saysTooLong(error)

/** The SDK's name for an error that is retried; a plain 400 is `unknown` there, as is a lost connection. */
export const errorKind = (error: ModelError): ErrorKind => {
  if (isOverloaded(error)) return "overloaded"
  if (error.status === 429 || (error.status === null && error.type === "rate_limit_error")) return "rate_limit"
  if (error.status === 401 || error.type === "authentication_error") return "authentication_failed"
  if (error.status === 403 || error.type === "permission_error") return "authentication_failed"
  if (saysNoCredit(error)) return "billing_error"
  if (error.status === 404 || error.type === "not_found_error") return "model_not_found"
  if (blamesConversation(error)) return "invalid_request"
  if (
    (error.status !== null && (error.status >= 500 || error.status === 408 || error.status === 409)) ||
    (error.status === null && error.type === "api_error")
  )
    return "server_error"
  return "unknown"
}

/** Types of a server that is out of reach, or whose answer does not come to its end. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(["connection_error", THOUGHT_ONLY, "timeout_error"])

/** The SDK's name for an error that ends a turn: the last of many is a server's failure, overloaded or out of reach. */
export const finalErrorKind = (error: ModelError): ErrorKind => {
  const kind = errorKind(error)
  const isOut = error.status === null && OUT_OF_REACH.has(error.type)
  return kind === "overloaded" || isOut ? "server_error" : kind
}

/** `terminal_reason` of the result of a turn that ends on this error. */
export const terminalReasonOf = (error: ModelError): "api_error" | "prompt_too_long" | "image_error" => {
  if (saysTooLong(error)) return "prompt_too_long"
  return error.status === 413 || isImageError(error) ? "image_error" : "api_error"
}

const SERVER_KEY = "The server's operator sets ANTHROPIC_API_KEY there; the key that you sent to Perch was accepted."

/**
 * The text of the assistant message that ends a turn on an API error. It begins as the official SDK's does where apps look
 * for that, and names the server's key where a caller could take it for his own.
 */
export const apiErrorText = (error: ModelError): string => {
  if (error.timedOut !== undefined) return `API Error: ${error.message}`
  if (error.midStream) {
    return isCutOff(error)
      ? "API Error: The connection was lost in the middle of the answer."
      : `API Error: The model's server failed in the middle of the answer (${error.type}).`
  }
  if (saysTooLong(error))
    return "Prompt is too long · The conversation is longer than the model can read. Go on from an earlier message, or in another session."
  if (isImageError(error))
    return "API Error: 400 An image of the conversation is too large. Make it smaller, or leave it out."
  if (saysNoCredit(error)) {
    return `Credit balance is too low · The account of the Perch server's ANTHROPIC_API_KEY has no credit left (API Error: ${error.status}).`
  }
  if (error.status === 401 || error.type === "authentication_error") {
    return `Invalid API key · The model API refused the Perch server's own key (API Error: 401 ${error.message}). ${SERVER_KEY}`
  }
  if (error.status === 403 || error.type === "permission_error") {
    return `Failed to authenticate. API Error: 403 ${error.message} · The model API forbids this to the Perch server's own key. ${SERVER_KEY}`
  }
  if (error.status === 413) {
    return "Request too large · API Error: 413. Leave out images or long attachments, or begin a new session."
  }
  if (error.status === 404) {
    return "API Error: 404 The model was not found, or the Perch server's ANTHROPIC_API_KEY may not use it. Choose another with `model`."
  }
  return error.status === null ? `API Error: ${error.message}` : `API Error: ${error.status} ${error.message}`
}
