// Nodes of a file tree in memory, begun from another store's nodes; the base's content is read only when asked for.
// Invariant: the base is never changed; every path that was touched is in `changes`.
import { type Change, type Child, count, type NodeStore, type Totals, type TreeNode } from "./node-store.ts"
import { childOf, nameOf, parentOf } from "./paths.ts"

export class MemoryStore implements NodeStore {
  readonly #base: NodeStore
  readonly #nodes = new Map<string, TreeNode>()
  /** Names in each directory, implicit directories included. */
  readonly #names = new Map<string, Set<string>>()
  readonly #totals: Totals = { nodes: 0, bytes: 0, links: 0 }
  readonly #changed = new Set<string>()

  constructor(base: NodeStore) {
    this.#base = base
    for (const [path, node] of base.below("/")) this.#set(path, node)
  }

  /** What differs from the base, deletions first. */
  changes(): Array<Change> {
    const all = Array.from(this.#changed, (path): Change => [path, this.#nodes.get(path) ?? null])
    return [...all.filter(([, node]) => node === null), ...all.filter(([, node]) => node !== null)]
  }

  get(path: string): TreeNode | null {
    return this.#nodes.get(path) ?? null
  }

  put(path: string, node: TreeNode): void {
    this.#set(path, node)
    this.#changed.add(path)
  }

  delete(path: string): void {
    const before = this.#nodes.get(path)
    if (before === undefined) return
    count(this.#totals, before, -1)
    this.#nodes.delete(path)
    this.#changed.add(path)
    let gone = path
    while (gone !== "/" && !this.#nodes.has(gone) && !this.#names.has(gone)) {
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
    let current = path
    for (;;) {
      const first = this.#names.get(current)?.values().next()
      if (first === undefined || first.done === true) return null
      current = childOf(current, first.value)
      const node = this.#nodes.get(current)
      if (node !== undefined) return node
    }
  }

  children(path: string): Array<Child> {
    return Array.from(this.#names.get(path) ?? [], (name) => ({ name, node: this.get(childOf(path, name)) }))
  }

  below(path: string): Array<readonly [path: string, node: TreeNode]> {
    const out: Array<readonly [string, TreeNode]> = []
    const queue = [path]
    for (let directory = queue.pop(); directory !== undefined; directory = queue.pop()) {
      for (const name of this.#names.get(directory) ?? []) {
        const child = childOf(directory, name)
        const node = this.#nodes.get(child)
        if (node !== undefined) out.push([child, node])
        if (this.#names.has(child)) queue.push(child)
      }
    }
    return out
  }

  totals(): Readonly<Totals> {
    return this.#totals
  }

  atomically<A>(run: () => A): A {
    return run()
  }

  #set(path: string, node: TreeNode): void {
    count(this.#totals, this.#nodes.get(path) ?? null, -1)
    count(this.#totals, node, 1)
    this.#nodes.set(path, node)
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
}
