// Where a search begins: the directory or file that the model named, or the working directory.
import { normalizePath } from "../../workspace/paths.ts"
import { type ToolContext, ToolError } from "../tool.ts"

/** Absolute path of what is searched, or null for a working directory that has nothing in it. Throws a not_found ToolError. */
export const searchRoot = (path: string | undefined, context: ToolContext): string | null => {
  const root = path === undefined ? context.cwd : normalizePath(path, context.cwd)
  if (context.workspace.exists(root)) return root
  if (root === context.cwd) return null
  throw new ToolError({
    reason: "not_found",
    message: `There is nothing at ${root}. The working directory is ${context.cwd}.`,
  })
}
