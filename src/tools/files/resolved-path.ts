// Receives the input of a tool for one file; returns it with the absolute path of the file. As in the official SDK, hooks, users and
// denials get that path, however the model wrote it.
// Invariant: what a hook checks is the file that the call uses.
import { normalizePath } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { ToolContext } from "../tool.ts"

type Directories = Pick<ToolContext, "cwd" | "root">

/**
 * `~` is the session's directory. As the official SDK: white space around a path is ignored. A path that can't be resolved is
 * returned as it is; the tool refuses it.
 */
const resolved = (given: string, { cwd, root }: Directories): string => {
  const path = given.trim()
  try {
    return /^~(?:\/|$)/.test(path) ? normalizePath(path.slice(2), root) : normalizePath(path, cwd)
  } catch (error) {
    if (error instanceof WorkspaceError) return given
    throw error
  }
}

export const withResolvedPath = <Input extends { readonly file_path: string }>(
  input: Input,
  directories: Directories,
): Input => {
  const path = resolved(input.file_path, directories)
  return path === input.file_path ? input : { ...input, file_path: path }
}

/** The tools with such an input. */
const TOOLS: ReadonlySet<string> = new Set(["Read", "Edit", "Write"])

/** The input of any call as the model wrote it, with the absolute path if the call is one of those tools. */
export const resolvedInput = (tool: string, input: unknown, directories: Directories): unknown => {
  if (!TOOLS.has(tool) || !isPlainObject(input)) return input
  const { file_path: path } = input
  return typeof path === "string" ? withResolvedPath({ ...input, file_path: path }, directories) : input
}
