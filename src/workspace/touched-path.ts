// Receives the path of a tool call; returns the paths that permission rules are applied to.
// Invariant: an invalid path, and a path whose links can't be resolved, counts as the root, which is never used without asking.
import { normalizePath } from "./paths.ts"
import type { Workspace } from "./workspace.ts"
import { WorkspaceError } from "./workspace-error.ts"

/** The absolute form of a path. */
export const touchedPath = (path: string, cwd: string): string => {
  try {
    return normalizePath(path, cwd)
  } catch (error) {
    if (error instanceof WorkspaceError) return "/"
    throw error
  }
}

/** Every name of a path on its way through links, itself first; with the root when the links can't be resolved. */
export const namesOf = (workspace: Workspace, path: string): ReadonlyArray<string> =>
  workspace.names(path) ?? [path, "/"]
