// Receives a path; returns its node: follows symlinks, finds implicit directories, and names the error when there is none.
// Invariant: a directory exists when it has a node, when a node is below it, or when it is permanent.
import type { NodeStore, TreeNode } from "./node-store.ts"
import { ancestorsOf, childOf, normalizePath, parentOf } from "../paths.ts"
import { WorkspaceError } from "../workspace-error.ts"

const MAX_LINKS = 40
const DIRECTORY_MODE = 0o755

/** The path of a resolved directory and the segments that follow it, which are in reverse order. */
const joined = (directory: string, rest: ReadonlyArray<string>): string =>
  normalizePath([directory, ...rest.toReversed()].join("/"))

export class TreeLookup {
  readonly #store: NodeStore
  readonly #now: () => number
  /** Directories that exist without a node: the root, /tmp, the working directory. */
  readonly permanent: ReadonlySet<string>

  constructor(store: NodeStore, now: () => number, permanent: ReadonlyArray<string>) {
    this.#store = store
    this.#now = now
    const normal = permanent.map((path) => normalizePath(path))
    this.permanent = new Set(["/", ...normal, ...normal.flatMap(ancestorsOf)])
  }

  /**
   * Resolves a path: symlinks above it are followed, and with `followLast` the last one too. Segments that don't exist stay
   * as written. `onLink` is called with the name that the path has at each link that is followed.
   */
  resolve(path: string, followLast: boolean, operation: string, onLink?: (name: string) => void): string {
    if (path === "") throw new WorkspaceError("ENOENT", operation, path)
    const normal = normalizePath(path)
    if (this.#store.totals().links === 0) return normal
    const rest = normal
      .split("/")
      .filter((segment) => segment !== "")
      .reverse()
    let current = "/"
    let followed = 0
    for (let segment = rest.pop(); segment !== undefined; segment = rest.pop()) {
      if (segment === "" || segment === ".") continue
      if (segment === "..") {
        current = parentOf(current)
        continue
      }
      const next = childOf(current, segment)
      const node = rest.length > 0 || followLast ? this.#store.get(next) : null
      if (node?.type !== "symlink") {
        current = next
        continue
      }
      followed += 1
      if (followed > MAX_LINKS) throw new WorkspaceError("ELOOP", operation, normal)
      // The link's own path, with the links above it followed, is one of the names of what it leads to.
      if (!rest.includes("..")) onLink?.(joined(next, rest))
      if (node.target.startsWith("/")) current = "/"
      rest.push(...node.target.split("/").reverse())
    }
    return normalizePath(current)
  }

  /**
   * Every name that a path has on its way: as written, at each link that it leads through, and where it ends; one name
   * when it leads through none. Null when its links can't be resolved: a loop, more than 40 links, or a path out of bounds.
   */
  names(path: string): ReadonlyArray<string> | null {
    const names = new Set([normalizePath(path)])
    try {
      names.add(this.resolve(path, true, "open", (name) => names.add(name)))
    } catch (error) {
      if (error instanceof WorkspaceError) return null
      throw error
    }
    return Array.from(names)
  }

  /** The node at a resolved path; a directory that exists only through the nodes below it gets a synthetic one. */
  find(real: string): TreeNode | null {
    const node = this.#store.get(real)
    if (node !== null) return node
    const below = this.#store.anyBelow(real)
    if (below !== null) return { ...this.directory(), mtime: below.mtime }
    return this.permanent.has(real) ? this.directory() : null
  }

  directory(): TreeNode {
    return { type: "directory", mode: DIRECTORY_MODE, mtime: this.#now(), size: 0, hash: "", target: "" }
  }

  /** The error for a missing path: ENOENT, or ENOTDIR when a node above the path is no directory. */
  missing(real: string, operation: string): WorkspaceError {
    const blocked = ancestorsOf(real).some((above) => this.#isFile(above))
    return new WorkspaceError(blocked ? "ENOTDIR" : "ENOENT", operation, real)
  }

  #isFile(path: string): boolean {
    const node = this.#store.get(path)
    return node !== null && node.type !== "directory"
  }

  needDirectory(path: string, operation: string, wanted: string): void {
    const node = this.find(path)
    if (node === null) throw this.missing(wanted, operation)
    if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", operation, wanted)
  }

  /** Throws ENOTDIR when something above the path is no directory. The nearest existing directory implies all above it. */
  checkAncestors(real: string, operation: string): void {
    for (const above of ancestorsOf(real)) {
      const node = this.find(above)
      if (node === null) continue
      if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", operation, real)
      return
    }
  }
}
