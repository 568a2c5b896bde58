// The SDK's permission vocabulary: modes, rule values, updates, the request that `canUseTool` receives and its answer.
// Invariant: closed shapes, so that a route can refuse unknown fields by name; values of the control protocol are decoded
// with them too, but passed on with their unknown fields.
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnyRecord, kept } from "../open.ts"
import { McpServerProvenance } from "./mcp-config.ts"
import { decoderOf, type ShapeError } from "../shape-error.ts"

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
