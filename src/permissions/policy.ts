// A session's standing answers: its mode and its allow, deny and ask rules. Updates give a new policy.
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionRuleValue,
  PermissionUpdate,
} from "../schemas/sdk/permissions.ts"
import type { SessionOptions } from "../schemas/sdk/options.ts"
import { formatRule, parseRule } from "./rules.ts"

export interface Policy {
  readonly mode: PermissionMode
  readonly rules: Readonly<Record<PermissionBehavior, ReadonlyArray<PermissionRuleValue>>>
  readonly directories: ReadonlyArray<string>
  /** What to do with a question: wait for an answer, or deny at once. */
  readonly prompts: "ask" | "deny"
}

/** `auto` runs as `default`: there is no judged mode. */
const runningMode = (mode: PermissionMode | undefined): PermissionMode =>
  mode === undefined || mode === "auto" ? "default" : mode

/** The policy that options ask for; `updates` are those that answers made earlier in the session, in order. */
export const policyOf = (options: SessionOptions, updates: ReadonlyArray<PermissionUpdate>): Policy =>
  updates.reduce<Policy>(applyUpdate, {
    mode: runningMode(options.permissionMode),
    rules: {
      allow: (options.allowedTools ?? []).map(parseRule),
      deny: (options.disallowedTools ?? []).map(parseRule),
      ask: [],
    },
    directories: [],
    prompts: options.permission_prompts ?? "ask",
  })

/** One `PermissionUpdate`. Every destination lands in the session: there are no settings files here. */
export const applyUpdate = (policy: Policy, update: PermissionUpdate): Policy => {
  switch (update.type) {
    case "setMode":
      return { ...policy, mode: runningMode(update.mode) }
    case "addRules":
      return withRules(policy, update.behavior, [...policy.rules[update.behavior], ...update.rules])
    case "replaceRules":
      return withRules(policy, update.behavior, update.rules)
    case "removeRules": {
      const gone = new Set(update.rules.map(formatRule))
      return withRules(
        policy,
        update.behavior,
        policy.rules[update.behavior].filter((rule) => !gone.has(formatRule(rule))),
      )
    }
    case "addDirectories":
      return { ...policy, directories: [...policy.directories, ...update.directories] }
    case "removeDirectories":
      return { ...policy, directories: policy.directories.filter((path) => !update.directories.includes(path)) }
  }
}

const withRules = (
  policy: Policy,
  behavior: PermissionBehavior,
  rules: ReadonlyArray<PermissionRuleValue>,
): Policy => ({
  ...policy,
  rules: { ...policy.rules, [behavior]: rules },
})
