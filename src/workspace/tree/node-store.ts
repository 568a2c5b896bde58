// The store of a file tree's nodes: rows of SQLite (sql-store) or a shell's memory (memory-store).
// Invariant: a store knows no POSIX rules; the directories above a node need no nodes of their own.

export interface TreeNode {
  readonly type: "file" | "directory" | "symlink"
  readonly mode: number
  /** Milliseconds since 1970. */
  readonly mtime: number
  /** The size of a file in bytes; 0 for other types. */
  readonly size: number
  /** SHA-256 of a file's content in hex, "" when it is empty or not hashed yet. */
  readonly hash: string
  /** The target of a symlink, as it was given; "" for other types. */
  readonly target: string
  /** Content that is in no store yet; never changed in place. */
  readonly bytes?: Uint8Array
}

/** A name in a directory; `node` is null for a directory that exists only through the nodes below it. */
export interface Child {
  readonly name: string
  readonly node: TreeNode | null
}

/** What the quotas count. */
export interface Totals {
  nodes: number
  bytes: number
  links: number
}

/** A node to put at a path, or null to delete it. */
export type Change = readonly [path: string, node: TreeNode | null]

export interface NodeStore {
  readonly get: (path: string) => TreeNode | null
  readonly put: (path: string, node: TreeNode) => void
  readonly delete: (path: string) => void
  readonly read: (node: TreeNode) => Uint8Array
  /** Some node strictly below the path, or null. */
  readonly anyBelow: (path: string) => TreeNode | null
  readonly children: (path: string) => Array<Child>
  readonly below: (path: string) => Array<readonly [path: string, node: TreeNode]>
  readonly totals: () => Readonly<Totals>
  /** Runs `run` as a transaction: when it throws, its changes are undone. */
  readonly atomically: <A>(run: () => A) => A
}

/** A store that can be read page by page, as the base of others. */
export interface PagedStore extends NodeStore {
  /** Nodes at or below a path in order, after `cursor`, at most `limit` of them. */
  readonly page: (
    path: string,
    cursor: string | null,
    limit: number,
  ) => ReadonlyArray<readonly [path: string, node: TreeNode]>
}

/** Adds a node to totals (`sign` 1) or subtracts it (-1). */
export const count = (totals: Totals, node: TreeNode | null, sign: 1 | -1): void => {
  if (node === null) return
  totals.nodes += sign
  totals.bytes += sign * node.size
  if (node.type === "symlink") totals.links += sign
}
