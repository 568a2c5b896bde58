// Receives a model's stop reason; returns the error for an answer that is not complete.
// Invariant: reasons of Anthropic and OpenAI with the same meaning produce the same error type.
import { ModelError } from "../../model/messages-api.ts"

const errorOf = (type: string, message: string, requestId: string | null): ModelError =>
  new ModelError({ status: null, type, message, requestId, retryAfterMs: null, midStream: true })

/** Returns null when the model completed its answer. `maxTokens` is null when the request set no limit. */
export const unfinished = (
  reason: string | null,
  maxTokens: number | null,
  requestId: string | null,
): ModelError | null => {
  switch (reason) {
    case "max_tokens":
    case "length": {
      const limit = maxTokens === null ? "the model's limit" : `its limit of ${maxTokens} tokens`
      return errorOf(
        "max_tokens",
        `The answer was cut at ${limit}. Ask for a shorter one, or set maxTokens.`,
        requestId,
      )
    }
    case "model_context_window_exceeded":
      return errorOf("prompt_too_long", "The prompt is longer than the model can read.", requestId)
    case "refusal":
    case "content_filter":
      return errorOf("refusal", "The model declined to answer.", requestId)
    default:
      return null
  }
}

/** The error of a harness whose options do not permit any request. */
export const notSetUp = (message: string): ModelError =>
  new ModelError({
    status: null,
    type: "invalid_request_error",
    message,
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })
