// Receives what paths held at a checkpoint; restores each of them, and returns the files and numbers of lines that changed.
// Invariant: a path that already holds what it held is not written.
import { LineCount } from "../diff/line-count.ts"
import type { NodeStore, TreeNode } from "../tree/node-store.ts"

/**
 * `insertions` and `deletions` are the lines that the rewind adds and removes. `skippedLinks` is 0, and missing in a dry
 * run: symlinks are restored, never skipped.
 */
export interface Rewound {
  readonly canRewind: true
  /** Files and symlinks whose content, kind or mode differs, in path order. */
  readonly filesChanged: ReadonlyArray<string>
  readonly insertions: number
  readonly deletions: number
  readonly skippedLinks?: number
}

const NOTHING = new Uint8Array(0)

/** Restores the nodes, or with `dryRun` only returns what that would change. Call it in a transaction. */
export const rewindNodes = (
  store: NodeStore,
  former: ReadonlyMap<string, TreeNode | null>,
  dryRun: boolean,
): Rewound => {
  const lines = new LineCount()
  const filesChanged: Array<string> = []
  for (const [path, node] of former) {
    const now = store.get(path)
    if (showsChange(now, node)) {
      filesChanged.push(path)
      if (hashOf(now) !== hashOf(node)) lines.add(contentOf(store, now), contentOf(store, node))
    }
    if (dryRun || isSame(now, node)) continue
    if (node === null) store.delete(path)
    else store.put(path, node)
  }
  filesChanged.sort()
  const { insertions, deletions } = lines
  return { canRewind: true, filesChanged, insertions, deletions, ...(dryRun ? {} : { skippedLinks: 0 }) }
}

/** Whether two nodes of a path differ as files or links; directories and times don't count. */
export const showsChange = (now: TreeNode | null, node: TreeNode | null): boolean => {
  const [a, b] = [now, node].map((one) => (one === null || one.type === "directory" ? null : one))
  if (!a || !b) return (a ?? b) != null
  return a.type !== b.type || a.mode !== b.mode || a.hash !== b.hash || a.target !== b.target
}

const isSame = (a: TreeNode | null, b: TreeNode | null): boolean => {
  if (a === null || b === null) return a === b
  return a.mtime === b.mtime && a.mode === b.mode && a.type === b.type && a.hash === b.hash && a.target === b.target
}

const hashOf = (node: TreeNode | null): string => (node?.type === "file" ? node.hash : "")

const contentOf = (store: NodeStore, node: TreeNode | null): Uint8Array =>
  node?.type === "file" ? store.read(node) : NOTHING
