// The tools that every session has, by name.
import { bashTool } from "./bash-tool.ts"
import { editTool } from "./edit-tool.ts"
import { globTool } from "./glob-tool.ts"
import { grepTool } from "./grep-tool.ts"
import { listTool } from "./list-tool.ts"
import { readTool } from "./read-tool.ts"
import { todoWriteTool } from "./todo-write-tool.ts"
import type { Tool } from "./tool.ts"
import { writeTool } from "./write-tool.ts"

/** A tool whose input is only ever what its own `decode` gave. */
const erase = <Input>(tool: Tool<Input>): Tool => tool as unknown as Tool

export const builtInTools: ReadonlyArray<Tool> = [
  erase(readTool),
  erase(writeTool),
  erase(editTool),
  erase(globTool),
  erase(grepTool),
  erase(listTool),
  erase(bashTool),
  erase(todoWriteTool),
]

/** Other names under which a tool is called or named in rules. */
const ALIASES: Readonly<Record<string, string>> = { ls: "LS", find: "Glob" }

const byName = new Map(builtInTools.map((tool) => [tool.name, tool]))

/** The tool of that name or alias, if there is one. */
export const toolByName = (name: string): Tool | undefined =>
  byName.get(Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name)
