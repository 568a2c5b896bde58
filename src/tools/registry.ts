// The tools that every session has; and which tools a turn has, with those of MCP servers and of its output format.
import type { SessionOptions } from "../schemas/sdk/options.ts"
import { canonicalToolName } from "../schemas/sdk/tool-names.ts"
import { bashTool } from "./bash-tool.ts"
import { editTool } from "./edit-tool.ts"
import { globTool } from "./glob-tool.ts"
import { grepTool } from "./grep-tool.ts"
import { listTool } from "./list-tool.ts"
import { readTool } from "./read-tool.ts"
import { todoWriteTool } from "./todo-write-tool.ts"
import type { SchemaTool } from "./make-tool.ts"
import { structuredOutputTool } from "./structured-output-tool.ts"
import type { Tool } from "./tool.ts"
import { writeTool } from "./write-tool.ts"

/** A tool whose input is only ever what its own `decode` gave. */
const erase = <Input>(tool: SchemaTool<Input>): SchemaTool => tool as unknown as SchemaTool

export const builtInTools: ReadonlyArray<SchemaTool> = [
  erase(readTool),
  erase(writeTool),
  erase(editTool),
  erase(globTool),
  erase(grepTool),
  erase(listTool),
  erase(bashTool),
  erase(todoWriteTool),
]

const byName = new Map(builtInTools.map((tool) => [tool.name, tool]))

/**
 * The built-in tool of that name or alias, if there is one. `aliases` are the session's `toolAliases`: they redirect a
 * called name once, as the official SDK does.
 */
export const toolByName = (name: string, aliases: Aliases = {}): SchemaTool | undefined =>
  byName.get(canonicalToolName(redirected(name, aliases)))

/** The same among a session's own tools, MCP tools and the structured output included. */
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
 * The tools of a turn: the built-in ones that `tools` names, or all, and those of MCP servers, without any that
 * `disallowedTools` names bare (`mcp__server` names all of a server's); and StructuredOutput when there is an
 * `outputFormat`.
 */
export const toolsFor = (options: SessionOptions, mcp: ReadonlyArray<Tool> = []): ReadonlyArray<Tool> => {
  const { outputFormat } = options
  return [
    ...builtInToolsFor(options),
    ...mcpToolsFor(options, mcp),
    ...(outputFormat === undefined ? [] : [structuredOutputTool(outputFormat)]),
  ]
}

const mcpToolsFor = ({ disallowedTools = [] }: SessionOptions, mcp: ReadonlyArray<Tool>): ReadonlyArray<Tool> =>
  mcp.filter(({ name }) => !disallowedTools.some((rule) => namesMcpTool(rule, name)))

/** `mcp__server` and `mcp__server__*` name every tool of a server. */
const namesMcpTool = (rule: string, name: string): boolean =>
  rule === name || (rule.startsWith("mcp__") && name.startsWith(`${rule.replace(/__\*$/, "")}__`))

const builtInToolsFor = (options: SessionOptions): ReadonlyArray<SchemaTool> => {
  const { tools, disallowedTools = [] } = options
  const chosen = Array.isArray(tools)
    ? builtInTools.filter((tool) => tools.some((name) => toolByName(name) === tool))
    : builtInTools
  return chosen.filter((tool) => !disallowedTools.some((name) => toolByName(name) === tool))
}

/** What a client may call itself, outside any turn: built-in tools that work on the workspace, and those of MCP servers. */
export const callableToolsFor = (options: SessionOptions, mcp: ReadonlyArray<Tool>): ReadonlyArray<Tool> => [
  ...builtInToolsFor(options).filter((tool) => tool.internal !== true),
  ...mcpToolsFor(options, mcp),
]
