// The settings that a session uses from the settings files of its project: rules, variables, hooks, defaults.
// Invariant: after the session has read the files once, changes in them can only narrow what is allowed, since the model may
// have written them.
import * as Schema from "effect/Schema"
import { HttpHookMatchers } from "../../schemas/sdk/hooks/http-hooks.ts"
import { AutoCompactWindow, CacheTtl, Effort, SessionSettings } from "../../schemas/sdk/options/options.ts"
import { PermissionMode } from "../../schemas/sdk/options/permissions.ts"

const opt = Schema.optionalKey
const Texts = Schema.Array(Schema.String)

/** The rules of one file. */
export const FileRules = Schema.Struct({
  source: Schema.Literals(["projectSettings", "localSettings"]),
  allow: Texts,
  deny: Texts,
  ask: Texts,
})
export type FileRules = typeof FileRules.Type

export const ProjectSettings = Schema.Struct({
  rules: Schema.Array(FileRules),
  /** Absolute paths. */
  directories: Texts,
  defaultMode: opt(PermissionMode),
  noBypass: opt(Schema.Literal(true)),
  model: opt(Schema.String),
  effortLevel: opt(Effort),
  alwaysThinkingEnabled: opt(Schema.Boolean),
  autoCompactEnabled: opt(Schema.Boolean),
  autoCompactWindow: opt(AutoCompactWindow),
  promptCacheTtl: opt(CacheTtl),
  subagentPromptCacheTtl: opt(CacheTtl),
  env: Schema.Record(Schema.String, Schema.String),
  hooks: HttpHookMatchers,
  /** Files whose rules can't be read. */
  broken: Texts,
})
export type ProjectSettings = typeof ProjectSettings.Type

export const NO_SETTINGS: ProjectSettings = { rules: [], directories: [], env: {}, hooks: {}, broken: [] }

/** The matchers of all sources by event, in the order of the sources. */
export const mergedHooks = (all: ReadonlyArray<HttpHookMatchers>): HttpHookMatchers => {
  const merged: Record<string, ReadonlyArray<unknown>> = {}
  for (const [event, matchers] of all.flatMap((hooks) => Object.entries(hooks)))
    merged[event] = [...(merged[event] ?? []), ...matchers]
  // Each list is of matchers of its event.
  return merged as HttpHookMatchers
}

/** The settings of both files; the later one, which is local, takes precedence. */
export const mergedSettings = (files: ReadonlyArray<ProjectSettings>): ProjectSettings =>
  files.reduce((one, other) => {
    return {
      ...one,
      ...other,
      ...(one.noBypass === true ? { noBypass: true as const } : {}),
      rules: [...one.rules, ...other.rules],
      directories: [...one.directories, ...other.directories],
      env: { ...one.env, ...other.env },
      hooks: mergedHooks([one.hooks, other.hooks]),
      broken: [...one.broken, ...other.broken],
    }
  }, NO_SETTINGS)

/** The settings that apply when files have changed since they were `trusted`: no more is allowed, and no less denied. */
export const narrowed = (trusted: ProjectSettings, now: ProjectSettings): ProjectSettings => {
  const sources = ["projectSettings", "localSettings"] as const
  const rulesOf = ({ rules }: ProjectSettings, source: FileRules["source"]) =>
    rules.find((one) => one.source === source) ?? { source, allow: [], deny: [], ask: [] }
  return {
    ...trusted,
    ...(now.noBypass === true ? { noBypass: true } : {}),
    rules: sources.flatMap((source) => {
      const [before, after] = [rulesOf(trusted, source), rulesOf(now, source)]
      return [
        {
          source,
          allow: before.allow.filter((rule) => after.allow.includes(rule)),
          deny: Array.from(new Set([...before.deny, ...after.deny])),
          ask: Array.from(new Set([...before.ask, ...after.ask])),
        },
      ]
    }),
    directories: trusted.directories.filter((path) => now.directories.includes(path)),
    broken: Array.from(new Set([...trusted.broken, ...now.broken])),
  }
}

/** Tools with effects: their calls are asked about while the rules of a file can't be read. */
const WITH_EFFECTS = ["Agent", "Bash", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "Write", "mcp__*"]

/** The rules for the policy. */
export const rulesIn = ({ rules, broken }: ProjectSettings): ReadonlyArray<FileRules> =>
  broken.length === 0 ? rules : [...rules, { source: "projectSettings", allow: [], deny: [], ask: WITH_EFFECTS }]

/** Defaults, which `settings` of the options override. */
export const defaultsIn = (settings: ProjectSettings): SessionSettings => {
  const { rules: _, directories: _d, env: _e, hooks: _h, broken: _b, defaultMode, noBypass, ...defaults } = settings
  const permissions = {
    ...(defaultMode === undefined ? {} : { defaultMode }),
    ...(noBypass === undefined ? {} : { disableBypassPermissionsMode: "disable" as const }),
  }
  return { ...defaults, permissions }
}
