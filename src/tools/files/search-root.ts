// Receives the path that the model named, if any; returns the directory or file to search.
import { normalizePath } from "../../workspace/paths.ts"
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
