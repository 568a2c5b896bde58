// Receives what went wrong between Perch and the Messages API; returns a ModelError.
// Invariant: causes stay out of it: they name hosts, and some repeat a header's value. What the server wrote is kept
// without keys and the queries of addresses: a proxy may repeat what it was sent.
import { APIError } from "@anthropic-ai/sdk/error"
import { redact } from "../../net/redact.ts"
import type { LiveCall } from "./live-call.ts"
import { ModelError, type RawStreamEvent } from "../messages-api.ts"
import { THOUGHT_ONLY, UNREADABLE } from "../retry.ts"
import { TIMED_OUT_TEXT } from "./model-timeouts.ts"

/** A connection that failed, or an answer that can't be read. */
export const lost = (message: string, requestId: string | null, midStream: boolean): ModelError =>
  new ModelError({ status: null, type: "connection_error", message, requestId, retryAfterMs: null, midStream })

/** A stream of which nothing can be made: the whole answer is asked for at once. */
export const unreadable = (message: string, requestId: string | null): ModelError =>
  new ModelError({ status: null, type: UNREADABLE, message, requestId, retryAfterMs: null, midStream: true })

/** A stream that ended behind its thinking: it is asked for again. */
export const thoughtOnly = (requestId: string | null): ModelError =>
  new ModelError({
    status: null,
    type: THOUGHT_ONLY,
    message: "The model's answer ended behind its thinking.",
    requestId,
    retryAfterMs: null,
    midStream: true,
  })

/** A call that ran into one of its limits; null for one that did not. */
export const timedOut = (
  { timedOut: limit }: Pick<LiveCall, "timedOut">,
  requestId: string | null,
  midStream: boolean,
): ModelError | null =>
  limit === null
    ? null
    : new ModelError({
        status: null,
        type: "timeout_error",
        message: TIMED_OUT_TEXT[limit],
        requestId,
        retryAfterMs: null,
        midStream,
        timedOut: limit,
      })

const textAt = (fields: unknown, key: string): string | null => {
  if (typeof fields !== "object" || fields === null) return null
  // An object that is not null can be read by any key.
  const value = (fields as Record<string, unknown>)[key]
  return typeof value === "string" ? value : null
}

/** An `error` event inside a stream. */
export const streamError = (
  event: RawStreamEvent,
  requestId: string | null,
  secrets: ReadonlyArray<string>,
): ModelError =>
  new ModelError({
    status: null,
    type: redact(textAt(event["error"], "type") ?? "api_error", secrets),
    message: redact(textAt(event["error"], "message") ?? "The model reported an error.", secrets),
    requestId: requestId ?? textAt(event, "request_id"),
    retryAfterMs: null,
    midStream: true,
  })

/** An error of the request itself. */
export const requestError = (error: unknown, now: number, secrets: ReadonlyArray<string>): ModelError => {
  if (error instanceof APIError && typeof error.status === "number") {
    return new ModelError({
      status: error.status,
      type: redact(error.type ?? "api_error", secrets),
      message: redact(error.apiMessage ?? "The model's server gave no reason.", secrets),
      requestId: error.requestID ?? null,
      retryAfterMs: retryAfterMs(error.headers, now),
      ...shouldRetry(error.headers),
      midStream: false,
    })
  }
  if (error instanceof APIError) return lost("The model could not be reached.", null, false)
  return new ModelError({
    status: null,
    type: "invalid_request_error",
    message: "The request to the model could not be made. Check the API key and the base URL of the server.",
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })
}

/** `x-should-retry`, where it is `true` or `false`. */
const shouldRetry = (headers: Headers | undefined): { readonly shouldRetry?: boolean } => {
  const value = headers?.get("x-should-retry")
  return value === "true" || value === "false" ? { shouldRetry: value === "true" } : {}
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
export const retryAfterMs = (headers: Headers | undefined, now: number): number | null => {
  const inMs = Number.parseFloat(headers?.get("retry-after-ms") ?? "")
  if (inMs > 0) return inMs
  const value = headers?.get("retry-after") ?? ""
  const wait = /^[\d.]+$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - now
  return wait > 0 ? wait : null
}
