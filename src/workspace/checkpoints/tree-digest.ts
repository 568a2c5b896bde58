// Identifies the state of a file tree: the same digest means the same files and links with the same modes and contents.
// Invariant: a change costs two hashes at most, whatever the size of the tree. Times and directories don't count.
import { createHash } from "node:crypto"
import type { TreeNode } from "../tree/node-store.ts"

/** A path with what it held, and what it holds instead. */
export type Pair = readonly [path: string, before: TreeNode | null, after: TreeNode | null]

const MODULUS = 1n << 256n

/** The sum of the hashes of a tree's nodes. A sum ignores order, so that one node can be exchanged without reading the others. */
export class TreeDigest {
  #sum: bigint

  constructor(nodes: Iterable<readonly [path: string, node: TreeNode]>) {
    this.#sum = 0n
    for (const [path, node] of nodes) this.#sum += numberOf(path, node)
    this.#sum %= MODULUS
  }

  /** Replaces the node of a path. Both nodes must have the hash of their content. */
  exchange(path: string, before: TreeNode | null, after: TreeNode | null): void {
    this.#sum = exchanged(this.#sum, path, before, after)
  }

  /** The digest, as 64 hexadecimal digits. */
  get text(): string {
    return hexOf(this.#sum)
  }

  /** The digest of the tree before these changes. */
  before(changes: ReadonlyArray<Pair>): string {
    return hexOf(changes.reduce((sum, [path, before, after]) => exchanged(sum, path, after, before), this.#sum))
  }
}

const hexOf = (sum: bigint): string => sum.toString(16).padStart(64, "0")

const exchanged = (sum: bigint, path: string, before: TreeNode | null, after: TreeNode | null): bigint =>
  (sum + MODULUS - numberOf(path, before) + numberOf(path, after)) % MODULUS

const numberOf = (path: string, node: TreeNode | null): bigint => {
  if (node === null || node.type === "directory") return 0n
  const { type, mode, hash, target } = node
  // NUL is a safe separator: no path and no target contains one.
  const text = [path, type, mode, hash, target].join("\0")
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
}
