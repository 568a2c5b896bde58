// Receives a glob and a directory; returns the files that match, oldest first.
// Invariant: one pass over the rows below the directory; at most `limit` paths are returned.
import { checkGlob, compileGlob } from "./glob-pattern.ts"
import { normalizePath } from "../paths.ts"
import type { Workspace } from "../workspace.ts"

export interface GlobResult {
  /** Absolute paths. */
  readonly paths: ReadonlyArray<string>
  readonly total: number
  readonly truncated: boolean
}

/** Splits an absolute glob into the directory before its first wildcard and the rest. */
const split = (pattern: string, directory: string): readonly [directory: string, glob: string] => {
  if (!pattern.startsWith("/")) return [directory, pattern]
  const segments = pattern.split("/")
  const wild = segments.findIndex((segment) => /[*?[{\\]/.test(segment))
  const fixed = wild === -1 ? segments.length - 1 : wild
  const base = normalizePath(segments.slice(0, fixed).join("/") || "/")
  // A leading slash anchors the rest to its directory; as in the official SDK, `/dir/*.ts` matches at any depth below `/dir`.
  const last = wild === segments.length - 1
  return [base, `${last ? "" : "/"}${segments.slice(fixed).join("/")}`]
}

/**
 * Leaves out files for which `hidden` is true. Throws GlobError for a pattern that can't be used, WorkspaceError for a path
 * out of bounds.
 */
export const globFiles = (
  workspace: Workspace,
  pattern: string,
  directory: string,
  limit: number,
  hidden: ((path: string) => boolean) | undefined = () => false,
): GlobResult => {
  checkGlob(pattern)
  const [base, glob] = split(pattern, directory)
  const matches = compileGlob(glob)
  const root = workspace.exists(base) ? workspace.realpath(base) : base
  const skip = root === "/" ? 1 : root.length + 1
  const found: Array<{ readonly path: string; readonly mtime: number }> = []
  for (const [path, node] of workspace.nodes.below(root)) {
    if (node.type !== "directory" && matches(path.slice(skip)) && !hidden(path)) found.push({ path, mtime: node.mtime })
  }
  // As in the official SDK, the most recently changed file comes last.
  found.sort((a, b) => a.mtime - b.mtime || (a.path < b.path ? -1 : 1))
  return { paths: found.slice(0, limit).map((file) => file.path), total: found.length, truncated: found.length > limit }
}
