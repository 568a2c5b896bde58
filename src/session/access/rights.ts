// Receives a change of a session's options and permissions, and who makes it; returns the refusal, or undefined.
// Invariants: a change that allows more than any ask could grant needs the scope `bypass`; a ticket never loosens what the
// session's owner has set: rules stay, limits can only be lowered, and options that are set can't be replaced.
import { applyUpdate, policyOf, type Policy } from "../../permissions/policy.ts"
import { formatRule, type Rule } from "../../permissions/rules.ts"
import type { Actor } from "../../schemas/access.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { PermissionUpdate } from "../../schemas/sdk/options/permissions.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { rulesOf } from "../../schemas/sdk/options/permission-ruleset.ts"
import { isSameJson } from "../../schemas/json/same-json.ts"

/** A session's options and permissions, as its record has them. */
interface PermissionState {
  readonly options: SessionOptions
  readonly permission_updates: ReadonlyArray<PermissionUpdate>
}

export interface Change {
  /** Null for a session that is being made. */
  readonly before: PermissionState | null
  readonly after: PermissionState
  /** The fields that the request itself sets. */
  readonly named: Partial<PermissionState>
  /** For an answer: the updates that its ask suggested. */
  readonly suggested?: ReadonlyArray<PermissionUpdate>
}

const NOTHING: PermissionState = { options: {}, permission_updates: [] }

/** Without an actor it is Perch itself that changes the session. */
export const refusalOf = (by: Actor | undefined, change: Change): Refusal | undefined => {
  if (by === undefined) return undefined
  const field = by.bypass ? undefined : bypassField(change)
  if (field !== undefined) {
    const message =
      by.ticket === undefined
        ? `${field} needs an API key with the scope bypass`
        : `${field} can't be set to this value with a ticket`
    return refuse("permission_error", message, field)
  }
  if (by.ticket === undefined) return undefined
  const lock = loosened(change)
  if (lock === undefined) return undefined
  return refuse("permission_error", `${lock.what} and can't be loosened with a ticket`, lock.field)
}

/** The field by which a change allows more than any ask could grant; undefined when there is none. */
const bypassField = ({ before, after, named }: Change): string | undefined => {
  const { options = {}, permission_updates: updates = [] } = named
  if (options.permissionMode === "bypassPermissions") return "options.permissionMode"
  if (options.allowDangerouslySkipPermissions === true) return "options.allowDangerouslySkipPermissions"
  if (options.shell_network === true) return "options.shell_network"
  const { defaultMode } = options.settings?.permissions ?? {}
  if (defaultMode === "bypassPermissions") return "options.settings.permissions.defaultMode"
  if (updates.some((update) => update.type === "setMode" && update.mode === "bypassPermissions")) {
    return "permissionMode"
  }
  // Fields that are not named can change too: a copy has its parent's options, and settings may have suppressed the mode.
  const from = before ?? NOTHING
  if (modeOf(after) === "bypassPermissions" && modeOf(from) !== "bypassPermissions") return "options.permissionMode"
  for (const name of ["allowDangerouslySkipPermissions", "shell_network"] as const) {
    if (after.options[name] === true && from.options[name] !== true) return `options.${name}`
  }
  return undefined
}

const modeOf = ({ options, permission_updates: updates }: PermissionState) => policyOf(options, updates).mode

interface Lock {
  /** The start of the refusal's message. */
  readonly what: string
  readonly field: string
}

/** What a change through a ticket would loosen, or undefined. */
const loosened = (change: Change): Lock | undefined => {
  const { before, after } = change
  if (before === null) return undefined
  return rulesLoosened(change, before) ?? rulesetOpened(before, after) ?? optionLoosened(before.options, after.options)
}

const rulesLoosened = ({ after, suggested = [] }: Change, before: PermissionState): Lock | undefined => {
  const was = suggested.reduce(applyUpdate, policyOf(before.options, before.permission_updates))
  const is = policyOf(after.options, after.permission_updates)
  for (const behavior of ["deny", "ask"] as const) {
    const gone = missing(was, is, behavior)
    if (gone !== undefined) return { what: `The ${behavior} rule ${formatRule(gone)} was set`, field: "permissions" }
  }
  const settings = before.options.settings?.permissions
  const added = missing(is, was, "allow")
  const ruled = before.options.allowedTools !== undefined || settings?.allow !== undefined
  if (added !== undefined && (ruled || isWide(added))) {
    return { what: ruled ? "The allow rules were set" : "The rule allows a whole tool", field: "permissions" }
  }
  const wider = is.directories.some((directory) => !was.directories.includes(directory))
  if (wider && (before.options.additionalDirectories ?? settings?.additionalDirectories) !== undefined) {
    return { what: "The directories were set", field: "additionalDirectories" }
  }
  const opened = before.options.permissionMode ?? settings?.defaultMode
  if (opened === "dontAsk" && is.mode !== "dontAsk" && is.mode !== "plan") {
    return { what: "The mode dontAsk was set", field: "permissionMode" }
  }
  if (was.bypass || !is.bypass) return undefined
  return { what: "disableBypassPermissionsMode was set", field: "permissions" }
}

/** A rule of `from` that `to` lacks. */
const missing = (from: Policy, to: Policy, behavior: "allow" | "deny" | "ask"): Rule | undefined => {
  const kept = new Set(to.rules[behavior].map(formatRule))
  return from.rules[behavior].find((rule) => !kept.has(formatRule(rule)))
}

/** Without content, or with nothing but wildcards and the root of paths in it, a rule allows every call of its tool. */
const isWide = ({ ruleContent }: Rule): boolean =>
  ruleContent === undefined || !/^[^*?:\s]/.test(ruleContent) || EVERYWHERE.test(ruleContent)

/** `//**`, `./**`, `~/**`, and every domain. */
const EVERYWHERE = /^(?:domain:)?[*?.~/\s]*$/

/** A new ruleset where there was none may deny and ask, but not allow. Replacing one is up to `optionLoosened`. */
const rulesetOpened = (before: PermissionState, after: PermissionState): Lock | undefined => {
  const { permission } = after.options
  if (before.options.permission !== undefined || permission === undefined) return undefined
  const allows = rulesOf(permission).some(({ action }) => action === "allow")
  return allows ? { what: "The session was opened without options.permission", field: "options.permission" } : undefined
}

/**
 * Options that the role `control` may change freely. Rules, directories and modes are checked in the resulting policy
 * instead.
 */
const FREE: ReadonlySet<string> = new Set([
  "model",
  "fallbackModel",
  "thinking",
  "maxThinkingTokens",
  "effort",
  "variant",
  "includePartialMessages",
  "forwardSubagentText",
  "agentProgressSummaries",
  "replay_user_messages",
  "reply",
  "permissionMode",
  "allowDangerouslySkipPermissions",
  "shell_network",
  "allowedTools",
  "disallowedTools",
  "additionalDirectories",
  "settings",
])

/** Limits that may be lowered. */
const LIMITS: ReadonlySet<string> = new Set([
  "maxTurns",
  "maxBudgetUsd",
  "max_retries",
  "model_first_byte_timeout_ms",
  "model_idle_timeout_ms",
  "model_timeout_ms",
])

const optionLoosened = (before: SessionOptions, after: SessionOptions): Lock | undefined => {
  const now: Readonly<Record<string, unknown>> = after
  for (const [name, was] of Object.entries(before)) {
    if (FREE.has(name) || isSameJson(was, now[name])) continue
    const is = now[name]
    if (LIMITS.has(name) && typeof was === "number" && typeof is === "number" && is <= was) continue
    return { what: `options.${name} was set`, field: `options.${name}` }
  }
  return undefined
}
