// What happens to a call with effects outside the session when the server stopped before its result was stored.
// Invariant: without the option no call is run again: the model is informed that the outcome is unknown.
import * as Schema from "effect/Schema"

/**
 * `tell_model`: the model is informed that the outcome is unknown. `ask_human`: the session's clients are asked for the outcome.
 * `retry`: the call is run again if its tool is declared idempotent, otherwise as `tell_model`.
 */
export const OutcomePolicy = Schema.Literals(["tell_model", "ask_human", "retry"])
export type OutcomePolicy = typeof OutcomePolicy.Type

const MAX_TOOLS = 200

/** A tool (`Bash`, `mcp__server__tool`), or all tools of an MCP server (`mcp__server`). */
const ToolOrServer = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

/** One policy for all calls, or one for some tools and another for the rest. `retry` for a tool by name declares it idempotent. */
export const UnknownOutcomes = Schema.Union([
  OutcomePolicy,
  Schema.Struct({
    default: Schema.optionalKey(OutcomePolicy),
    tools: Schema.optionalKey(Schema.Record(ToolOrServer, OutcomePolicy).check(Schema.isMaxProperties(MAX_TOOLS))),
  }),
])
export type UnknownOutcomes = typeof UnknownOutcomes.Type
