// POSIX rules over a node store: receives paths, returns stats, bytes and names; throws WorkspaceErrors.
// Invariant: every path is normalized and within bounds, nothing is below a file, quotas are checked before a write.
import type { Child, NodeStore, Totals, TreeNode } from "./node-store.ts"
import { isBelow, nameOf, normalizePath, parentOf } from "../paths.ts"
import { TreeLookup } from "./tree-lookup.ts"
import { type Quotas, TreeQuotas } from "./tree-quotas.ts"
import { WorkspaceError } from "../workspace-error.ts"

export interface FileStat {
  readonly type: "file" | "directory" | "symlink"
  readonly mode: number
  /** Milliseconds since 1970. */
  readonly mtime: number
  /** Bytes of a file, length of a symlink's target. */
  readonly size: number
}

export interface DirectoryEntry {
  readonly name: string
  readonly type: "file" | "directory" | "symlink"
}

/** A write that was checked but not yet made: `Workspace.apply([change])` makes it. */
export interface PreparedWrite {
  readonly change: readonly [path: string, node: TreeNode]
  /** What is at the path now. */
  readonly before: TreeNode | null
}

const FILE_MODE = 0o644
const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

export class FileTree {
  readonly #store: NodeStore
  readonly #now: () => number
  readonly #quotas: TreeQuotas
  readonly #look: TreeLookup

  /** `permanent` are directories that exist even when they are empty. */
  constructor(store: NodeStore, now: () => number, quotas: () => Quotas, permanent: ReadonlyArray<string>) {
    this.#store = store
    this.#now = now
    this.#quotas = new TreeQuotas(store, quotas)
    this.#look = new TreeLookup(store, now, permanent)
  }

  stat(path: string): FileStat {
    return this.#stat(this.#look.resolve(path, true, "stat"), "stat")
  }

  lstat(path: string): FileStat {
    return this.#stat(this.#look.resolve(path, false, "lstat"), "lstat")
  }

  exists(path: string): boolean {
    try {
      return this.#look.find(this.#look.resolve(path, true, "access")) !== null
    } catch (error) {
      if (error instanceof WorkspaceError) return false
      throw error
    }
  }

  /** The path of the node itself, existing or not: links above it are followed, a last link is not. */
  placeOf(path: string): string {
    return this.#look.resolve(path, false, "open")
  }

  /** The real path, a last link followed as well; segments that don't exist stay as written. */
  endOf(path: string): string {
    return this.#look.resolve(path, true, "open")
  }

  /** Every name that a path has on its way through links, itself first; null when the links can't be resolved. */
  names(path: string): ReadonlyArray<string> | null {
    return this.#look.names(path)
  }

  /** The type of what is at the path; a link is not followed. Null when nothing is there. */
  typeAt(path: string): TreeNode["type"] | null {
    return this.#look.find(this.placeOf(path))?.type ?? null
  }

  readBytes(path: string): Uint8Array {
    return this.#store.read(this.fileNode(path))
  }

  /** The node of a file, links followed. Throws EISDIR for a directory. */
  fileNode(path: string): TreeNode {
    const real = this.#look.resolve(path, true, "open")
    const node = this.#look.find(real)
    if (node === null) throw this.#look.missing(real, "open")
    if (node.type !== "file") throw new WorkspaceError("EISDIR", "read", real)
    return node
  }

  /** The content of a file decoded as UTF-8; a byte-order mark is kept. */
  readText(path: string): string {
    return decoder.decode(this.readBytes(path))
  }

  /** Creates or replaces a file, with the directories above it unless `parents` is false. */
  writeBytes(path: string, content: Uint8Array | string, options: { readonly parents?: boolean } = {}): void {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    this.#store.atomically(() => {
      const { change, before } = this.prepareWrite(path, bytes)
      if (before === null && options.parents === false) this.#look.needDirectory(parentOf(change[0]), "open", change[0])
      this.#store.put(...change)
    })
  }

  /** Writes one of the session's own files; throws EINVAL when a link would redirect the write. */
  writeOwn(path: string, bytes: Uint8Array): void {
    if (this.endOf(path) !== path) throw new WorkspaceError("EINVAL", "open", path, "a link leads elsewhere")
    this.writeBytes(path, bytes)
  }

  /** Reads one of the session's own files as UTF-8; null when there is no such file, or when a link leads elsewhere. */
  readOwn(path: string): string | null {
    const isOwn = this.exists(path) && this.endOf(path) === path
    return isOwn && this.stat(path).type === "file" ? this.readText(path) : null
  }

  /** The change that a write would make, checked but not made, and the node that it would replace. */
  prepareWrite(path: string, bytes: Uint8Array): PreparedWrite {
    const [real, before] = this.checkWrite(path, bytes.length)
    const mode = before?.mode ?? FILE_MODE
    const node: TreeNode = { type: "file", mode, mtime: this.#now(), size: bytes.length, hash: "", target: "", bytes }
    return { change: [real, node], before }
  }

  /** Throws what writing `size` bytes to the path would throw; returns the real path and the node there. */
  checkWrite(path: string, size: number): readonly [real: string, before: TreeNode | null] {
    const real = this.#look.resolve(path, true, "open")
    const before = this.#look.find(real)
    if (before?.type === "directory") throw new WorkspaceError("EISDIR", "open", real)
    if (before === null) this.#look.checkAncestors(real, "open")
    this.#quotas.check(real, before, size)
    return [real, before]
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): void {
    this.#store.atomically(() => {
      const real = this.#look.resolve(path, true, "mkdir")
      const before = this.#look.find(real)
      if (before !== null) {
        if (before.type === "directory" && options.recursive === true) return
        throw new WorkspaceError("EEXIST", "mkdir", real)
      }
      if (options.recursive === true) this.#look.checkAncestors(real, "mkdir")
      else this.#look.needDirectory(parentOf(real), "mkdir", real)
      this.#quotas.check(real, null, 0)
      this.#store.put(real, this.#look.directory())
    })
  }

  /** The entries of a directory, ordered by name. */
  readdir(path: string): Array<DirectoryEntry> {
    const real = this.#look.resolve(path, true, "scandir")
    const node = this.#look.find(real)
    if (node === null) throw this.#look.missing(real, "scandir")
    if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", "scandir", real)
    const children: Array<Child> = this.#store.children(real)
    const names = new Set(children.map((child) => child.name))
    for (const one of this.#look.permanent) {
      if (one !== "/" && parentOf(one) === real && !names.has(nameOf(one)))
        children.push({ name: nameOf(one), node: null })
    }
    return children
      .map((child) => ({ name: child.name, type: child.node?.type ?? ("directory" as const) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Removes a file, symlink or directory. Its parent directory stays, even when it is now empty. */
  remove(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): void {
    this.#store.atomically(() => {
      const real = this.#look.resolve(path, false, "rm")
      const node = this.#look.find(real)
      if (node === null) {
        if (options.force === true) return
        throw this.#look.missing(real, "rm")
      }
      if (node.type === "directory") {
        if (this.#look.permanent.has(real) && options.recursive !== true) throw new WorkspaceError("EINVAL", "rm", real)
        if (options.recursive !== true && this.#store.anyBelow(real) !== null)
          throw new WorkspaceError("ENOTEMPTY", "rm", real)
        for (const [below] of this.#store.below(real)) this.#store.delete(below)
      }
      this.#store.delete(real)
      this.#keepDirectory(parentOf(real))
    })
  }

  rename(from: string, to: string): void {
    this.#store.atomically(() => {
      const source = this.#look.resolve(from, false, "rename")
      const target = this.#look.resolve(to, false, "rename")
      const node = this.#look.find(source)
      if (node === null) throw this.#look.missing(source, "rename")
      if (source === target) return
      if (isBelow(target, source) || this.#look.permanent.has(source))
        throw new WorkspaceError("EINVAL", "rename", source)
      const replaced = this.#look.find(target)
      if (replaced === null) this.#look.needDirectory(parentOf(target), "rename", target)
      else this.#checkReplace(node, replaced, target)
      const moved = node.type === "directory" ? this.#store.below(source) : []
      if (replaced !== null) this.#store.delete(target)
      if (moved.length === 0 || this.#store.get(source) !== null) this.#move(source, target, node)
      for (const [path, child] of moved) this.#move(path, target + path.slice(source.length), child)
      this.#keepDirectory(parentOf(source))
    })
  }

  /** Copies a file or symlink, or with `recursive` a directory with everything below it that `accepts` accepts. */
  copy(
    from: string,
    to: string,
    options: { readonly recursive?: boolean; readonly accepts?: (from: string, to: string) => boolean } = {},
  ): void {
    this.#store.atomically(() => {
      const source = this.#look.resolve(from, options.recursive !== true, "cp")
      const target = this.#look.resolve(to, true, "cp")
      const node = this.#look.find(source)
      if (node === null) throw this.#look.missing(source, "cp")
      if (node.type !== "directory") {
        const before = this.#look.find(target)
        if (before?.type === "directory") throw new WorkspaceError("EISDIR", "cp", target)
        if (before === null) this.#look.checkAncestors(target, "cp")
        this.#quotas.check(target, before, node.size)
        this.#store.put(target, { ...node, mtime: this.#now() })
        return
      }
      if (options.recursive !== true) throw new WorkspaceError("EISDIR", "cp", source)
      if (target === source || isBelow(target, source)) throw new WorkspaceError("EINVAL", "cp", target)
      this.mkdir(target, { recursive: true })
      for (const [path, child] of this.#store.below(source)) {
        const copy = target + path.slice(source.length)
        if (options.accepts?.(path, copy) === false) continue
        const before = this.#store.get(copy)
        if (child.type !== "directory" && this.#look.find(copy)?.type === "directory")
          throw new WorkspaceError("EISDIR", "cp", copy)
        this.#look.checkAncestors(copy, "cp")
        this.#quotas.check(copy, before, child.size)
        this.#store.put(copy, { ...child, mtime: this.#now() })
      }
    })
  }

  symlink(target: string, path: string): void {
    if (target === "") throw new WorkspaceError("ENOENT", "symlink", path)
    normalizePath(target)
    this.#store.atomically(() => {
      const real = this.#look.resolve(path, false, "symlink")
      if (this.#look.find(real) !== null) throw new WorkspaceError("EEXIST", "symlink", real)
      this.#look.needDirectory(parentOf(real), "symlink", real)
      this.#quotas.check(real, null, 0)
      this.#store.put(real, { type: "symlink", mode: 0o777, mtime: this.#now(), size: 0, hash: "", target })
    })
  }

  readlink(path: string): string {
    const real = this.#look.resolve(path, false, "readlink")
    const node = this.#look.find(real)
    if (node === null) throw this.#look.missing(real, "readlink")
    if (node.type !== "symlink") throw new WorkspaceError("EINVAL", "readlink", real)
    return node.target
  }

  realpath(path: string): string {
    const real = this.#look.resolve(path, true, "realpath")
    if (this.#look.find(real) === null) throw this.#look.missing(real, "realpath")
    return real
  }

  chmod(path: string, mode: number): void {
    this.#change(path, "chmod", (node) => ({ ...node, mode: mode & 0o7777 }))
  }

  utimes(path: string, mtime: number): void {
    this.#change(path, "utimes", (node) => ({ ...node, mtime }))
  }

  #stat(real: string, operation: string): FileStat {
    const node = this.#look.find(real)
    if (node === null) throw this.#look.missing(real, operation)
    const size = node.type === "symlink" ? encoder.encode(node.target).length : node.size
    return { type: node.type, mode: node.mode, mtime: node.mtime, size }
  }

  /** Throws EDQUOT when the tree has grown beyond its quotas since its totals were `before`. */
  checkGrowth(before: Totals): void {
    this.#quotas.checkGrowth(before)
  }

  #checkReplace(node: TreeNode, there: TreeNode, target: string): void {
    if (there.type === "directory") {
      if (node.type !== "directory") throw new WorkspaceError("EISDIR", "rename", target)
      if (this.#store.anyBelow(target) !== null) throw new WorkspaceError("ENOTEMPTY", "rename", target)
    } else if (node.type === "directory") {
      throw new WorkspaceError("ENOTDIR", "rename", target)
    }
  }

  #move(from: string, to: string, node: TreeNode): void {
    normalizePath(to)
    this.#store.delete(from)
    this.#store.put(to, node)
  }

  /** Stores a node for a directory that existed only through its last entry, so that it stays when the entry goes. */
  #keepDirectory(path: string): void {
    if (this.#look.permanent.has(path) || this.#look.find(path) !== null) return
    this.#store.put(path, this.#look.directory())
  }

  #change(path: string, operation: string, change: (node: TreeNode) => TreeNode): void {
    this.#store.atomically(() => {
      const real = this.#look.resolve(path, true, operation)
      const node = this.#look.find(real)
      if (node === null) throw this.#look.missing(real, operation)
      this.#store.put(real, change(node))
    })
  }
}
