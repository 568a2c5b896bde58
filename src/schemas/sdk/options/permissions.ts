// The SDK's permission vocabulary: modes, rule values, updates, and the answer to a permission ask.
// Invariant: closed shapes, so that a route can refuse unknown fields by name; values of the control protocol are decoded
// with them too, but passed on with their unknown fields.
import * as Schema from "effect/Schema"
import { AnyRecord } from "../open.ts"

const opt = Schema.optionalKey

export const PermissionMode = Schema.Literals([
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
])
export type PermissionMode = typeof PermissionMode.Type

/** The modes that a client may set for the calls of one MCP server while everything else is allowed. */
export const McpMode = Schema.Literals(["default", "auto"])
export type McpMode = typeof McpMode.Type

export const PermissionBehavior = Schema.Literals(["allow", "deny", "ask"])
export type PermissionBehavior = typeof PermissionBehavior.Type

export const PermissionRuleValue = Schema.Struct({
  toolName: Schema.String,
  ruleContent: opt(Schema.String),
})
export type PermissionRuleValue = typeof PermissionRuleValue.Type

export const PermissionUpdateDestination = Schema.Literals([
  "userSettings",
  "projectSettings",
  "localSettings",
  "session",
  "cliArg",
])

const rulesUpdate = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    rules: Schema.Array(PermissionRuleValue).check(Schema.isMaxLength(1000)),
    behavior: PermissionBehavior,
    destination: PermissionUpdateDestination,
  })

const directoriesUpdate = <const Type extends string>(type: Type) =>
  Schema.Struct({
    type: Schema.Literal(type),
    directories: Schema.Array(Schema.String).check(Schema.isMaxLength(100)),
    destination: PermissionUpdateDestination,
  })

export const PermissionUpdate = Schema.Union([
  rulesUpdate("addRules"),
  rulesUpdate("replaceRules"),
  rulesUpdate("removeRules"),
  Schema.Struct({
    type: Schema.Literal("setMode"),
    mode: PermissionMode,
    destination: PermissionUpdateDestination,
  }),
  directoriesUpdate("addDirectories"),
  directoriesUpdate("removeDirectories"),
])
export type PermissionUpdate = typeof PermissionUpdate.Type

/** How the user's answer is classified: allowed once, allowed permanently, or rejected. */
export const PermissionDecisionClassification = Schema.Literals(["user_temporary", "user_permanent", "user_reject"])
export type PermissionDecisionClassification = typeof PermissionDecisionClassification.Type

const answered = { toolUseID: opt(Schema.String), decisionClassification: opt(PermissionDecisionClassification) }

/** The answer to a permission ask, as `canUseTool` returns it. */
export const PermissionResult = Schema.Union([
  Schema.Struct({
    behavior: Schema.Literal("allow"),
    updatedInput: opt(AnyRecord),
    updatedPermissions: opt(Schema.Array(PermissionUpdate).check(Schema.isMaxLength(100))),
    ...answered,
  }),
  Schema.Struct({
    behavior: Schema.Literal("deny"),
    message: Schema.String,
    interrupt: opt(Schema.Boolean),
    ...answered,
  }),
])
export type PermissionResult = typeof PermissionResult.Type
