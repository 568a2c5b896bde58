// Receives what paths held and hold; returns the change as the log stores it: digests of both trees, paths, line counts, texts.
// Invariant: the size of a change is bounded: 1000 paths, and texts and counts as `diffNodes` cuts them with LOG_BOUNDS.
import type { FileDiff } from "../../schemas/api/files.ts"
import { type DiffBounds, diffNodes } from "../diff/diff.ts"
import type { NodeStore, TreeNode } from "../tree/node-store.ts"
import { showsChange } from "./rewind.ts"
import type { Pair, TreeDigest } from "./tree-digest.ts"

/** A node without its time and size. */
export interface NodeAtPath {
  readonly path: string
  /** Null when nothing is at the path. */
  readonly node: Pick<TreeNode, "type" | "mode" | "hash" | "target"> | null
}

export interface FileChange {
  /** Digest of the tree before the change. */
  readonly before: string
  /** Digest of the tree after it. */
  readonly after: string
  /** The first 1000 paths, in order; `more` is the number of further paths. */
  readonly files: ReadonlyArray<string>
  readonly more: number
  /** The differences of the first 100 files. */
  readonly diffs: ReadonlyArray<FileDiff>
  /** What the paths hold now. */
  readonly nodes: ReadonlyArray<NodeAtPath>
}

const MAX_PATHS = 1000

/** A row of the log may have 256 KiB: the texts of a change take at most a sixth of it. */
const LOG_BOUNDS: DiffBounds = {
  files: 100,
  side: 10_000,
  total: 40_000,
  unified: 80_000,
  bytes: 200_000,
  counts: false,
  effort: 2_000_000,
}

/** The change of these paths; null when no file or link differs, and then `digestOf` is not called. */
export const fileChange = (
  store: NodeStore,
  pairs: ReadonlyArray<Pair>,
  digestOf: () => TreeDigest,
): FileChange | null => {
  const differing = pairs.filter(([, before, after]) => showsChange(before, after))
  if (differing.length === 0) return null
  const digest = digestOf()
  const ordered = differing.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const named = ordered.slice(0, MAX_PATHS)
  return {
    before: digest.before(ordered),
    after: digest.text,
    files: named.map(([path]) => path),
    more: ordered.length - named.length,
    diffs: diffNodes(store, named, LOG_BOUNDS).files,
    nodes: named.map(([path, , now]) => ({ path, node: nodeAtPath(now) })),
  }
}

/** A node as the log stores it; null for a directory, since directories don't count. */
const nodeAtPath = (node: TreeNode | null): NodeAtPath["node"] => {
  if (node === null || node.type === "directory") return null
  const { type, mode, hash, target } = node
  return { type, mode, hash, target }
}

/** A node that the log stored; its time and size are 0. */
export const nodeOf = (former: NodeAtPath["node"]): TreeNode | null =>
  former === null ? null : { ...former, mtime: 0, size: 0 }
