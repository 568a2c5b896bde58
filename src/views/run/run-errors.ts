// Receives the facts about a turn's failure from its events; returns the error kind of the run's result, or null.
// Invariant: the kind is derived from the API's response as the log has it, so that it never changes.
import type { RunErrorKind } from "../../schemas/runs/run-result.ts"

/** A failed model request, as the turn's last assistant message describes it. */
export interface FailedRequest {
  readonly text: string
  /** The API's own message, where `text` does not repeat it. */
  readonly details?: string
  readonly status?: number | null
}

/** Matches the API's messages about a conversation whose messages are in the wrong order. */
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
