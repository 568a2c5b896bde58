// Reads from a session what the answers to control requests report: its context, costs, permission rules and files.
import { compactionThreshold, usableWindow } from "../../agent/compaction/window.ts"

import { modelOf } from "../../agent/step-request.ts"
import { contextUsage } from "../../model/catalogue/context-usage.ts"
import { systemPromptOf } from "../../model/request/system-prompt.ts"
import { sessionTools } from "../mcp/turn-tools.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { SessionCore } from "../core.ts"
import { projectSkills } from "../project/project-files.ts"
import { contextLists } from "./context-lists.ts"
import { type FilesOf, isAsRead } from "./control-files.ts"
import { permissionRulesAnswer } from "./control-reports.ts"
import type { SlashCommand } from "../../schemas/sdk/messages/message-values.ts"
import type { SessionLog } from "../storage/log.ts"
import { type SessionUsage, sessionUsage } from "./session-usage.ts"

function* eventsOf(log: SessionLog) {
  for (const { event } of log.all()) yield event
}

/** The four counts of an answer's usage. */
const usageNumbers = (usage: Readonly<Record<string, unknown>> | null) => {
  const at = (key: string) => Number(usage?.[key] ?? 0)
  return usage === null
    ? null
    : {
        input_tokens: at("input_tokens"),
        output_tokens: at("output_tokens"),
        cache_creation_input_tokens: at("cache_creation_input_tokens"),
        cache_read_input_tokens: at("cache_read_input_tokens"),
      }
}

/** The skills that people can use now, as clients list commands. */
export const skillInfos = (core: SessionCore): ReadonlyArray<SlashCommand> =>
  projectSkills(core).flatMap(({ name, description, argumentHint = "", forPeople }) =>
    forPeople ? [{ name, description, argumentHint }] : [],
  )

/**
 * The settings of the session, as clients set them: the only source that Perch lists. `applied` is what the next model
 * request uses. `settings` repeats `effective` for clients of earlier versions.
 */
export const settingsFacts = ({ record: { options } }: SessionCore) => {
  const { settings = {}, effort = settings.effortLevel ?? null } = options
  return {
    settings,
    effective: settings,
    sources: Object.keys(settings).length === 0 ? [] : [{ source: "flagSettings", settings }],
    applied: { model: modelOf(options), effort, advisor: null, ultracode: false },
  }
}

/** How much of the model's context the conversation uses. */
export const contextUsageFacts = (core: SessionCore) => {
  const { cwd } = core.record
  const options = core.runningOptions
  const model = modelOf(options)
  const tools = sessionTools(core, core.mcp.tools)
  const threshold = compactionThreshold(options, model)
  const system = systemPromptOf(options.systemPrompt, { cwd, model, tools: tools.map((tool) => tool.name) })
  return {
    ...contextUsage({
      model,
      system,
      tools: tools.map((tool) => ({
        name: tool.name,
        tokensText: `${tool.name}${tool.description}${JSON.stringify(tool.inputSchema)}`,
        ...(tool.mcpServer === undefined ? {} : { mcp: tool.mcpServer.name }),
      })),
      messages: core.memory.transcript.messages(),
      lists: contextLists(core),
      apiUsage: usageNumbers(core.memory.accounting.lastUsage),
      // As the official SDK: usage is measured against the window that compactions use, which settings may make smaller.
      window: usableWindow(options, model),
      ...(threshold === null ? {} : { autoCompactThreshold: threshold }),
    }),
  }
}

export const usageOf = ({ log }: SessionCore): SessionUsage => sessionUsage(eventsOf(log))

export const permissionRulesFacts = ({ permissions, runningOptions, record }: SessionCore) => ({
  ...permissionRulesAnswer({ policy: permissions.policy(), options: runningOptions, cwd: record.cwd }),
})

/** The files that a client may ask about. */
export const filesOf = ({ permissions, record, workspace }: SessionCore): FilesOf => ({
  workspace,
  cwd: record.cwd,
  policy: permissions.policy(),
})

/** Marks a file as read by the model, if it has not changed since `mtime` (milliseconds). */
export const markRead = ({ memory, record, workspace }: SessionCore, path: string, mtime: number): void => {
  if (!isAsRead({ workspace, cwd: record.cwd }, { path, mtime })) return
  const absolute = normalizePath(path, record.cwd)
  memory.knownFiles.add(absolute, workspace.hashOf(absolute))
}
