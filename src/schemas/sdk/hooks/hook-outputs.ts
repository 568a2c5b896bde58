// The answers of hook callbacks: an announcement to answer later (`async`), or the verdict, with the event's own fields.
// Invariant: 23 events have fields of their own; for the others `hookSpecificOutput` has none.
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnyRecord, kept, open } from "../open.ts"
import { PermissionUpdate } from "../options/permissions.ts"
import { decoderOf, type ShapeError } from "../shape-error.ts"

const opt = Schema.optionalKey

export const HookPermissionDecision = Schema.Literals(["allow", "deny", "ask", "defer"])
export type HookPermissionDecision = typeof HookPermissionDecision.Type

const specific = <const Event extends string, const Fields extends Schema.Struct.Fields>(
  event: Event,
  fields: Fields,
) => open({ hookEventName: Schema.Literal(event), ...fields })

/** `hookSpecificOutput` by event. */
export const HookSpecificOutputs = {
  PreToolUse: specific("PreToolUse", {
    permissionDecision: opt(HookPermissionDecision),
    permissionDecisionReason: opt(Schema.String),
    updatedInput: opt(AnyRecord),
    additionalContext: opt(Schema.String),
  }),
  PreSkillShellCommand: specific("PreSkillShellCommand", {
    permissionDecision: opt(HookPermissionDecision),
    permissionDecisionReason: opt(Schema.String),
    updatedInput: opt(AnyRecord),
  }),
  PostToolUse: specific("PostToolUse", {
    additionalContext: opt(Schema.String),
    classifierContext: opt(Schema.String),
    updatedToolOutput: opt(Schema.Unknown),
    updatedMCPToolOutput: opt(Schema.Unknown),
  }),
  PostToolUseFailure: specific("PostToolUseFailure", { additionalContext: opt(Schema.String) }),
  PostToolBatch: specific("PostToolBatch", { additionalContext: opt(Schema.String) }),
  PermissionDenied: specific("PermissionDenied", { retry: opt(Schema.Boolean) }),
  Notification: specific("Notification", { additionalContext: opt(Schema.String) }),
  UserPromptSubmit: specific("UserPromptSubmit", {
    additionalContext: opt(Schema.String),
    sessionTitle: opt(Schema.String),
    suppressOriginalPrompt: opt(Schema.Boolean),
  }),
  UserPromptExpansion: specific("UserPromptExpansion", {
    additionalContext: opt(Schema.String),
    suppressOriginalPrompt: opt(Schema.Boolean),
  }),
  SessionStart: specific("SessionStart", {
    additionalContext: opt(Schema.String),
    initialUserMessage: opt(Schema.String),
    sessionTitle: opt(Schema.String),
    watchPaths: opt(Schema.Array(Schema.String)),
    reloadSkills: opt(Schema.Boolean),
  }),
  Stop: specific("Stop", { additionalContext: opt(Schema.String) }),
  SubagentStart: specific("SubagentStart", { additionalContext: opt(Schema.String) }),
  SubagentStop: specific("SubagentStop", { additionalContext: opt(Schema.String) }),
  PreModelSwitch: specific("PreModelSwitch", {
    permissionDecision: opt(Schema.Literals(["allow", "deny", "ask"])),
    permissionDecisionReason: opt(Schema.String),
  }),
  PostModelSwitch: specific("PostModelSwitch", { additionalContext: opt(Schema.String) }),
  PermissionRequest: specific("PermissionRequest", {
    decision: Schema.Union([
      open({
        behavior: Schema.Literal("allow"),
        updatedInput: opt(AnyRecord),
        updatedPermissions: opt(Schema.Array(kept(PermissionUpdate))),
      }),
      open({ behavior: Schema.Literal("deny"), message: opt(Schema.String), interrupt: opt(Schema.Boolean) }),
    ]),
  }),
  Setup: specific("Setup", { additionalContext: opt(Schema.String) }),
  Elicitation: specific("Elicitation", {
    action: opt(Schema.Literals(["accept", "decline", "cancel"])),
    content: opt(AnyRecord),
  }),
  ElicitationResult: specific("ElicitationResult", {
    action: opt(Schema.Literals(["accept", "decline", "cancel"])),
    content: opt(AnyRecord),
  }),
  WorktreeCreate: specific("WorktreeCreate", { worktreePath: Schema.String }),
  CwdChanged: specific("CwdChanged", { watchPaths: opt(Schema.Array(Schema.String)) }),
  FileChanged: specific("FileChanged", { watchPaths: opt(Schema.Array(Schema.String)) }),
  MessageDisplay: specific("MessageDisplay", { displayContent: opt(Schema.String) }),
}

export const HookSpecificOutput = Schema.Union(Object.values(HookSpecificOutputs))
export type HookSpecificOutput = typeof HookSpecificOutput.Type

/** The hook answers later, within `asyncTimeout` seconds; nothing waits for it. */
export const AsyncHookJSONOutput = open({ async: Schema.Literal(true), asyncTimeout: opt(Schema.Finite) })

/** The verdict. `continue: false` stops the run with `stopReason`; `decision` is the general form of a block. */
export const SyncHookJSONOutput = open({
  async: opt(Schema.Never),
  continue: opt(Schema.Boolean),
  stopReason: opt(Schema.String),
  suppressOutput: opt(Schema.Boolean),
  decision: opt(Schema.Literals(["approve", "block"])),
  reason: opt(Schema.String),
  systemMessage: opt(Schema.String),
  terminalSequence: opt(Schema.String),
  hookSpecificOutput: opt(HookSpecificOutput),
})

export const HookJSONOutput = Schema.Union([AsyncHookJSONOutput, SyncHookJSONOutput])
export type HookJSONOutput = typeof HookJSONOutput.Type

const decodeAsync = decoderOf("output", AsyncHookJSONOutput)
const decodeSync = decoderOf("output", SyncHookJSONOutput)

/** Decodes a callback's answer; `async` distinguishes the two forms. Unknown fields are kept. */
export const decodeHookOutput = (output: unknown): Result.Result<HookJSONOutput, ShapeError> =>
  typeof output === "object" && output !== null && "async" in output && output.async === true
    ? decodeAsync(output)
    : decodeSync(output)
