// The files of a session's project that apply to the session itself: its settings and its subagents. Receives the options of
// each turn; returns the settings overlaid with the options.
// Invariant: settings are taken as they are when a turn with these sources first starts. After that, changes of the files
// only narrow what is allowed, until a client sets `settingSources` again. Without that option nothing is looked up.
import { type ProjectAgents, readProjectAgents } from "../../agent/project/project-agents.ts"
import { ProjectReader } from "../../agent/project/project-reader.ts"
import { mergedSettings, narrowed, NO_SETTINGS, type ProjectSettings } from "../../agent/project/project-settings.ts"
import { withProject } from "../../agent/project/ruled-options.ts"
import { readSettingsFile } from "../../agent/project/settings-file.ts"
import { hookIssues } from "../../hooks/http-hook-rules.ts"
import { hookFetchSettings } from "../../net/guarded-fetch.ts"
import { policyOf } from "../../permissions/policy.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { maskOptions } from "../../schemas/sdk/options/masked-options.ts"
import { overlaid } from "../../schemas/sdk/options/variants.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { SettingSource } from "../../schemas/sdk/options/setting-sources.ts"
import type { SessionCore } from "../core.ts"
import { projectReader } from "./project-files.ts"

type Core = Pick<SessionCore, "append" | "context" | "meta" | "permissions" | "record" | "workspace">

interface Read {
  readonly settings: ProjectSettings
  readonly notices: ReadonlyArray<string>
}

/** The settings in force, for these sources. */
interface AppliedSettings extends Read {
  readonly key: string
}

const FILES = [
  ["project", ".claude/settings.json", "projectSettings"],
  ["local", ".claude/settings.local.json", "localSettings"],
] as const

const NO_AGENTS: ProjectAgents = { agents: {}, notices: [] }
const CHANGED =
  "The settings files of the project have changed since the session loaded them. New permissions, variables, hooks and defaults in them are not applied. Set options.settingSources by PATCH to load the files as they are now."

export class SessionProject {
  readonly #core: Core
  #applied: AppliedSettings | null = null
  #agents: ProjectAgents | null = null
  #merged: {
    readonly options: SessionOptions
    readonly running: SessionOptions | null
    readonly merged: SessionOptions
  } | null = null
  #overlaid: {
    readonly options: SessionOptions
    readonly settings: ProjectSettings
    readonly result: SessionOptions
  } | null = null

  constructor(core: Core) {
    this.#core = core
  }

  /** Call it when a turn with these options starts: takes the settings, or narrows those that were taken. */
  beginTurn(turn: string, options: SessionOptions): void {
    this.#agents = null
    const key = keyOf(options)
    if (key === "") return
    const now = this.#read(key)
    const taken = this.#core.meta.get("project_settings")?.[key]
    if (taken === undefined) this.#take(turn, key, now.settings)
    this.#applied = applied(key, taken, now)
  }

  /** The effective options: the settings, overlaid with the session's options and those of the running turn. */
  effective(options: SessionOptions, running: SessionOptions | null): SessionOptions {
    // Rules are checked at every command of a script, so the same parts return the same object.
    if (this.#merged?.options !== options || this.#merged.running !== running)
      this.#merged = { options, running, merged: overlaid(options, running ?? {}) }
    return this.withSettings(this.#merged.merged)
  }

  /** The settings overlaid with the options; the options themselves when they name no sources. */
  withSettings(options: SessionOptions): SessionOptions {
    const key = keyOf(options)
    if (key === "") return options
    if (this.#applied?.key !== key)
      this.#applied = applied(key, this.#core.meta.get("project_settings")?.[key], this.#read(key))
    const { settings } = this.#applied
    if (this.#overlaid?.options !== options || this.#overlaid.settings !== settings)
      this.#overlaid = { options, settings, result: withProject(options, settings) }
    return this.#overlaid.result
  }

  /** Notices for clients about the settings files: what is wrong in them, and which changes do not apply. */
  notices(options: SessionOptions): ReadonlyArray<string> {
    return this.#applied?.key === keyOf(options) ? this.#applied.notices : []
  }

  /** The subagents of the project, as they are when the turn starts. */
  agents(options: SessionOptions): ProjectAgents {
    if (options.settingSources?.includes("project") !== true) return NO_AGENTS
    return (this.#agents ??= readProjectAgents(projectReader(this.#core)))
  }

  /** Call inside the transaction in which a client sets the sources: the next turn takes the files as they are then. */
  forget(): void {
    if (this.#core.meta.get("project_settings") !== undefined) this.#core.meta.delete("project_settings")
    this.#applied = null
  }

  #take(turn: string, key: string, settings: ProjectSettings): void {
    const { env, ...shown } = maskOptions(settings)
    const payload = { sources: key.split(","), settings: { ...shown, env: Object.keys(env) } }
    this.#core.append([{ name: EventNames.settingsTaken, payload, turn }], () => {
      this.#core.meta.set("project_settings", { ...this.#core.meta.get("project_settings"), [key]: settings })
    })
  }

  #read(key: string): Read {
    const { context, record, workspace } = this.#core
    // Read with an empty policy: no rule of the files themselves keeps them from being read.
    const reader = new ProjectReader(workspace, record.cwd, () => policyOf({}, []))
    const files = FILES.flatMap(([wanted, name, source]) => {
      const file = key.split(",").includes(wanted) ? reader.read(reader.at(name)) : null
      if (file === null) return []
      // A truncated file is no valid JSON, and counts as broken.
      return [readSettingsFile(file.text, { at: name, source, root: record.cwd })]
    })
    if (files.length === 0) return { settings: NO_SETTINGS, notices: [] }
    const settings = mergedSettings(files.map((file) => file.settings))
    const wrong = hookIssues(settings.hooks, hookFetchSettings(context.env))
    return {
      settings: wrong.length === 0 ? settings : { ...settings, hooks: {} },
      notices: [
        ...files.flatMap(({ notices }) => notices),
        ...wrong.map(
          ({ field, message }) =>
            `The hooks of the settings files are left out: ${field} ${message.replace(/\.$/, "")}.`,
        ),
      ],
    }
  }
}

/** The sources that name files here; "" when there are none. */
const keyOf = ({ settingSources = [] }: SessionOptions): string =>
  FILES.flatMap(([source]: readonly [SettingSource, ...ReadonlyArray<string>]) =>
    settingSources.includes(source) ? [source] : [],
  ).join(",")

const applied = (key: string, taken: ProjectSettings | undefined, now: Read): AppliedSettings => {
  if (taken === undefined || JSON.stringify(taken) === JSON.stringify(now.settings)) return { key, ...now }
  return { key, settings: narrowed(taken, now.settings), notices: [...now.notices, CHANGED] }
}
