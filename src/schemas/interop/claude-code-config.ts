// The configuration of a session's or a tenant's router for subtasks, and the route that a request can name.
import * as Schema from "effect/Schema"
import { PermissionMode } from "../sdk/options/permissions.ts"

const opt = Schema.optionalKey
const Labels = Schema.Array(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))).check(
  Schema.isMaxLength(100),
)

/** The fields of a configuration. */
export const CLAUDE_CODE_FIELDS = {
  enabled: opt(Schema.Boolean),
  preferForComplexTasks: opt(Schema.Boolean),
  maxTurnsPerSubtask: opt(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))),
  permissionMode: opt(PermissionMode),
  fallbackToMinimal: opt(Schema.Boolean),
  complexityThreshold: opt(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  forceMinimalLabels: opt(Labels),
  forceClaudeCodeLabels: opt(Labels),
}

/** The router's configuration. A missing field has the value of `CLAUDE_CODE_DEFAULTS`. */
export const ClaudeCodeConfig = Schema.Struct(CLAUDE_CODE_FIELDS).annotate({ identifier: "ClaudeCodeConfig" })
export type ClaudeCodeConfig = typeof ClaudeCodeConfig.Type

/** The values of fields that a configuration leaves out. */
export const CLAUDE_CODE_DEFAULTS = {
  enabled: true,
  preferForComplexTasks: true,
  maxTurnsPerSubtask: 30,
  permissionMode: "acceptEdits",
  fallbackToMinimal: true,
  complexityThreshold: 0.6,
} as const satisfies ClaudeCodeConfig

/** `auto` decides by the subtask; the others name the agent. */
export const Route = Schema.Literals(["auto", "claude-code", "minimal"]).annotate({ identifier: "Route" })
export type Route = typeof Route.Type
