// A call of the client's `canUseTool` and its answer; decodes one.
// Invariant: the shapes are closed, but decoding keeps unknown fields.
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnyRecord, kept } from "../open.ts"
import { decoderOf, type ShapeError } from "../shape-error.ts"
import { McpServerProvenance } from "../options/mcp-config.ts"
import { PermissionResult, PermissionUpdate } from "../options/permissions.ts"

const opt = Schema.optionalKey

/** What `canUseTool` receives in addition to the tool and its input; the `signal` that it also receives is not data. */
export const CanUseToolOptions = Schema.Struct({
  suggestions: opt(Schema.Array(PermissionUpdate)),
  blockedPath: opt(Schema.String),
  mcpServer: opt(McpServerProvenance),
  decisionReason: opt(Schema.String),
  title: opt(Schema.String),
  displayName: opt(Schema.String),
  description: opt(Schema.String),
  defaultToNo: opt(Schema.Boolean),
  suppressAlwaysAllowRule: opt(Schema.Boolean),
  toolUseID: Schema.String,
  agentID: opt(Schema.String),
  requestId: Schema.String,
  matchedAskRule: opt(
    Schema.Struct({ source: Schema.String, toolName: Schema.String, ruleContent: opt(Schema.String) }),
  ),
})
export type CanUseToolOptions = typeof CanUseToolOptions.Type

/** One call of `canUseTool` and its answer; null means that the answer is given elsewhere. */
export const CanUseToolCall = Schema.Struct({
  toolName: Schema.String,
  input: AnyRecord,
  options: CanUseToolOptions,
  result: Schema.NullOr(PermissionResult),
})
export type CanUseToolCall = typeof CanUseToolCall.Type

/** Decodes a call of `canUseTool` with its answer; unknown fields are kept. */
export const decodeCanUseToolCall: (call: unknown) => Result.Result<CanUseToolCall, ShapeError> = decoderOf(
  "canUseTool",
  kept(CanUseToolCall),
)
