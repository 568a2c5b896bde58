// The reasons why a tool call can fail.
import * as Schema from "effect/Schema"

/** Why a tool call failed. */
export const ToolErrorReason = Schema.Literals([
  "invalid_arguments",
  "not_found",
  "missing_old_text",
  "not_unique",
  "unchanged",
  "command_failed",
  "aborted",
  "permission_denied",
  "timeout",
])
export type ToolErrorReason = typeof ToolErrorReason.Type
