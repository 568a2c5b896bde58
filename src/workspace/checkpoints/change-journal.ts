// What paths held before they changed, since the last snapshot: kept in memory, for the next one.
// Invariant: what is known is complete. After a restart, a rollback or too many changes nothing is known until the next snapshot.
import type { NodeStore, TreeNode } from "../tree/node-store.ts"
import { type Pair, TreeDigest } from "./tree-digest.ts"

/** More paths than these are read from the tables. */
const MAX_PATHS = 20_000

export class ChangeJournal {
  #before: Map<string, TreeNode | null> | null = null
  #digest: TreeDigest | null = null

  /** The path held `before` until now. */
  changed(path: string, before: TreeNode | null, after: TreeNode | null): void {
    this.#digest?.exchange(path, before, after)
    const known = this.#before
    if (known === null || known.has(path)) return
    if (known.size >= MAX_PATHS) this.#before = null
    else known.set(path, before)
  }

  /** The tree is as it is at a snapshot. */
  begin(): void {
    this.#before = new Map()
  }

  forget(): void {
    this.#before = null
    this.#digest = null
  }

  /** What changed since the last snapshot, as it is now; null when it is not known. */
  changes(store: NodeStore): ReadonlyArray<Pair> | null {
    return this.#before === null ? null : Array.from(this.#before, ([path, held]) => [path, held, store.get(path)])
  }

  /** The digest of the tree as it is. Reads the whole tree once in the life of the object, and only when it is asked. */
  digest(store: NodeStore): TreeDigest {
    return (this.#digest ??= new TreeDigest(store.below("/")))
  }
}
