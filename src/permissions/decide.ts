// Receives a decoded tool call and the session's policy; returns what may happen to it.
// Invariant: a deny rule wins over everything, an ask rule over every allow (as the official SDK: deny, then ask, then allow).
import type { PermissionUpdate } from "../schemas/sdk/permissions.ts"
import type { Policy } from "./policy.ts"
import { formatRule, ruleMatches, type RuleSubject } from "./rules.ts"

/** What the engine needs to know of a call. */
export interface JudgedCall extends RuleSubject {
  readonly readOnly: boolean
  readonly edits: boolean
  readonly internal: boolean
}

export type ReasonType = "rule" | "mode" | "workingDir" | "safetyCheck" | "other"

export interface Reason {
  readonly type: ReasonType
  /** Plain words for the person who is asked, or for the model that was denied. */
  readonly text: string
}

export type Decision =
  | { readonly behavior: "allow"; readonly reason: Reason }
  | { readonly behavior: "deny"; readonly reason: Reason; readonly message: string }
  | {
      readonly behavior: "ask"
      readonly reason: Reason
      readonly message: string
      readonly suggestions: ReadonlyArray<PermissionUpdate>
      readonly blockedPath?: string
    }

const GUARDED = /(^|\/)\.git(\/|$)/

export const decide = (call: JudgedCall, policy: Policy): Decision => {
  const denied = policy.rules.deny.find((rule) => ruleMatches(rule, call, false))
  if (denied !== undefined) {
    const message =
      call.command === undefined
        ? `Permission to use ${call.toolName} has been denied.`
        : `Permission to use ${call.toolName} with command ${call.command} has been denied.`
    return { behavior: "deny", reason: { type: "rule", text: `rule ${formatRule(denied)}` }, message }
  }
  const asked = policy.rules.ask.find((rule) => ruleMatches(rule, call, false))
  if (asked !== undefined) return question(call, policy, { type: "rule", text: `rule ${formatRule(asked)} asks` })
  if (call.internal)
    return { behavior: "allow", reason: { type: "other", text: "changes only the session's own notes" } }
  if (policy.mode === "bypassPermissions")
    return { behavior: "allow", reason: { type: "mode", text: "bypassPermissions" } }

  const guarded = call.readOnly ? undefined : call.paths.find((path) => GUARDED.test(path))
  if (guarded !== undefined)
    return question(call, policy, { type: "safetyCheck", text: `${guarded} is a guarded path` }, guarded)

  const allowed = policy.rules.allow.find((rule) => ruleMatches(rule, call, true))
  if (allowed !== undefined && (call.readOnly || policy.mode !== "plan")) {
    return { behavior: "allow", reason: { type: "rule", text: `rule ${formatRule(allowed)}` } }
  }

  const outside = call.paths.find((path) => !isInside(path, [call.cwd, ...policy.directories]))
  if (outside !== undefined) {
    return question(call, policy, { type: "workingDir", text: `${outside} is outside the working directory` }, outside)
  }
  if (call.readOnly) return { behavior: "allow", reason: { type: "other", text: "read-only" } }
  if (policy.mode === "acceptEdits" && call.edits)
    return { behavior: "allow", reason: { type: "mode", text: "acceptEdits" } }
  if (policy.mode === "plan") return question(call, policy, { type: "mode", text: "plan mode is read-only" })
  return question(call, policy, { type: "other", text: `${call.toolName} needs permission` })
}

/** `dontAsk` denies what would be asked. */
const question = (call: JudgedCall, policy: Policy, reason: Reason, blockedPath?: string): Decision => {
  const message = deniedText(call, policy)
  if (policy.mode === "dontAsk") return { behavior: "deny", reason: { type: "mode", text: "dontAsk" }, message }
  return {
    behavior: "ask",
    reason,
    message,
    suggestions: suggestionsFor(call, blockedPath),
    ...(blockedPath === undefined ? {} : { blockedPath }),
  }
}

/** What the model is told when nobody can be asked. */
const deniedText = (call: JudgedCall, policy: Policy): string => {
  if (call.command !== undefined) return "This command requires approval, and nobody was there to give it."
  const path = call.paths[0]
  if (policy.mode === "plan") return `${call.toolName} cannot change ${path ?? "anything"} while in plan mode.`
  return `Permission to use ${call.toolName}${path === undefined ? "" : ` on ${path}`} was needed, and it has not been granted.`
}

const suggestionsFor = (call: JudgedCall, blockedPath: string | undefined): ReadonlyArray<PermissionUpdate> => {
  if (call.command !== undefined && !call.edits) {
    return [
      {
        type: "addRules",
        rules: [{ toolName: call.toolName, ruleContent: call.command }],
        behavior: "allow",
        destination: "localSettings",
      },
    ]
  }
  if (call.readOnly && blockedPath !== undefined) {
    const folder = blockedPath.slice(0, blockedPath.lastIndexOf("/"))
    return [
      {
        type: "addRules",
        rules: [{ toolName: "Read", ruleContent: `/${folder}/**` }],
        behavior: "allow",
        destination: "session",
      },
    ]
  }
  if (call.edits) return [{ type: "setMode", mode: "acceptEdits", destination: "session" }]
  return [{ type: "addRules", rules: [{ toolName: call.toolName }], behavior: "allow", destination: "session" }]
}

const isInside = (path: string, roots: ReadonlyArray<string>): boolean =>
  roots.some((root) => root === "/" || path === root || path.startsWith(`${root}/`))
