// Receives why a model stopped; returns the error of an answer that is not whole.
// Invariant: Anthropic's and OpenAI's reasons for one thing become the same error type.
import { ModelError } from "../../model/messages-api.ts"

const errorOf = (type: string, message: string, requestId: string | null): ModelError =>
  new ModelError({ status: null, type, message, requestId, retryAfterMs: null, midStream: true })

/** Null when the model had come to its end by itself. `maxTokens` is null when the request set no limit. */
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

/** A harness that can't send anything as it was set up. */
export const notSetUp = (message: string): ModelError =>
  new ModelError({
    status: null,
    type: "invalid_request_error",
    message,
    requestId: null,
    retryAfterMs: null,
    midStream: false,
  })
