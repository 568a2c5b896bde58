// Receives what a turn's events say of its failure; returns the kind of error that callers of runs know, or null.
// Invariant: a kind is read from what the log has of the API's answer, so that it is the same for ever.
import type { RunErrorKind } from "../../schemas/runs/run-result.ts"

/** A failed model request, as the turn's last assistant message has it. */
export interface FailedRequest {
  readonly text: string
  /** The API's own message, where `text` does not repeat it. */
  readonly details?: string
  readonly status?: number | null
}

/** How the API refuses a conversation whose messages do not follow one another. */
const ROLE_ORDER =
  /roles must alternate|incorrect role|must alternate between|unexpected role|first message must use the|tool_use(?:` | |_)ids|unexpected `?tool_(?:use|result)/i
const IMAGE_SIZE = /\bimage (?:exceeds|dimensions exceed|is too large)|An image of the conversation is too large/i

export const runErrorKind = (
  { text, details = "", status }: FailedRequest,
  { terminalReason, compactionFailed }: { readonly terminalReason: string | null; readonly compactionFailed: boolean },
): RunErrorKind | null => {
  const all = `${text}\n${details}`
  if (terminalReason === "prompt_too_long" || status === 413)
    return compactionFailed ? "compaction_failure" : "context_overflow"
  if (terminalReason === "image_error" || IMAGE_SIZE.test(all)) return "image_size"
  return ROLE_ORDER.test(all) ? "role_ordering" : null
}
