// Receives absolute paths; says whether they lie where the session works, and whether they are guarded.
// Invariant: a path that can't be known stands as the root, and is inside nothing but the root.
import type { Policy } from "./policy.ts"

const isBelow = (path: string, root: string): boolean => root === "/" || path === root || path.startsWith(`${root}/`)

/** True in the working directory and in the directories that were added to it. */
export const isInside = (path: string, cwd: string, { directories }: Policy): boolean =>
  isBelow(path, cwd) || directories.some((root) => isBelow(path, root))

export const directoryOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/"

/** Directories whose files git, editors and agents run or obey without being asked: writing one is more than an edit. */
const GUARDED_DIRECTORIES: ReadonlySet<string> = new Set([".git", ".vscode", ".idea", ".claude", ".husky"])

/** Files that shells, git and agents run or obey in the same way. */
const GUARDED_FILES: ReadonlySet<string> = new Set([
  ".bashrc",
  ".bash_profile",
  ".gitconfig",
  ".gitmodules",
  ".mcp.json",
  ".claude.json",
  ".profile",
  ".ripgreprc",
  ".zprofile",
  ".zshrc",
])

/** True for a path that is asked about in every mode but bypassPermissions. Case is ignored, as many disks do. */
export const isGuarded = (path: string): boolean => {
  if (!path.includes("/.")) return false
  const segments = path.toLowerCase().split("/")
  return segments.some((segment) => GUARDED_DIRECTORIES.has(segment)) || GUARDED_FILES.has(segments.at(-1) ?? "")
}

/** Where a session's plan stands: the one file that the model may write while it plans. */
export const planFileOf = (root: string, sessionId: string): string =>
  `${root === "/" ? "" : root}/.perch/plans/${sessionId}.md`
