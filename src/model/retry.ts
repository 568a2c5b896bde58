// Receives a failed model request; returns what to do next, after how long, and the failure's name for clients.
// Invariant: an error that a retry can't fix (401, 403, 413) is fatal at once; after a 400 only another form of the request is tried.
import type { ModelError } from "./messages-api.ts"
import { MAX_TIMEOUT_RETRIES, type TimedOut } from "./live/model-timeouts.ts"
import { refusedMedia } from "./refused-media.ts"

/** The default of the option `max_retries`: how often a request is sent again at most. */
export const MAX_RETRIES = 10

const FIRST_DELAY_MS = 500
const MAX_BACKOFF_MS = 32_000
/** The longest wait that a server's `retry-after` can cause. */
const MAX_RETRY_AFTER_MS = 600_000
/** As the official SDK: how often a request is restarted at once after an overload ended its answer before any content. */
const MAX_RESTARTS = 2
const JITTER = 0.25
/** As the official SDK: the fallback model is used after this many overloaded answers. */
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

/** The type of a stream that ended before the answer's first block, or contained something that is no event. */
export const UNREADABLE = "unreadable_answer"

/** The type of a stream that ended, without an error, after nothing but thinking. */
export const THOUGHT_ONLY = "thought_only"

/** Error types of an answer that did not arrive in full, without an error from the API. */
const INTERRUPTIONS: ReadonlySet<string> = new Set(["connection_error", UNREADABLE, THOUGHT_ONLY])

/** True when the API may have completed the answer although Perch received only a part. */
export const isCutOff = ({ type }: ModelError): boolean => INTERRUPTIONS.has(type)

/** Transient error types; they are used when there is no status (an error event in the stream). */
const PASSING_TYPES: ReadonlySet<string> = new Set([
  "overloaded_error",
  "rate_limit_error",
  "api_error",
  "timeout_error",
  ...INTERRUPTIONS,
])

/** Statuses that are retried: timeout, conflict, rate limit. */
const RETRIED: ReadonlySet<number> = new Set([408, 409, 429])

/** As the official SDK: `x-should-retry` overrides the status, unless the key or the conversation must change first. */
export const classify = (error: ModelError): "retry" | "fatal" => {
  const { shouldRetry, status } = error
  if (shouldRetry !== undefined && status !== 401 && status !== 403 && !blamesConversation(error))
    return shouldRetry ? "retry" : "fatal"
  if (isOverloaded(error)) return "retry"
  // As the official SDK: the account lacks something that waiting does not add.
  if (status === 429 && /extra usage is required for long context/i.test(error.message)) return "fatal"
  if (error.status === null) return PASSING_TYPES.has(error.type) ? "retry" : "fatal"
  return RETRIED.has(error.status) || (error.status >= 500 && error.status <= 599) ? "retry" : "fatal"
}

/** What a step has tried so far, including the current failure. */
export interface TriesSoFar {
  /** Number of the next retry, from 1: one more than the `api_retry` messages since the last restart. */
  readonly attempt: number
  /** How much of `maxRetries` retries and restarts had used up at the last restart, itself included; as in the official SDK. */
  readonly spent: number
  readonly maxRetries: number
  /** True while there is a fallback model that was not tried. */
  readonly fallbackLeft: boolean
  /** How often the current model answered that it is overloaded. */
  readonly overloads: number
  readonly nonStreamingTried: boolean
  /** True when the answer broke off before any text or tool call had started. */
  readonly unseen: boolean
  /** True when clients have seen such an answer's thinking. */
  readonly thought?: boolean
  /** How often the request was restarted after such an answer. */
  readonly restarts: number
  /** How often the request was sent in its plain form. */
  readonly plainTries: number
  /** The `max_tokens` of a shorter answer that the request was repeated with; null if it was not. */
  readonly maxTokens: number | null
  /** How often the current model timed out. */
  readonly timeouts: number
}

/** What a step counts itself; the rest depends on its options and on the current failure. */
export type Counted = {
  -readonly [Name in keyof Omit<TriesSoFar, "maxRetries" | "fallbackLeft" | "unseen" | "thought">]: TriesSoFar[Name]
}

/** What has been tried before the first request with a model. */
export const NOTHING_TRIED: Readonly<Counted> = {
  attempt: 1,
  spent: 0,
  overloads: 0,
  restarts: 0,
  nonStreamingTried: false,
  plainTries: 0,
  maxTokens: null,
  timeouts: 0,
}

/** Counts a failure of the current model; to be called before `plan`. */
export const countFailure = (tries: Counted, error: ModelError): void => {
  if (isOverloaded(error)) tries.overloads += 1
  if (error.timedOut !== undefined) tries.timeouts += 1
}

/** Counts the next try. */
export const countTry = (tries: Counted, tried: NextTry): void => {
  if (tried.next === "retry") tries.attempt += 1
  else if (tried.next === "restart") {
    tries.restarts += 1
    tries.spent += tries.attempt
    tries.attempt = 1
  } else if (tried.next === "plain_form") tries.plainTries += 1
  else if (tried.next === "non_streaming") tries.nonStreamingTried = true
  else if (tried.next === "shorter_answer") tries.maxTokens = tried.maxTokens
  else if (tried.next === "fallback_model") Object.assign(tries, NOTHING_TRIED)
}

/** Why another model answers: the values of `model_fallback`. */
export type FallbackTrigger = "overloaded" | "server_error" | "model_not_found" | "last_resort"

export type NextTry =
  /** Wait, emit `api_retry`, and stream again. */
  | { readonly next: "retry" }
  /** Stream again at once, without an `api_retry`. */
  | { readonly next: "restart" }
  /** Send at once without streaming, without an `api_retry`. */
  | { readonly next: "non_streaming" }
  | { readonly next: "fallback_model"; readonly trigger: FallbackTrigger }
  /** Send the request's plain form at once, without an `api_retry`. */
  | { readonly next: "plain_form" }
  /** Ask at once for an answer of at most so many tokens, without an `api_retry`. */
  | { readonly next: "shorter_answer"; readonly maxTokens: number }
  | { readonly next: "fail" }

/** What to do after a failure whose answer is discarded. As the official SDK, except that 401 and 403 are fatal at once. */
export const plan = (error: ModelError, tries: TriesSoFar): NextTry => {
  if (error.timedOut !== undefined) return afterTimeout(error.timedOut, tries)
  const room = answerRoom(error)
  if (tries.maxTokens === null && room !== null && room >= SHORTEST_ANSWER) {
    return { next: "shorter_answer", maxTokens: room }
  }
  const trigger = tries.fallbackLeft ? fallbackTrigger(error, tries) : null
  // The fallback model is used at once when this model's server failed or this model does not exist.
  if (trigger === "server_error" || (trigger === "model_not_found" && NAMES_MODEL.test(error.message))) {
    return { next: "fallback_model", trigger }
  }
  if (error.type === UNREADABLE && !tries.nonStreamingTried) return { next: "non_streaming" }
  const isStreamError = error.midStream && error.type !== "connection_error"
  const isThought = isStreamError && tries.thought === true
  const mayRestart =
    error.midStream && (isOverloaded(error) || error.type === THOUGHT_ONLY || isThought) && tries.unseen
  if (mayRestart && tries.restarts < MAX_RESTARTS && tries.attempt <= tries.maxRetries - tries.spent)
    return { next: "restart" }
  // As the official SDK: what clients have seen is not requested without streaming, except after a stream without an error.
  if (isThought && error.type !== THOUGHT_ONLY) return { next: "fail" }
  if ((isStreamError || error.status === 404) && !tries.nonStreamingTried) return { next: "non_streaming" }
  if (mayRefuseExtras(error) && tries.plainTries === 0) return { next: "plain_form" }
  if (trigger !== null) return { next: "fallback_model", trigger }
  if (classify(error) === "fatal") return { next: "fail" }
  if (tries.attempt <= retryLimit(tries)) return { next: "retry" }
  return error.midStream && !tries.nonStreamingTried ? { next: "non_streaming" } : { next: "fail" }
}

/** The number of the last retry. After a request without streaming, the stream that broke off before it counts as a try. */
export const retryLimit = (tries: Pick<TriesSoFar, "maxRetries" | "spent" | "nonStreamingTried">): number =>
  tries.maxRetries - tries.spent - (tries.nonStreamingTried ? 1 : 0)

/** What to do after a timeout. After the step's total limit there is no time for another try. */
const afterTimeout = (limit: TimedOut, { timeouts, maxRetries, fallbackLeft }: TriesSoFar): NextTry => {
  if (limit === "total") return { next: "fail" }
  if (timeouts <= timeoutRetries(maxRetries)) return { next: "retry" }
  return fallbackLeft ? { next: "fallback_model", trigger: "server_error" } : { next: "fail" }
}

/** How often a request that timed out is sent again. */
export const timeoutRetries = (maxRetries: number): number => Math.min(maxRetries, MAX_TIMEOUT_RETRIES)

/** The message of a 404 whose cause is the model's name, not the URL. */
const NAMES_MODEL = /^model:/i

/** Why the fallback model may be used, or null when that would not help or is not due yet. */
const fallbackTrigger = (error: ModelError, tries: TriesSoFar): FallbackTrigger | null => {
  if (isOverloaded(error)) {
    if (error.shouldRetry === false) return "last_resort"
    return tries.overloads >= OVERLOADS_BEFORE_FALLBACK ? "overloaded" : null
  }
  if (error.status !== null && error.status >= 500) return "server_error"
  if (error.status === 404) return "model_not_found"
  return isRefused(error) && !blamesConversation(error) && !saysNoCredit(error) ? "last_resort" : null
}

/** Statuses that are not the model's own: key, credit, permission, size, rate limit. */
const OF_ACCOUNT: ReadonlySet<number | null> = new Set([null, 401, 402, 403, 413, 429])

/** True for a request that another model may accept. As the official SDK: refused with any other status, and not retried. */
const isRefused = (error: ModelError): boolean => !OF_ACCOUNT.has(error.status) && classify(error) === "fatal"

export const isOverloaded = (error: ModelError): boolean => error.status === 529 || error.type === "overloaded_error"

/**
 * True when the API may have refused a field that only some models and servers accept: a beta, an effort, a form of thinking.
 * The request's plain form has none of them. As the official SDK, whatever the error's text is, since many gateways name no
 * field. Errors about messages, tools or the system prompt would occur in any form.
 */
const mayRefuseExtras = (error: ModelError): boolean =>
  (error.status === 400 || error.status === 422) &&
  !/^(messages|tools|system)\b/.test(error.message) &&
  !blamesConversation(error) &&
  !saysNoCredit(error)

/**
 * Milliseconds to wait before try number `attempt` + 1 (`attempt` counts from 1): 500 · 2^(attempt-1), at most 32 s, or
 * the server's `retry-after` when that is longer, at most 10 min; plus up to a quarter of it. `random` is in [0, 1).
 */
export const retryDelayMs = (attempt: number, error: ModelError, random: number): number => {
  const backoff = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS)
  const retryAfter = Math.min(error.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
  const wait = Math.max(backoff, retryAfter)
  return Math.round(wait + wait * JITTER * random)
}

/** As the official SDK: the tokens that a shortened answer leaves free, and the least that it is worth asking for. */
const SPARE_TOKENS = 1000
const SHORTEST_ANSWER = 3000

/** The tokens that are left for an answer when the API refused a longer one behind this conversation; null for other errors. */
const answerRoom = ({ message }: ModelError): number | null => {
  const refusal = /max_tokens`? exceed context limit: (\d+) \+ \d+ > (\d+)/.exec(message)
  return refusal === null ? null : Number(refusal[2]) - Number(refusal[1]) - SPARE_TOKENS
}

/** How many tokens a request had too many, and their share of all its tokens, if the API's error contains that. */
export const excessTokens = ({ message }: ModelError): { readonly tokens: number; readonly share: number } | null => {
  const [, actual, most] = /prompt is too long\D*(\d+) tokens > (\d+)/i.exec(message) ?? []
  if (most === undefined) return null
  const tokens = Number(actual) - Number(most)
  return { tokens, share: tokens / Number(actual) }
}

const saysTooLong = (error: ModelError): boolean =>
  ((error.status === 413 || error.type === "invalid_request_error") && /prompt is too long/i.test(error.message)) ||
  answerRoom(error) !== null

const isImageError = (error: ModelError): boolean => refusedMedia(error) === "image"

const saysNoCredit = (error: ModelError): boolean =>
  (error.status === 400 || error.status === 402) && /credit balance is too low/i.test(error.message)

/** True when the conversation must change before the request can succeed. */
export const blamesConversation = (error: ModelError): boolean => isPromptTooLong(error) || refusedMedia(error) !== null

/** True when a shorter conversation may be accepted. */
export const isPromptTooLong = (error: ModelError): boolean => error.status === 413 || saysTooLong(error)

/** The SDK's name for an error that is retried. As in the SDK, other 400s and a lost connection are `unknown`. */
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

/** Errors of a server that is unreachable, or whose answer does not end properly. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(["connection_error", THOUGHT_ONLY, "timeout_error"])

/** The SDK's name for an error that ends a turn: an overloaded, broken or missing answer is then a `server_error`, 408 and 409 are `unknown`. */
export const finalErrorKind = (error: ModelError): ErrorKind => {
  const kind = errorKind(error)
  const isOut = error.status === null && OUT_OF_REACH.has(error.type)
  if (error.status === 408 || error.status === 409) return "unknown"
  return kind === "overloaded" || isOut ? "server_error" : kind
}

/** `terminal_reason` of the result of a turn that ends on this error. */
export const terminalReasonOf = (error: ModelError): "api_error" | "prompt_too_long" | "image_error" => {
  if (saysTooLong(error)) return "prompt_too_long"
  return error.status === 413 || isImageError(error) ? "image_error" : "api_error"
}

const SERVER_KEY = "The server's operator sets ANTHROPIC_API_KEY there; the key that you sent to Perch was accepted."

/**
 * The text of the assistant message that ends a turn on an API error. It starts like the official SDK's text where apps
 * match on that, and names the server's key where a caller could mistake it for their own.
 */
export const apiErrorText = (error: ModelError): string => {
  if (error.timedOut !== undefined) return `API Error: ${error.message}`
  if (error.midStream) {
    return isCutOff(error)
      ? "API Error: The connection was lost in the middle of the answer."
      : `API Error: The model's server failed in the middle of the answer (${error.type}).`
  }
  if (saysTooLong(error))
    return "Prompt is too long · The conversation is longer than the model can read. Continue from an earlier message, or in another session."
  if (isImageError(error))
    return "API Error: 400 The API can't process an image of the conversation. Make it smaller, or leave it out."
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
    return "Request too large · API Error: 413. Leave out images or long attachments, or start a new session."
  }
  if (error.status === 404) {
    return "API Error: 404 The model was not found, or the Perch server's ANTHROPIC_API_KEY may not use it. Choose another with `model`."
  }
  return error.status === null ? `API Error: ${error.message}` : `API Error: ${error.status} ${error.message}`
}
