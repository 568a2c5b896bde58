// Keeps in memory, for the next snapshot, what each path held before its first change since the last snapshot.
// Invariant: the journal is complete or unknown. A restart, a rollback and too many changes make it unknown until the next
// snapshot.
import type { NodeStore, TreeNode } from "../tree/node-store.ts"
import { type Pair, TreeDigest } from "./tree-digest.ts"

/** With more changed paths than this, the journal is dropped, and the changes are read from the tables. */
const MAX_PATHS = 20_000

export class ChangeJournal {
  #before: Map<string, TreeNode | null> | null = null
  #digest: TreeDigest | null = null

  /** Records that a path, which held `before` until now, holds `after`. */
  changed(path: string, before: TreeNode | null, after: TreeNode | null): void {
    this.#digest?.exchange(path, before, after)
    const known = this.#before
    if (known === null || known.has(path)) return
    if (known.size >= MAX_PATHS) this.#before = null
    else known.set(path, before)
  }

  /** Starts an empty journal: the tree is the one of a snapshot. */
  begin(): void {
    this.#before = new Map()
  }

  forget(): void {
    this.#before = null
    this.#digest = null
  }

  /** The paths that changed since the last snapshot, each with what it held and what it holds now; null when unknown. */
  changes(store: NodeStore): ReadonlyArray<Pair> | null {
    return this.#before === null ? null : Array.from(this.#before, ([path, former]) => [path, former, store.get(path)])
  }

  /** The digest of the current tree. Reads the whole tree on first use, and again only after `forget`. */
  digest(store: NodeStore): TreeDigest {
    return (this.#digest ??= new TreeDigest(store.below("/")))
  }
}
