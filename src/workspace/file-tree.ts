// POSIX rules over a node store: paths in, stats, bytes and names out; failures are WorkspaceErrors.
// Invariant: every path is normalised and within bounds, no file has anything below it, quotas are checked before a write.
import type { Child, NodeStore, TreeNode } from "./node-store.ts"
import { ancestorsOf, childOf, isBelow, nameOf, normalizePath, parentOf } from "./paths.ts"
import { WorkspaceError } from "./workspace-error.ts"

export interface Quotas {
  readonly maxFiles: number
  readonly maxBytes: number
  readonly maxFileBytes: number
}

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

const MAX_LINKS = 40
const DIRECTORY_MODE = 0o755
const FILE_MODE = 0o644
const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

export class FileTree {
  readonly #store: NodeStore
  readonly #now: () => number
  readonly #quotas: Quotas
  /** Directories that are there without a node: the root, /tmp, the working directory. */
  readonly #standing = new Set<string>(["/"])

  constructor(store: NodeStore, now: () => number, quotas: Quotas, standing: ReadonlyArray<string>) {
    this.#store = store
    this.#now = now
    this.#quotas = quotas
    for (const path of standing) {
      const normal = normalizePath(path)
      for (const one of [normal, ...ancestorsOf(normal)]) this.#standing.add(one)
    }
  }

  stat(path: string): FileStat {
    return this.#stat(this.#resolve(path, true, "stat"), "stat")
  }

  lstat(path: string): FileStat {
    return this.#stat(this.#resolve(path, false, "lstat"), "lstat")
  }

  exists(path: string): boolean {
    try {
      return this.#find(this.#resolve(path, true, "access")) !== null
    } catch (error) {
      if (error instanceof WorkspaceError) return false
      throw error
    }
  }

  readBytes(path: string): Uint8Array {
    const real = this.#resolve(path, true, "open")
    const node = this.#find(real)
    if (node === null) throw this.#missing(real, "open")
    if (node.type !== "file") throw new WorkspaceError("EISDIR", "read", real)
    return this.#store.read(node)
  }

  /** The file as UTF-8; a byte order mark stays. */
  readText(path: string): string {
    return decoder.decode(this.readBytes(path))
  }

  /** Creates or replaces a file, with the directories above it unless `parents` is false. */
  writeBytes(path: string, content: Uint8Array | string, options: { readonly parents?: boolean } = {}): void {
    const bytes = typeof content === "string" ? encoder.encode(content) : content
    this.#store.atomically(() => {
      const { change, before } = this.prepareWrite(path, bytes)
      if (before === null && options.parents === false) this.#needDirectory(parentOf(change[0]), "open", change[0])
      this.#store.put(...change)
    })
  }

  /** The change that a write would make, checked but not made, and the file it would replace. */
  prepareWrite(path: string, bytes: Uint8Array): {
    readonly change: readonly [path: string, node: TreeNode]
    readonly before: TreeNode | null
  } {
    const [real, before] = this.checkWrite(path, bytes.length)
    const mode = before?.mode ?? FILE_MODE
    const node: TreeNode = { type: "file", mode, mtime: this.#now(), size: bytes.length, hash: "", target: "", bytes }
    return { change: [real, node], before }
  }

  /** Throws what writing `size` bytes to the path would throw; gives the real path and what is there. */
  checkWrite(path: string, size: number): readonly [real: string, before: TreeNode | null] {
    const real = this.#resolve(path, true, "open")
    const before = this.#find(real)
    if (before?.type === "directory") throw new WorkspaceError("EISDIR", "open", real)
    if (before === null) this.#checkAncestors(real, "open")
    this.#checkQuotas(real, before, size)
    return [real, before]
  }

  mkdir(path: string, options: { readonly recursive?: boolean } = {}): void {
    this.#store.atomically(() => {
      const real = this.#resolve(path, true, "mkdir")
      const before = this.#find(real)
      if (before !== null) {
        if (before.type === "directory" && options.recursive === true) return
        throw new WorkspaceError("EEXIST", "mkdir", real)
      }
      if (options.recursive === true) this.#checkAncestors(real, "mkdir")
      else this.#needDirectory(parentOf(real), "mkdir", real)
      this.#checkQuotas(real, null, 0)
      this.#store.put(real, this.#directory())
    })
  }

  /** The names in a directory, in the order of their characters. */
  readdir(path: string): Array<DirectoryEntry> {
    const real = this.#resolve(path, true, "scandir")
    const node = this.#find(real)
    if (node === null) throw this.#missing(real, "scandir")
    if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", "scandir", real)
    const children: Array<Child> = this.#store.children(real)
    const names = new Set(children.map((child) => child.name))
    for (const one of this.#standing) {
      if (one !== "/" && parentOf(one) === real && !names.has(nameOf(one))) children.push({ name: nameOf(one), node: null })
    }
    return children
      .map((child) => ({ name: child.name, type: child.node?.type ?? ("directory" as const) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Removes a file, symlink or directory. The directory it was in stays, even when it is now empty. */
  remove(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): void {
    this.#store.atomically(() => {
      const real = this.#resolve(path, false, "rm")
      const node = this.#find(real)
      if (node === null) {
        if (options.force === true) return
        throw this.#missing(real, "rm")
      }
      if (node.type === "directory") {
        if (this.#standing.has(real) && options.recursive !== true) throw new WorkspaceError("EINVAL", "rm", real)
        if (options.recursive !== true && this.#store.anyBelow(real) !== null) throw new WorkspaceError("ENOTEMPTY", "rm", real)
        for (const [below] of this.#store.below(real)) this.#store.delete(below)
      }
      this.#store.delete(real)
      this.#keepDirectory(parentOf(real))
    })
  }

  rename(from: string, to: string): void {
    this.#store.atomically(() => {
      const source = this.#resolve(from, false, "rename")
      const target = this.#resolve(to, false, "rename")
      const node = this.#find(source)
      if (node === null) throw this.#missing(source, "rename")
      if (source === target) return
      if (isBelow(target, source) || this.#standing.has(source)) throw new WorkspaceError("EINVAL", "rename", source)
      const there = this.#find(target)
      if (there === null) this.#needDirectory(parentOf(target), "rename", target)
      else this.#checkReplace(node, there, target)
      const moved = node.type === "directory" ? this.#store.below(source) : []
      if (there !== null) this.#store.delete(target)
      if (moved.length === 0 || this.#store.get(source) !== null) this.#move(source, target, node)
      for (const [path, child] of moved) this.#move(path, target + path.slice(source.length), child)
      this.#keepDirectory(parentOf(source))
    })
  }

  /** Copies a file or symlink, or with `recursive` a directory and all below it. */
  copy(from: string, to: string, options: { readonly recursive?: boolean } = {}): void {
    this.#store.atomically(() => {
      const source = this.#resolve(from, options.recursive !== true, "cp")
      const target = this.#resolve(to, true, "cp")
      const node = this.#find(source)
      if (node === null) throw this.#missing(source, "cp")
      if (node.type !== "directory") {
        const before = this.#find(target)
        if (before?.type === "directory") throw new WorkspaceError("EISDIR", "cp", target)
        if (before === null) this.#checkAncestors(target, "cp")
        this.#checkQuotas(target, before, node.size)
        this.#store.put(target, { ...node, mtime: this.#now() })
        return
      }
      if (options.recursive !== true) throw new WorkspaceError("EISDIR", "cp", source)
      if (target === source || isBelow(target, source)) throw new WorkspaceError("EINVAL", "cp", target)
      this.mkdir(target, { recursive: true })
      for (const [path, child] of this.#store.below(source)) {
        const copy = target + path.slice(source.length)
        const before = this.#store.get(copy)
        if (child.type !== "directory" && this.#find(copy)?.type === "directory") throw new WorkspaceError("EISDIR", "cp", copy)
        this.#checkAncestors(copy, "cp")
        this.#checkQuotas(copy, before, child.size)
        this.#store.put(copy, { ...child, mtime: this.#now() })
      }
    })
  }

  symlink(target: string, path: string): void {
    if (target === "") throw new WorkspaceError("ENOENT", "symlink", path)
    normalizePath(target)
    this.#store.atomically(() => {
      const real = this.#resolve(path, false, "symlink")
      if (this.#find(real) !== null) throw new WorkspaceError("EEXIST", "symlink", real)
      this.#needDirectory(parentOf(real), "symlink", real)
      this.#checkQuotas(real, null, 0)
      this.#store.put(real, { type: "symlink", mode: 0o777, mtime: this.#now(), size: 0, hash: "", target })
    })
  }

  readlink(path: string): string {
    const real = this.#resolve(path, false, "readlink")
    const node = this.#find(real)
    if (node === null) throw this.#missing(real, "readlink")
    if (node.type !== "symlink") throw new WorkspaceError("EINVAL", "readlink", real)
    return node.target
  }

  realpath(path: string): string {
    const real = this.#resolve(path, true, "realpath")
    if (this.#find(real) === null) throw this.#missing(real, "realpath")
    return real
  }

  chmod(path: string, mode: number): void {
    this.#change(path, "chmod", (node) => ({ ...node, mode: mode & 0o7777 }))
  }

  utimes(path: string, mtime: number): void {
    this.#change(path, "utimes", (node) => ({ ...node, mtime }))
  }

  /** Where a path leads: symlinks above it are followed, the last one too if asked. What is missing stays as written. */
  #resolve(path: string, followLast: boolean, operation: string): string {
    const normal = normalizePath(path)
    if (this.#store.totals().links === 0) return normal
    const rest = normal.split("/").filter((segment) => segment !== "").reverse()
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
      if (node.target.startsWith("/")) current = "/"
      rest.push(...node.target.split("/").reverse())
    }
    return normalizePath(current)
  }

  /** The node at a resolved path; a directory that exists only through what lies below it gets a made-up one. */
  #find(real: string): TreeNode | null {
    const node = this.#store.get(real)
    if (node !== null) return node
    const below = this.#store.anyBelow(real)
    if (below !== null) return { ...this.#directory(), mtime: below.mtime }
    return this.#standing.has(real) ? this.#directory() : null
  }

  #stat(real: string, operation: string): FileStat {
    const node = this.#find(real)
    if (node === null) throw this.#missing(real, operation)
    const size = node.type === "symlink" ? encoder.encode(node.target).length : node.size
    return { type: node.type, mode: node.mode, mtime: node.mtime, size }
  }

  #directory(): TreeNode {
    return { type: "directory", mode: DIRECTORY_MODE, mtime: this.#now(), size: 0, hash: "", target: "" }
  }

  /** ENOENT, or ENOTDIR when something above the path is a file. */
  #missing(real: string, operation: string): WorkspaceError {
    const blocked = ancestorsOf(real).some((above) => this.#isFile(above))
    return new WorkspaceError(blocked ? "ENOTDIR" : "ENOENT", operation, real)
  }

  #isFile(path: string): boolean {
    const node = this.#store.get(path)
    return node !== null && node.type !== "directory"
  }

  #needDirectory(path: string, operation: string, wanted: string): void {
    const node = this.#find(path)
    if (node === null) throw this.#missing(wanted, operation)
    if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", operation, wanted)
  }

  /** Nearest first: the first directory that is there vouches for all above it. */
  #checkAncestors(real: string, operation: string): void {
    for (const above of ancestorsOf(real)) {
      const node = this.#find(above)
      if (node === null) continue
      if (node.type !== "directory") throw new WorkspaceError("ENOTDIR", operation, real)
      return
    }
  }

  #checkQuotas(real: string, before: TreeNode | null, size: number): void {
    const { maxFiles, maxBytes, maxFileBytes } = this.#quotas
    if (size > maxFileBytes) {
      throw new WorkspaceError("EFBIG", "write", real, `file is larger than ${maxFileBytes} bytes`)
    }
    const totals = this.#store.totals()
    if (before === null && totals.nodes + 1 > maxFiles) {
      throw new WorkspaceError("EDQUOT", "write", real, `workspace holds its maximum of ${maxFiles} files`)
    }
    const grows = size - (before?.size ?? 0)
    if (grows > 0 && totals.bytes + grows > maxBytes) {
      throw new WorkspaceError("EDQUOT", "write", real, `workspace would hold more than ${maxBytes} bytes`)
    }
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

  /** A directory does not vanish with the last thing in it. */
  #keepDirectory(path: string): void {
    if (this.#standing.has(path) || this.#find(path) !== null) return
    this.#store.put(path, this.#directory())
  }

  #change(path: string, operation: string, change: (node: TreeNode) => TreeNode): void {
    this.#store.atomically(() => {
      const real = this.#resolve(path, true, operation)
      const node = this.#find(real)
      if (node === null) throw this.#missing(real, operation)
      this.#store.put(real, change(node))
    })
  }
}
