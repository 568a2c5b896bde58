// The SDK's permission vocabulary: modes, rule values, updates and results.
import { Schema } from "effect"

export const PermissionMode = Schema.Literals([
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
])
export type PermissionMode = typeof PermissionMode.Type

export const PermissionBehavior = Schema.Literals(["allow", "deny", "ask"])
export type PermissionBehavior = typeof PermissionBehavior.Type

export const PermissionRuleValue = Schema.Struct({
  toolName: Schema.String,
  ruleContent: Schema.optionalKey(Schema.String),
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

/** The answer to a permission ask, as `canUseTool` gives it. */
export const PermissionResult = Schema.Union([
  Schema.Struct({
    behavior: Schema.Literal("allow"),
    updatedInput: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
    updatedPermissions: Schema.optionalKey(Schema.Array(PermissionUpdate).check(Schema.isMaxLength(100))),
  }),
  Schema.Struct({
    behavior: Schema.Literal("deny"),
    message: Schema.String,
    interrupt: Schema.optionalKey(Schema.Boolean),
  }),
])
export type PermissionResult = typeof PermissionResult.Type
