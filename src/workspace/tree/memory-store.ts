// Keeps changes to a file tree in memory, over a base store that is read on demand.
// Invariant: the base is never changed; every path that was put, and every path of the base that was deleted, is in `changes`;
// listing a directory costs what is in it, and each deleted node is skipped once per directory above it.
import {
  type Change,
  type Child,
  count,
  type NodeStore,
  type PagedStore,
  type Totals,
  type TreeNode,
} from "./node-store.ts"
import { ancestorsOf, childOf, nameOf, parentOf } from "../paths.ts"

/** The most look-ups of the base that are cached. */
const MAX_KNOWN = 20_000
const PAGE = 256

/** How far a scan for a visible node below a directory of the base has come: the nodes before it are hidden here. */
interface Passed {
  rows: ReadonlyArray<readonly [path: string, node: TreeNode]>
  at: number
  ended: boolean
}

export class MemoryStore implements NodeStore {
  readonly #base: PagedStore
  /** The nodes that were put here; null for a node of the base that was deleted here. */
  readonly #own = new Map<string, TreeNode | null>()
  /** For each directory, the names that lead to nodes that were put here. */
  readonly #names = new Map<string, Set<string>>()
  /** Caches for `anyBelow` the path of a node below each directory, valid while that node is there. */
  readonly #firstBelow = new Map<string, string>()
  /** Directories of the base with something deleted below them. */
  readonly #thinned = new Set<string>()
  readonly #passed = new Map<string, Passed>()
  readonly #known = new Map<string, TreeNode | null>()
  readonly #knownBelow = new Map<string, TreeNode | null>()
  #totals: Totals | null = null
  /** The earlier value of each path that changed in a running `atomically`, the oldest change first. */
  readonly #undo: Array<readonly [path: string, own: TreeNode | null | undefined]> = []
  #depth = 0

  constructor(base: PagedStore) {
    this.#base = base
  }

  /** The changes to the base, deletions first. */
  changes(): Array<Change> {
    const all = Array.from(this.#own)
    return [...all.filter(([, node]) => node === null), ...all.filter(([, node]) => node !== null)]
  }

  get(path: string): TreeNode | null {
    const own = this.#own.get(path)
    return own === undefined ? this.#baseGet(path) : own
  }

  put(path: string, node: TreeNode): void {
    this.#note(path)
    const totals = this.#counted()
    count(totals, this.get(path), -1)
    count(totals, node, 1)
    this.#set(path, node)
  }

  #set(path: string, node: TreeNode): void {
    this.#own.set(path, node)
    let child = path
    while (child !== "/") {
      const parent = parentOf(child)
      const names = this.#names.get(parent)
      if (names?.has(nameOf(child)) === true) break
      if (names === undefined) this.#names.set(parent, new Set([nameOf(child)]))
      else names.add(nameOf(child))
      child = parent
    }
  }

  delete(path: string): void {
    const before = this.get(path)
    if (before === null) return
    this.#note(path)
    count(this.#counted(), before, -1)
    if (this.#baseGet(path) === null) this.#own.delete(path)
    else {
      this.#own.set(path, null)
      for (const above of ancestorsOf(path)) {
        if (this.#thinned.has(above)) break
        this.#thinned.add(above)
      }
    }
    this.#prune(path)
  }

  /** Removes names that no longer lead to a node that was put here. */
  #prune(path: string): void {
    let gone = path
    while (gone !== "/" && !this.#isOwn(gone) && !this.#names.has(gone)) {
      const parent = parentOf(gone)
      const names = this.#names.get(parent)
      names?.delete(nameOf(gone))
      if (names?.size === 0) this.#names.delete(parent)
      gone = parent
    }
  }

  read(node: TreeNode): Uint8Array {
    return node.bytes ?? this.#base.read(node)
  }

  anyBelow(path: string): TreeNode | null {
    const known = this.#firstBelow.get(path)
    const before = known === undefined ? undefined : this.#own.get(known)
    if (before !== undefined && before !== null) return before
    const passed: Array<string> = []
    for (let current = path; ;) {
      const first = this.#names.get(current)?.values().next()
      if (first === undefined || first.done === true) return this.#baseBelow(path)
      passed.push(current)
      current = childOf(current, first.value)
      const node = this.#own.get(current)
      if (node === undefined || node === null) continue
      if (this.#firstBelow.size + passed.length > MAX_KNOWN) this.#firstBelow.clear()
      for (const above of passed) this.#firstBelow.set(above, current)
      return node
    }
  }

  children(path: string): Array<Child> {
    const names = this.#names.get(path)
    const out = Array.from(names ?? [], (name) => ({ name, node: this.get(childOf(path, name)) }))
    for (const child of this.#base.children(path)) {
      if (names?.has(child.name) === true) continue
      const at = childOf(path, child.name)
      if (!this.#own.has(at)) {
        this.#know(this.#known, at, child.node)
        if (child.node !== null || !this.#thinned.has(at) || this.#baseBelow(at) !== null) out.push(child)
      } else if (child.node?.type === "directory" && this.#baseBelow(at) !== null) {
        // Only the directory's own node was deleted: nodes of the base below it still make it exist.
        out.push({ name: child.name, node: null })
      }
    }
    return out
  }

  below(path: string): Array<readonly [path: string, node: TreeNode]> {
    const out = this.#base.below(path).filter(([at]) => !this.#own.has(at))
    const queue = [path]
    for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
      for (const name of this.#names.get(directory) ?? []) {
        const child = childOf(directory, name)
        const node = this.#own.get(child)
        if (node !== undefined && node !== null) out.push([child, node])
        if (this.#names.has(child)) queue.push(child)
      }
    }
    return out
  }

  totals(): Readonly<Totals> {
    return this.#counted()
  }

  atomically<A>(run: () => A): A {
    const mark = this.#undo.length
    this.#depth += 1
    try {
      return run()
    } catch (error) {
      this.#undoTo(mark)
      throw error
    } finally {
      this.#depth -= 1
      if (this.#depth === 0) this.#undo.length = 0
    }
  }

  #note(path: string): void {
    if (this.#depth > 0) this.#undo.push([path, this.#own.get(path)])
  }

  #undoTo(mark: number): void {
    if (this.#undo.length === mark) return
    for (const [path, own] of this.#undo.splice(mark).toReversed()) {
      count(this.#counted(), this.get(path), -1)
      if (own === undefined) this.#own.delete(path)
      else this.#own.set(path, own)
      if (own === undefined || own === null) this.#prune(path)
      else this.#set(path, own)
      count(this.#counted(), this.get(path), 1)
    }
    // Hidden nodes may be visible again, so the scans start over.
    this.#passed.clear()
  }

  #isOwn(path: string): boolean {
    return (this.#own.get(path) ?? null) !== null
  }

  #baseGet(path: string): TreeNode | null {
    const known = this.#known.get(path)
    return known === undefined ? this.#know(this.#known, path, this.#base.get(path)) : known
  }

  /** Some node of the base below a directory that is neither deleted nor replaced here, or null. */
  #baseBelow(path: string): TreeNode | null {
    if (!this.#thinned.has(path)) {
      const known = this.#knownBelow.get(path)
      return known === undefined ? this.#know(this.#knownBelow, path, this.#base.anyBelow(path)) : known
    }
    const passed = this.#passed.get(path) ?? { rows: [], at: 0, ended: false }
    this.#passed.set(path, passed)
    for (;;) {
      for (; passed.at < passed.rows.length; passed.at += 1) {
        const [at, node] = passed.rows[passed.at] ?? [path, null]
        if (!this.#own.has(at)) return node
      }
      if (passed.ended) return null
      passed.rows = this.#base.page(path, passed.rows.at(-1)?.[0] ?? path, PAGE)
      passed.at = 0
      passed.ended = passed.rows.length < PAGE
    }
  }

  #know(known: Map<string, TreeNode | null>, path: string, node: TreeNode | null): TreeNode | null {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(path, node)
    return node
  }

  #counted(): Totals {
    this.#totals ??= { ...this.#base.totals() }
    return this.#totals
  }
}
