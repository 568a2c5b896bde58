// The built-in tools, and the selection of a turn's tools: built-in ones, those of MCP servers and clients, and that of its
// output format.
import type { SessionOptions } from "../schemas/sdk/options/options.ts"
import type { RuledOptions } from "../permissions/policy.ts"
import { rulesetOf } from "../permissions/ruleset/ruleset.ts"
import { wholeTools } from "../permissions/rules.ts"
import { permissionOf } from "../schemas/sdk/tools/permission-names.ts"
import { canonicalToolName } from "../schemas/sdk/tools/tool-names.ts"
import { type AgentList, agentTool, withAgents } from "./agents/agent.ts"
import { sendMessageTool } from "./agents/send-message.ts"
import { askUserQuestionTool } from "./planning/ask-user-question.ts"
import { bashTool } from "./bash/bash.ts"
import { clientTool } from "./declared/client-tool.ts"
import { editTool } from "./files/edit.ts"
import { enterPlanModeTool } from "./planning/enter-plan-mode.ts"
import { exitPlanModeTool } from "./planning/exit-plan-mode.ts"
import { listMcpResourcesTool } from "./mcp/list-mcp-resources.ts"
import { readMcpResourceTool } from "./mcp/read-mcp-resource.ts"
import { readMcpResourceDirTool } from "./mcp/read-mcp-resource-dir.ts"
import { globTool } from "./files/glob.ts"
import { grepTool } from "./files/grep.ts"
import { listTool } from "./files/list.ts"
import { notebookEditTool } from "./files/notebook-edit.ts"
import { readTool } from "./files/read.ts"
import { taskCreateTool } from "./tasks/task-create.ts"
import { taskGetTool } from "./tasks/task-get.ts"
import { taskListTool } from "./tasks/task-list.ts"
import { taskUpdateTool } from "./tasks/task-update.ts"
import { taskOutputTool } from "./bash/task-output.ts"
import { taskStopTool } from "./bash/task-stop.ts"
import { todoWriteTool } from "./planning/todo-write.ts"
import { skillTool } from "./skills/skill.ts"
import { requireSound, type SchemaTool, withAnyInput } from "./make-tool.ts"
import { withNetwork } from "./bash/network.ts"
import { structuredOutputTool } from "./declared/structured-output.ts"
import type { Tool } from "./tool.ts"
import { webFetchTool } from "./web/web-fetch.ts"
import { webSearchTool } from "./web/web-search.ts"
import { writeTool } from "./files/write.ts"

export const builtInTools: ReadonlyArray<SchemaTool> = requireSound([
  withAnyInput(readTool),
  withAnyInput(writeTool),
  withAnyInput(editTool),
  withAnyInput(notebookEditTool),
  withAnyInput(globTool),
  withAnyInput(grepTool),
  withAnyInput(listTool),
  withAnyInput(bashTool),
  withAnyInput(webFetchTool),
  withAnyInput(webSearchTool),
  withAnyInput(agentTool),
  withAnyInput(sendMessageTool),
  withAnyInput(taskOutputTool),
  withAnyInput(taskStopTool),
  withAnyInput(todoWriteTool),
  withAnyInput(taskCreateTool),
  withAnyInput(taskGetTool),
  withAnyInput(taskListTool),
  withAnyInput(taskUpdateTool),
  withAnyInput(askUserQuestionTool),
  withAnyInput(enterPlanModeTool),
  withAnyInput(exitPlanModeTool),
  withAnyInput(listMcpResourcesTool),
  withAnyInput(readMcpResourceTool),
  withAnyInput(readMcpResourceDirTool),
  withAnyInput(skillTool),
])

const RESOURCE_TOOLS: ReadonlySet<string> = new Set(
  [listMcpResourcesTool, readMcpResourceTool, readMcpResourceDirTool].map(({ name }) => name),
)

/** Tools of sessions with an MCP server that offers resources; they are passed in with the tools of the servers. */
export const resourceTools: ReadonlyArray<SchemaTool> = builtInTools.filter(({ name }) => RESOURCE_TOOLS.has(name))

const networkBash = withAnyInput(withNetwork(bashTool))

/** As in the official SDK, these tools, which need a user, are only available where one can be asked. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"])

const byName = new Map(builtInTools.map((tool) => [tool.name, tool]))

/** The built-in tool of that name or alias, if there is one. */
export const toolByName = (name: string): SchemaTool | undefined => byName.get(canonicalToolName(name))

/**
 * Returns a function that finds a tool of the session by its name or alias, also tools of MCP servers and StructuredOutput.
 * `aliases` are the session's `toolAliases`. As the official SDK: a called name is redirected once.
 */
export const toolAmong = (tools: ReadonlyArray<Tool>, aliases: Aliases = {}): ((name: string) => Tool | undefined) => {
  const known = new Map(tools.map((tool) => [tool.name, tool]))
  return (name) => {
    const called = redirected(name, aliases)
    return known.get(called) ?? known.get(canonicalToolName(called))
  }
}

type Aliases = Readonly<Record<string, string>>

const redirected = (name: string, aliases: Aliases): string =>
  Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name

/**
 * The tools of a turn: the built-in ones that `tools` names, or all, those of MCP servers and those of clients, without
 * any that `disallowedTools` or the settings' deny rules name without an argument (`mcp__server` names all of a server's, `*` any text);
 * and StructuredOutput when there is an `outputFormat`. As in the official SDK, `late` deny rules, which clients applied to the
 * session, remove no tools of these two kinds, so that requests stay cached: calls of them are denied.
 */
export const toolsFor = (
  options: SessionOptions,
  mcp: ReadonlyArray<Tool> = [],
  agents: AgentList = [],
  late: ReadonlyArray<string> = [],
): ReadonlyArray<Tool> => {
  const { outputFormat } = options
  const removed = removedBy(options)
  return [
    ...[
      ...builtInToolsFor(options, late).map((tool) => (tool.name === agentTool.name ? withAgents(tool, agents) : tool)),
      ...mcpToolsFor(options, mcp, late),
      ...clientToolsFor(options),
    ].filter(({ name }) => !removed(name)),
    ...(outputFormat === undefined ? [] : [structuredOutputTool(outputFormat)]),
  ]
}

/** The deny rules of options and settings. As in the official SDK, a tool that one denies as a whole is removed. */
const deniedBy = (
  { disallowedTools = [], settings, project_rules: files = [] }: RuledOptions,
  late: ReadonlyArray<string>,
): ReadonlyArray<string> => [
  ...disallowedTools,
  ...(settings?.permissions?.deny ?? []).filter((rule) => !late.includes(rule)),
  ...files.flatMap(({ deny }) => deny),
]

/** Returns a test for tools that opencode's ruleset denies for every input; these are removed as well. */
const removedBy = ({ permission }: SessionOptions): ((name: string) => boolean) => {
  if (permission === undefined) return () => false
  const ruleset = rulesetOf(permission)
  return (name) => ruleset.settles(permissionOf(name))?.action === "deny"
}

/** A test of tools that a rule denies as a whole. */
export const denialOf = (
  options: SessionOptions,
  late: ReadonlyArray<string> = [],
): ((name: string, mcpServer?: string) => boolean) => {
  const denied = deniedBy(options, late).flatMap((rule) => wholeTools(rule))
  return (name, mcpServer) => denied.some((names) => names(name, mcpServer))
}

const mcpToolsFor = (
  options: SessionOptions,
  mcp: ReadonlyArray<Tool>,
  late?: ReadonlyArray<string>,
): ReadonlyArray<Tool> => {
  if (mcp.length === 0) return mcp
  const denied = denialOf(options, late)
  return mcp.filter(
    ({ name, mcpServer }) => !denied(name, mcpServer?.name) && (!RESOURCE_TOOLS.has(name) || isListed(options, name)),
  )
}

/** Whether `tools` lists a built-in tool, or is not a list. */
const isListed = ({ tools }: SessionOptions, name: string): boolean =>
  !Array.isArray(tools) || tools.some((one) => toolByName(one)?.name === name)

const clientToolsFor = (options: SessionOptions): ReadonlyArray<Tool> => {
  const { clientTools = [] } = options
  if (clientTools.length === 0) return []
  const denied = denialOf(options)
  return clientTools.filter(({ name }) => !denied(name)).flatMap((declared) => clientTool(declared) ?? [])
}

const builtInToolsFor = (options: SessionOptions, late?: ReadonlyArray<string>): ReadonlyArray<SchemaTool> => {
  const skilled = options.settingSources?.includes("project") === true || options.skills !== undefined
  const asks = options.permission_prompts !== "deny"
  const denied = denialOf(options, late)
  const allowed = builtInTools.filter(
    ({ name }) =>
      (skilled || name !== skillTool.name) &&
      (asks || !FOR_PEOPLE.has(name)) &&
      !RESOURCE_TOOLS.has(name) &&
      isListed(options, name) &&
      !denied(name),
  )
  return options.shell_network === true
    ? allowed.map((tool) => (tool.name === bashTool.name ? networkBash : tool))
    : allowed
}

/**
 * The tools that a client may call itself, outside of a turn: built-in tools that work on the workspace or the todo list, and
 * those of MCP servers.
 */
export const callableToolsFor = (options: SessionOptions, mcp: ReadonlyArray<Tool>): ReadonlyArray<Tool> => [
  ...builtInToolsFor(options).filter(
    (tool) =>
      tool.name === todoWriteTool.name ||
      (tool.needsNoPermission === undefined &&
        tool.internal !== true &&
        tool.byAgent !== true &&
        tool.question === undefined),
  ),
  ...mcpToolsFor(options, mcp),
]
