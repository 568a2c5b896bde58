// Lists the entries of a session's workspace below a folder, page by page.
// Invariant: paths are relative to that folder; reserved paths, which are never synchronized, are not among them.
import { InvalidRequestError } from "../api/perch-error.ts"
import type { SessionFiles, WorkspaceFile, WorkspaceLimits } from "../api/session-files.ts"
import { isReserved, type Tree, type TreeEntry, withFolders } from "./tree-entry.ts"

export interface RemoteTree {
  /** Includes the folders that are only implied by the paths in them. */
  readonly tree: Tree
  /** Whether the folder is a link; the tree then lacks the contents of its target. */
  readonly isLink: boolean
  readonly limits: WorkspaceLimits
  /** The usage of the whole workspace. */
  readonly used: { readonly files: number; readonly bytes: number }
}

/** Throws a TypeError when the path is that of a file. */
export const readRemote = async (files: SessionFiles, root: string, signal?: AbortSignal): Promise<RemoteTree> => {
  const tree = new Map<string, TreeEntry>()
  let isLink = false
  let cursor: string | null | undefined
  for (;;) {
    const page = await files.list({
      prefix: root,
      limit: 1000,
      ...(cursor == null ? {} : { cursor }),
      ...(signal === undefined ? {} : { signal }),
    })
    for (const file of page.files) {
      if (file.path === root && file.type === "file")
        throw new TypeError(`remote must be a folder. ${root} is a file of the session.`)
      isLink ||= file.path === root && file.type === "symlink"
      const path = relativeTo(root, file.path)
      if (path !== null && !isReserved(path)) tree.set(path, entryOf(file))
    }
    cursor = page.next_cursor
    if (cursor === null) return { tree: withFolders(tree), isLink, limits: page.limits, used: page.used }
  }
}

/**
 * Throws the server's NotFoundError when the session has nothing at the path; a folder is refused as a file, which proves that
 * it exists.
 */
export const expectFolder = async (files: SessionFiles, path: string, signal?: AbortSignal): Promise<void> => {
  if (path === "/") return
  try {
    await files.read(path, signal === undefined ? {} : { signal })
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error
  }
}

/** Converts an absolute path of the session to one relative to a folder; null for the folder itself and paths not below it. */
const relativeTo = (root: string, path: string): string | null => {
  const base = root === "/" ? "/" : `${root}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : null
}

/** Converts a path relative to a folder of the session to an absolute one. */
export const remotePath = (root: string, path: string): string => (root === "/" ? `/${path}` : `${root}/${path}`)

const entryOf = ({ type, size, mode, sha256 = "", target = "" }: WorkspaceFile): TreeEntry =>
  type === "file"
    ? { type, sha256, size, mode: mode & 0o777 }
    : type === "symlink"
      ? { type, target }
      : { type: "directory" }
