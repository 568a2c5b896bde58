// Receives a failure between Perch and the Messages API; returns a ModelError.
// Invariant: the error contains no cause, since causes name hosts, and some repeat a header's value. The server's own text
// is kept with keys and the queries of URLs redacted: a proxy may repeat what it was sent.
import { APIError } from "@anthropic-ai/sdk/error"
import { redact } from "../../net/redact.ts"
import type { LiveCall } from "./live-call.ts"
import { ModelError, type RawStreamEvent } from "../messages-api.ts"
import { THOUGHT_ONLY, UNREADABLE } from "../retry.ts"
import { TIMED_OUT_TEXT } from "./model-timeouts.ts"

/** Where a call failed: the id of its request, and whether its stream had begun. */
export type FailedAt = Pick<ModelError, "requestId" | "midStream">

/** The error of a connection that failed, or of an answer that can't be used. */
export const lost = (message: string, at: FailedAt): ModelError =>
  new ModelError({ status: null, type: "connection_error", message, retryAfterMs: null, ...at })

/** A stream that can't be decoded: the request is sent again without streaming. */
export const unreadable = (message: string, requestId: string | null): ModelError =>
  new ModelError({ status: null, type: UNREADABLE, message, requestId, retryAfterMs: null, midStream: true })

/** A stream that ended after its thinking: the request is sent again. */
export const thoughtOnly = (requestId: string | null): ModelError =>
  new ModelError({
    status: null,
    type: THOUGHT_ONLY,
    message: "The model's answer ended after its thinking.",
    requestId,
    retryAfterMs: null,
    midStream: true,
  })

/** The error of a call that exceeded one of its time limits; null when it did not. */
export const timedOut = ({ timedOut: limit }: Pick<LiveCall, "timedOut">, at: FailedAt): ModelError | null =>
  limit === null
    ? null
    : new ModelError({
        status: null,
        type: "timeout_error",
        message: TIMED_OUT_TEXT[limit],
        retryAfterMs: null,
        timedOut: limit,
        ...at,
      })

const textAt = (fields: unknown, key: string): string | null => {
  if (typeof fields !== "object" || fields === null) return null
  // An object that is not null can be read by any key.
  const value = (fields as Record<string, unknown>)[key]
  return typeof value === "string" ? value : null
}

/** The error of an `error` event inside a stream. */
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

/** The error of a request that got no answer, or one with an error status. */
export const requestError = (error: unknown, now: number, secrets: ReadonlyArray<string>): ModelError => {
  if (error instanceof APIError && typeof error.status === "number") {
    return new ModelError({
      status: error.status,
      type: redact(error.type ?? "api_error", secrets),
      message: redact(error.apiMessage ?? "The model's server returned no reason.", secrets),
      requestId: error.requestID ?? null,
      retryAfterMs: retryAfterMs(error.headers, now),
      ...shouldRetry(error.headers),
      midStream: false,
    })
  }
  if (error instanceof APIError) return lost("The model could not be reached.", { requestId: null, midStream: false })
  return new ModelError({
    status: null,
    type: "invalid_request_error",
    message: "The request to the model could not be made. Check the API key and the base URL of the server.",
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })
}

/** The value of `x-should-retry`, if it is `true` or `false`. */
const shouldRetry = (headers: Headers | undefined): { readonly shouldRetry?: boolean } => {
  const value = headers?.get("x-should-retry")
  return value === "true" || value === "false" ? { shouldRetry: value === "true" } : {}
}

/** Milliseconds to wait by `retry-after-ms`, or by `retry-after` in seconds or as a date; null without a positive wait. */
export const retryAfterMs = (headers: Headers | undefined, now: number): number | null => {
  const inMs = Number.parseFloat(headers?.get("retry-after-ms") ?? "")
  if (inMs > 0) return inMs
  const value = headers?.get("retry-after") ?? ""
  const wait = /^[\d.]+$/.test(value) ? Number.parseFloat(value) * 1000 : Date.parse(value) - now
  return wait > 0 ? wait : null
}
