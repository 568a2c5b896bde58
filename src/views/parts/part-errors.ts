// Receives an assistant message that is an error, a `system/api_retry` or an error result; returns the error in opencode's shape.
// Invariant: the text is one that clients already read in the log; no detail is added.
import type { PayloadOf } from "../../schemas/log/event-payloads.ts"
import type { ApiError, MessageError } from "../../schemas/parts.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { textOf } from "../../schemas/json/text-field.ts"

const RETRYABLE = new Set(["rate_limit", "overloaded", "server_error"])
const AUTHENTICATION = new Set([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "cloud_credential_error",
])

interface Failed {
  readonly error?: string
  readonly is_api_error_message?: boolean
  readonly api_error_status?: number | null
  readonly message: { readonly content: unknown }
}

/** The error of a synthetic assistant message; undefined when it has none. */
export const messageErrorOf = (payload: Failed): MessageError | undefined => {
  const kind = payload.error ?? (payload.is_api_error_message === true ? "unknown" : undefined)
  if (kind === undefined) return undefined
  const message = blocksIn(payload.message.content)
    .map((block) => textOf(block.text))
    .join("\n")
  const status = payload.api_error_status ?? null
  if (AUTHENTICATION.has(kind)) return { name: "ProviderAuthError", data: { providerID: "anthropic", message } }
  if (kind === "max_output_tokens") return { name: "MessageOutputLengthError", data: {} }
  if (kind === "unknown" && status === null) return { name: "UnknownError", data: { message } }
  return apiError(kind, message, status)
}

/** The error of a failed attempt that will be retried. */
export const retryErrorOf = ({ error, error_status }: PayloadOf<"sdk:system/api_retry">): ApiError => {
  const failed = apiError(error, `The model request failed (${error})`, error_status)
  return { ...failed, data: { ...failed.data, isRetryable: true } }
}

/** The fields of a result that are read; imported results of older versions may lack them. */
interface Stopped {
  readonly errors?: ReadonlyArray<string>
  readonly terminal_reason?: string
}

/** The error of an answer whose turn ended in `error_during_execution`: interrupted, or failed. */
export const stopErrorOf = (result: Stopped): MessageError => {
  const aborted = result.terminal_reason?.startsWith("aborted") ?? true
  const first = result.errors?.[0]
  // The first error of an interrupted turn may be a diagnostic code for clients of the SDK, which is not shown to people.
  const message = first === undefined || first.startsWith("[ede_diagnostic]") ? "The turn was interrupted." : first
  return { name: aborted ? "MessageAbortedError" : "UnknownError", data: { message } }
}

const apiError = (kind: string, message: string, status: number | null): ApiError => ({
  name: "APIError",
  data: { message, ...(status === null ? {} : { statusCode: status }), isRetryable: RETRYABLE.has(kind) },
})
