// Receives the path that the model named, if any; returns the directory or file to search.
// Invariant: as in the official SDK, an empty parameter of a search counts as absent.
import { isPlainObject } from "../../schemas/plain-object.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { SchemaTool } from "../make-tool.ts"
import { type ToolContext, ToolError } from "../tool.ts"

/** The absolute path to search, by default the working directory; null if that is empty. Throws a not_found ToolError. */
export const searchRoot = (path: string | undefined, context: ToolContext): string | null => {
  const root = path === undefined ? context.cwd : normalizePath(path, context.cwd)
  if (context.workspace.exists(root)) return root
  if (root === context.cwd) return null
  throw new ToolError({
    reason: "not_found",
    message: `There is nothing at ${root}. The working directory is ${context.cwd}.`,
  })
}

/** The tool, with these parameters left out of an input in which they are empty. */
export const withoutBlanks = <Input>(tool: SchemaTool<Input>, names: ReadonlyArray<string>): SchemaTool<Input> => ({
  ...tool,
  decode: (input) => {
    const isBlank = ([name, value]: readonly [string, unknown]) => value === "" && names.includes(name)
    if (!isPlainObject(input) || !Object.entries(input).some(isBlank)) return tool.decode(input)
    return tool.decode(Object.fromEntries(Object.entries(input).filter((entry) => !isBlank(entry))))
  },
})
