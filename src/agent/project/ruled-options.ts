// Receives a session's options and the settings of its project; returns the options with the settings as defaults.
// Invariant: the options take precedence; rules, directories and hooks of both apply.
import type { RuledOptions } from "../../permissions/policy.ts"
import type { SessionOptions, SessionSettings } from "../../schemas/sdk/options/options.ts"
import { defaultsIn, mergedHooks, type ProjectSettings, rulesIn } from "./project-settings.ts"

export const withProject = (options: SessionOptions, project: ProjectSettings): RuledOptions => {
  const { additionalDirectories = [], hooks = {}, shell_env: env } = options
  const rules = rulesIn(project)
  return {
    ...options,
    settings: settingsOver(defaultsIn(project), options.settings ?? {}),
    ...(project.directories.length === 0
      ? {}
      : { additionalDirectories: [...additionalDirectories, ...project.directories] }),
    ...(Object.keys(project.env).length === 0 ? {} : { shell_env: { ...project.env, ...env } }),
    ...(Object.keys(project.hooks).length === 0 ? {} : { hooks: mergedHooks([hooks, project.hooks]) }),
    ...(rules.length === 0 ? {} : { project_rules: rules }),
  }
}

const settingsOver = (defaults: SessionSettings, own: SessionSettings): SessionSettings => ({
  ...defaults,
  ...own,
  permissions: { ...defaults.permissions, ...own.permissions },
})
