// Receives absolute paths; returns whether they are in the session's directories, and whether they are guarded.
// Invariant: a path that can't be known is represented by the root, and is inside nothing but the root.
import { isAtOrBelow, mayHold } from "./path-pattern.ts"
import type { Policy } from "./policy.ts"
import type { RuleSubject } from "./rules.ts"

/** True in the working directory and in the directories that were added to it. */
export const isInside = (path: string, cwd: string, { directories }: Policy): boolean =>
  isAtOrBelow(path, cwd) || directories.some((directory) => isAtOrBelow(path, directory))

/** Where the next shell starts if the last one ended in `cwd`: there, or in `root` if `cwd` is no longer a directory of the session. */
export const startOf = (
  cwd: string,
  root: string,
  workspace: { isDirectory(path: string): boolean },
  policy: () => Policy,
): string => (cwd === root || (workspace.isDirectory(cwd) && isInside(cwd, root, policy())) ? cwd : root)

/** True for one of the session's directories, for a directory above one, and for a glob that may match either. */
export const isWorkingPlace = (path: string, cwd: string, { directories }: Policy): boolean =>
  [cwd, ...directories].some((directory) => mayHold(path, directory))

const directoryOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf("/"), 0)) || "/"

/** The directory that a permission for the path is offered for: the path itself if it is a directory. */
export const directoryAt = (path: string, { isDirectory }: Pick<RuleSubject, "isDirectory">): string =>
  isDirectory?.(path) === true ? path : directoryOf(path)

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Directories whose files git, editors, package managers and agents run or obey without being asked: writing one is more than an edit. */
const GUARDED_DIRECTORIES = names(".git .vscode .idea .claude .husky .cargo .devcontainer .mvn .yarn")

/** Files that shells, git, package managers and agents run or obey in the same way. The list is that of the official SDK. */
const GUARDED_FILES = names(
  ".bash_aliases .bash_login .bash_logout .bash_profile .bashrc .bazeliskrc .bazelrc .bazelversion .bunfig.toml .claude.json " +
    ".devcontainer.json .envrc .gitconfig .gitmodules .lefthook.yaml .lefthook.yml .mcp.json .npmrc .pnp.cjs .pnp.js " +
    ".pnp.loader.mjs .pnpmfile.cjs .pre-commit-config.yaml .profile .ripgreprc .yarnrc .yarnrc.yml .zlogin .zlogout .zprofile " +
    ".zshenv .zshrc bunfig.toml lefthook.yaml lefthook.yml",
)

/** Zero-width characters, which some file systems ignore in names. */
export const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

/** A name in the form in which the most lenient file system compares it: folded case, no trailing dots and spaces, no stream. */
const forgiving = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .replace(/^git~\d$/, ".git")

const PLAIN = /^[\w/ -]*$/

/** True for a path that is asked about in every mode but bypassPermissions. Names are compared in their `forgiving` form. */
export const isGuarded = (path: string): boolean => {
  if (PLAIN.test(path)) return false
  const segments = path.split("/").map(forgiving)
  return (
    segments.some((segment) => GUARDED_DIRECTORIES.has(segment)) ||
    GUARDED_FILES.has(segments.at(-1) ?? "") ||
    segments.some((segment, at) => segment === "git" && segments[at - 1] === ".config")
  )
}

/** The path of a session's plan: the one file that the model may write while it plans. */
export const planFileOf = (root: string, sessionId: string): string =>
  `${root === "/" ? "" : root}/.perch/plans/${sessionId}.md`
