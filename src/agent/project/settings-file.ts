// Receives the text of a settings file; returns the settings that a session uses, and a notice for everything else in it.
// Invariant: no field that could matter is ignored silently; a file whose permissions can't be read counts as broken as a
// whole, because what it denies is unknown.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AutoCompactWindow, CacheTtl, Effort, ShellEnv } from "../../schemas/sdk/options/options.ts"
import { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { isComplete } from "../../permissions/rule-notices.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { hooksOf } from "./file-hooks.ts"
import { type FileRules, NO_SETTINGS, type ProjectSettings } from "./project-settings.ts"

export interface SettingsFile {
  readonly settings: ProjectSettings
  readonly notices: ReadonlyArray<string>
}

const opt = Schema.optionalKey
const Rules = opt(Schema.Array(Schema.String.check(Schema.isMaxLength(1000))).check(Schema.isMaxLength(500)))
const Permissions = Schema.Struct({
  allow: Rules,
  deny: Rules,
  ask: Rules,
  defaultMode: opt(PermissionMode),
  additionalDirectories: opt(
    Schema.Array(Schema.String.check(Schema.isMaxLength(4096))).check(Schema.isMaxLength(100)),
  ),
  disableBypassPermissionsMode: opt(Schema.Literal("disable")),
})

/** Fields about a terminal, a machine or an account: they have no meaning here, and cause no notice. */
const WITHOUT_MEANING: ReadonlySet<string> = new Set(
  (
    "$schema theme statusLine spinnerTipsEnabled spinnerTipsOverride spinnerVerbs includeCoAuthoredBy attribution " +
    "cleanupPeriodDays autoUpdatesChannel companyAnnouncements terminalProgressBarEnabled showTurnDuration " +
    "prefersReducedMotion editorMode verbose respectGitignore preferredNotifChannel"
  ).split(" "),
)
const TAKEN: ReadonlySet<string> = new Set(
  "permissions env hooks disableAllHooks model effortLevel alwaysThinkingEnabled autoCompactEnabled autoCompactWindow promptCacheTtl subagentPromptCacheTtl".split(
    " ",
  ),
)

/** `at` is the file's name in notices; relative directories are resolved against `root`. */
export const readSettingsFile = (
  text: string,
  { at, source, root }: { readonly at: string; readonly source: FileRules["source"]; readonly root: string },
): SettingsFile => {
  const read = parsed(text)
  const permissions = read === null ? null : permissionsOf(read["permissions"])
  if (read === null || permissions === null) {
    const why = read === null ? "is not a JSON object" : "has invalid `permissions`"
    const notice = `${at} ${why}: its deny rules are unknown, so calls with effects require permission until the file is fixed.`
    return { settings: { ...NO_SETTINGS, broken: [at] }, notices: [notice] }
  }
  const notices: Array<string> = []
  const note = (what: string) => notices.push(`${at}: ${what}`)
  const unknown = Object.keys(read).filter((name) => !TAKEN.has(name) && !WITHOUT_MEANING.has(name))
  for (const name of unknown.slice(0, 20)) note(`\`${name}\` is not supported.`)
  const settings: ProjectSettings = {
    ...NO_SETTINGS,
    ...permissionFields(permissions, read["permissions"], source, root, note),
    ...scalarsOf(read, note),
    env: envOf(read["env"], note),
    hooks: read["disableAllHooks"] === true ? {} : hooksOf(read["hooks"], note),
  }
  return { settings, notices }
}

type Note = (what: string) => void
type Fields = Readonly<Record<string, unknown>>

const parsed = (text: string): Fields | null => {
  // As in the official SDK: an empty file has no settings, and no error.
  const json = text.replace(/^\uFEFF/, "").trim() || "{}"
  try {
    const value: unknown = JSON.parse(json)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}

const decoded = <A>(schema: Schema.Codec<A, unknown>, value: unknown): A | undefined =>
  Result.getOrUndefined(Schema.decodeUnknownResult(schema)(value))

const permissionsOf = (value: unknown) => (value === undefined ? {} : (decoded(Permissions, value) ?? null))

const permissionFields = (
  permissions: typeof Permissions.Type,
  written: unknown,
  source: FileRules["source"],
  root: string,
  note: Note,
): Pick<ProjectSettings, "rules" | "directories" | "defaultMode" | "noBypass"> => {
  const { allow = [], deny = [], ask = [], defaultMode: mode, additionalDirectories = [] } = permissions
  for (const name of Object.keys(isPlainObject(written) ? written : {})) {
    if (!Object.hasOwn(Permissions.fields, name)) note(`\`permissions.${name}\` is not supported.`)
  }
  for (const [list, rules] of Object.entries({ allow, deny, ask })) {
    for (const rule of rules.filter((one) => !isComplete(one)).slice(0, 20)) {
      note(
        `\`permissions.${list}\` has ${JSON.stringify(shortened(rule, 200))}, which is not a complete rule and has no effect.`,
      )
    }
  }
  const opens = mode === "bypassPermissions"
  if (opens) note("`permissions.defaultMode` can't be bypassPermissions in a file. Set options.permissionMode.")
  return {
    rules: allow.length + deny.length + ask.length === 0 ? [] : [{ source, allow, deny, ask }],
    directories: additionalDirectories.flatMap((path) => {
      const absolute = path.startsWith("~") ? null : directoryAt(path, root)
      if (absolute === null) note(`the directory ${JSON.stringify(path)} is outside the workspace.`)
      return absolute === null ? [] : [absolute]
    }),
    ...(mode === undefined || opens ? {} : { defaultMode: mode }),
    ...(permissions.disableBypassPermissionsMode === undefined ? {} : { noBypass: true }),
  }
}

const directoryAt = (path: string, root: string): string | null => {
  try {
    return normalizePath(path, root)
  } catch {
    return null
  }
}

const scalarsOf = (read: Fields, note: Note) => {
  const scalar = <A>(name: string, schema: Schema.Codec<A, unknown>): A | undefined => {
    if (read[name] === undefined) return undefined
    const value = decoded(schema, read[name])
    if (value === undefined) note(`\`${name}\` has an invalid value.`)
    return value
  }
  const model = scalar("model", Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)))
  const effortLevel = scalar("effortLevel", Effort)
  const alwaysThinkingEnabled = scalar("alwaysThinkingEnabled", Schema.Boolean)
  const autoCompactEnabled = scalar("autoCompactEnabled", Schema.Boolean)
  const autoCompactWindow = scalar("autoCompactWindow", AutoCompactWindow)
  const promptCacheTtl = scalar("promptCacheTtl", CacheTtl)
  const subagentPromptCacheTtl = scalar("subagentPromptCacheTtl", CacheTtl)
  return {
    ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }),
    ...(subagentPromptCacheTtl === undefined ? {} : { subagentPromptCacheTtl }),
    ...(model === undefined ? {} : { model }),
    ...(effortLevel === undefined ? {} : { effortLevel }),
    ...(alwaysThinkingEnabled === undefined ? {} : { alwaysThinkingEnabled }),
    ...(autoCompactEnabled === undefined ? {} : { autoCompactEnabled }),
    ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
  }
}

/** The variables, each checked by itself; those that the shell reserves, and malformed ones, are named in notices. */
const envOf = (value: unknown, note: Note): Readonly<Record<string, string>> => {
  if (value === undefined) return {}
  if (!isPlainObject(value)) {
    note("`env` is not an object and is ignored.")
    return {}
  }
  const good = Object.entries(value).flatMap(([name, text]) => {
    // Decoding leaves out a name that is not valid for a variable.
    const one = decoded(ShellEnv, { [name]: text }) ?? {}
    if (!Object.hasOwn(one, name)) note(`the variable ${JSON.stringify(name.slice(0, 100))} can't be set.`)
    return Object.entries(one)
  })
  if (good.length > 100) note("`env` has more than 100 variables; the others are left out.")
  return Object.fromEntries(good.slice(0, 100))
}
