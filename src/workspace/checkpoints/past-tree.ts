// Receives what changed paths held at an earlier time; returns the tree of that time, for reading only.
// Invariant: the workspace does not change.
import { FileTree, type FileStat } from "../tree/file-tree.ts"
import { MemoryStore } from "../tree/memory-store.ts"
import type { PagedStore, Totals, TreeNode } from "../tree/node-store.ts"
import { diffNodes, type WorkspaceDiff } from "../diff/diff.ts"
import type { Workspace } from "../workspace.ts"
import { showsChange } from "./rewind.ts"
import type { Pair } from "./tree-digest.ts"

/** What paths held at an earlier time, null for nothing. A path that is missing has not changed since. */
export type FormerNodes = ReadonlyMap<string, TreeNode | null>

/** Paths of files and links that differ from what they held, in path order. */
export const changedFrom = (base: PagedStore, former: FormerNodes): ReadonlyArray<string> =>
  [...former].flatMap(([path, node]) => (showsChange(base.get(path), node) ? [path] : [])).toSorted()

/** The difference from one earlier state of the files to another. */
export const diffBetween = (base: PagedStore, from: FormerNodes, to: FormerNodes): WorkspaceDiff => {
  const pairs = [...new Set([...from.keys(), ...to.keys()])].toSorted().map((path): Pair => {
    const [before, after] = [from.get(path), to.get(path)]
    return [path, before === undefined ? base.get(path) : before, after === undefined ? base.get(path) : after]
  })
  return diffNodes(base, pairs)
}

export class PastTree {
  readonly #store: MemoryStore
  readonly #tree: FileTree

  constructor({ nodes: base, now, quotas }: Pick<Workspace, "nodes" | "now" | "quotas">, former: FormerNodes) {
    this.#store = new MemoryStore(base)
    for (const [path, node] of former) {
      if (node === null) this.#store.delete(path)
      else this.#store.put(path, node)
    }
    this.#tree = new FileTree(this.#store, now, () => quotas, [])
  }

  stat(path: string): FileStat {
    return this.#tree.stat(path)
  }

  hashOf(path: string): string {
    return this.#tree.fileNode(path).hash
  }

  readBytes(path: string): Uint8Array {
    return this.#tree.readBytes(path)
  }

  /** The bytes of a file from `start` up to `end`, which is at most its size. */
  readSlice(path: string, start: number, end: number): Uint8Array {
    return this.#tree.readBytes(path).subarray(start, end)
  }

  /** Everything at or below a path, in path order. */
  below(path: string): ReadonlyArray<readonly [path: string, node: TreeNode]> {
    const itself = this.#store.get(path)
    const nodes = [...(itself === null ? [] : [[path, itself] as const]), ...this.#store.below(path)]
    return nodes.toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  totals(): Readonly<Totals> {
    return this.#store.totals()
  }
}
