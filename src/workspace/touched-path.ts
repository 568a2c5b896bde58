// Receives a path as a tool call has it; returns the paths that rules and permissions are asked about.
// Invariant: a path that is out of bounds, or a link that leads nowhere, counts as the root, which is never touched unasked.
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

/** A path under every name that it has on its way through links, itself first. */
export const namesOf = (workspace: Workspace, path: string): ReadonlyArray<string> =>
  workspace.names(path) ?? [path, "/"]
