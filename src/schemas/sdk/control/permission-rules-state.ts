// The permission rules in effect and the settings that could not be read, as the control protocol lists them.
import * as Schema from "effect/Schema"
import { PermissionBehavior } from "../options/permissions.ts"

const opt = Schema.optionalKey

/** A setting or rule that could not be read. */
export const SettingsParseError = Schema.Struct({
  file: opt(Schema.String),
  path: Schema.String,
  message: Schema.String,
})

const PermissionRuleEntry = Schema.Struct({
  behavior: PermissionBehavior,
  source: Schema.Literals([
    "userSettings",
    "projectSettings",
    "localSettings",
    "flagSettings",
    "policySettings",
    "cliArg",
    "command",
    "session",
    "mcpMount",
    "toolsNarrowing",
    "mcpServerPolicy",
    "hostCredential",
  ]),
  rule: Schema.String,
  description: opt(Schema.Struct({ prefix: Schema.String, emphasis: opt(Schema.String), suffix: opt(Schema.String) })),
  editability: Schema.Literals(["persistent", "session", "readonly"]),
  notInEffect: opt(Schema.Boolean),
})

/** Every rule in effect with its source, as `list_permission_rules` returns it. */
export const PermissionRulesState = Schema.Struct({
  rules: Schema.Array(PermissionRuleEntry),
  workspaceDirectories: Schema.Array(Schema.Struct({ path: Schema.String, source: Schema.String })),
  originalCwd: Schema.String,
  managedOnly: Schema.Boolean,
  errors: opt(Schema.Array(SettingsParseError)),
  withheld: opt(Schema.Boolean),
})
export type PermissionRulesState = typeof PermissionRulesState.Type
