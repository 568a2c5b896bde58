// The tools that every session has, by name.
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

/** The tool of that name or alias, if there is one. */
export const toolByName = (name: string): Tool | undefined => byName.get(canonicalToolName(name))

/** The tools that options give: all, or those that `tools` names, without those that `disallowedTools` names bare. */
export const toolsFor = (options: SessionOptions): ReadonlyArray<Tool> => builtInToolsFor(options)

const builtInToolsFor = (options: SessionOptions): ReadonlyArray<SchemaTool> => {
  const { tools, disallowedTools = [] } = options
  const chosen = Array.isArray(tools)
    ? builtInTools.filter((tool) => tools.some((name) => toolByName(name) === tool))
    : builtInTools
  return chosen.filter((tool) => !disallowedTools.some((name) => toolByName(name) === tool))
}

/** Those of them that work on the workspace: what a client may call itself, outside any turn. */
export const workspaceToolsFor = (options: SessionOptions): ReadonlyArray<SchemaTool> =>
  builtInToolsFor(options).filter((tool) => tool.internal !== true)
