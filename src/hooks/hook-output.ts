// Receives the decoded output of one hook; returns its contribution to each decision that hooks can make.
// Invariant: an event's own field counts only in an output for that event, and a general `decision: "block"` is never
// overruled by the event's own decision in the same output.
import { defined } from "../schemas/json/defined.ts"
import type { HookEvent } from "../schemas/sdk/hooks/hooks.ts"
import type {
  HookPermissionDecision,
  HookSpecificOutput,
  SyncHookJSONOutput,
} from "../schemas/sdk/hooks/hook-outputs.ts"
import { HOOK_ANSWER_STATUS } from "../schemas/sdk/status/hook-answer-status.ts"
import type { HookOutcome, PermissionRequestDecision } from "./outcome.ts"

export type HookOutput = typeof SyncHookJSONOutput.Type

/** The reason when a hook blocks and gives none. */
const NO_REASON = "A hook blocked this without a reason."

type SpecificEvent = HookSpecificOutput["hookEventName"]

/** The event-specific fields of an output; undefined when it has none for this event. */
const own = <Event extends SpecificEvent>(output: HookOutput, event: Event) =>
  output.hookSpecificOutput?.hookEventName === event
    ? // The name discriminates the members of the union.
      (output.hookSpecificOutput as Extract<HookSpecificOutput, { readonly hookEventName: Event }>)
    : undefined

export interface Verdict<Behavior extends string> {
  readonly behavior: Behavior
  readonly reason?: string
}

/** The verdicts of a PreToolUse hook, in the event's own form and in the general one; an output may have both. */
export const permissionsOf = (output: HookOutput): ReadonlyArray<Verdict<HookPermissionDecision>> =>
  verdictsOf(output, own(output, "PreToolUse"))

/** The verdicts of a PreModelSwitch hook, in both forms as well. */
export const switchesOf = (output: HookOutput): ReadonlyArray<Verdict<"allow" | "deny" | "ask">> =>
  verdictsOf(output, own(output, "PreModelSwitch"))

/** The decision of a PermissionRequest hook, or null; a general `block` is a deny, a general `approve` decides nothing. */
export const requestOf = (event: HookEvent, output: HookOutput): PermissionRequestDecision | null => {
  if (event !== "PermissionRequest") return null
  const decision = own(output, "PermissionRequest")?.decision
  if (output.decision === "block" && decision?.behavior !== "deny") {
    return { behavior: "deny", message: blockReason(output) ?? NO_REASON }
  }
  if (decision === undefined) return null
  if (decision.behavior === "deny") {
    const { message, interrupt } = decision
    return { behavior: "deny", ...defined({ message }), ...defined({ interrupt }) }
  }
  const { updatedInput, updatedPermissions } = decision
  return { behavior: "allow", ...defined({ updatedInput }), ...defined({ updatedPermissions }) }
}

/** The reason of a hook that blocks in the general form, or a script in the form of that event; undefined when it does not. */
export const blockReason = (output: HookOutput): string | undefined =>
  output.decision === "block" ? output.reason || NO_REASON : scriptRefusal(output)

/** As the official SDK: every decision but `allow` refuses the script, and so does another input. */
const scriptRefusal = (output: HookOutput): string | undefined => {
  const {
    permissionDecision = "allow",
    permissionDecisionReason,
    updatedInput,
  } = own(output, "PreSkillShellCommand") ?? {}
  if (permissionDecision !== "allow") return permissionDecisionReason || output.reason || NO_REASON
  return updatedInput === undefined ? undefined : "A hook changed the script, which is not possible here."
}

export const stopOf = (output: HookOutput): HookOutcome["stop"] =>
  output.continue === false ? defined({ reason: output.stopReason }) : null

export const updatedInputOf = (output: HookOutput): HookOutcome["updatedInput"] =>
  own(output, "PreToolUse")?.updatedInput ?? null

/**
 * The value that replaces a tool's output, or null. `updatedMCPToolOutput` is the older name and applies to MCP tools only. As
 * in the official SDK, a blank value (null, "", false, 0) under the older name replaces nothing.
 */
export const updatedOutputOf = (output: HookOutput, toolName: unknown): HookOutcome["updatedOutput"] => {
  const specific = own(output, "PostToolUse")
  if (specific?.updatedToolOutput !== undefined) return { value: specific.updatedToolOutput }
  const isMcp = typeof toolName === "string" && toolName.startsWith("mcp__")
  return isMcp && specific?.updatedMCPToolOutput ? { value: specific.updatedMCPToolOutput } : null
}

/** The text that clients are shown instead of the model's; undefined when the hook does not replace it. */
export const displayContentOf = (output: HookOutput): string | undefined =>
  own(output, "MessageDisplay")?.displayContent

/** Text for the model. Many events have it under the same name. */
export const contextOf = (output: HookOutput): string | undefined => {
  const specific = output.hookSpecificOutput
  return specific !== undefined && "additionalContext" in specific ? specific.additionalContext : undefined
}

export const titleOf = (output: HookOutput): string | undefined =>
  (own(output, "UserPromptSubmit") ?? own(output, "SessionStart"))?.sessionTitle

/** True when the hook keeps a prompt from the model: it blocks the prompt or stops its turn. */
export const keepsPrompt = (event: HookEvent, output: HookOutput): boolean =>
  (event === "UserPromptSubmit" || event === "UserPromptExpansion") &&
  (stopOf(output) !== null || blockReason(output) !== undefined)

export const suppressesPrompt = (output: HookOutput): boolean =>
  (own(output, "UserPromptSubmit") ?? own(output, "UserPromptExpansion"))?.suppressOriginalPrompt === true

export const initialMessageOf = (output: HookOutput): string | undefined =>
  own(output, "SessionStart")?.initialUserMessage

export const elicitationOf = (output: HookOutput): HookOutcome["elicitation"] => {
  const specific = own(output, "Elicitation") ?? own(output, "ElicitationResult")
  if (specific?.action === undefined) return null
  return { action: specific.action, ...defined({ content: specific.content }) }
}

/** The fields that Perch does not support, each with the reason: `watchPaths: FileChanged hooks do not fire`. */
export const unsupportedOf = (event: HookEvent, output: HookOutput): ReadonlyArray<string> => {
  const given = output.hookSpecificOutput
  if (given === undefined) return []
  return Object.entries(HOOK_ANSWER_STATUS[event] ?? {})
    .filter(([field, { status }]) => status === "unsupported" && Reflect.get(given, field) !== undefined)
    .map(([field, { note }]) => `${field}: ${note}`)
}

const verdictsOf = <Behavior extends string>(
  output: HookOutput,
  {
    permissionDecision: behavior,
    permissionDecisionReason: reason,
  }: { readonly permissionDecision?: Behavior; readonly permissionDecisionReason?: string } = {},
): ReadonlyArray<Verdict<Behavior | "allow" | "deny">> => [
  ...verdict(behavior, reason ?? output.reason),
  ...verdict(generalDecision(output), output.reason ?? reason),
]

const generalDecision = (output: HookOutput): "allow" | "deny" | undefined => {
  if (output.decision === undefined) return undefined
  return output.decision === "block" ? "deny" : "allow"
}

const verdict = <Behavior extends string>(
  behavior: Behavior | undefined,
  reason: string | undefined,
): ReadonlyArray<Verdict<Behavior>> => (behavior === undefined ? [] : [{ behavior, ...defined({ reason }) }])
