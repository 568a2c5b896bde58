// Names the state of a file tree: the same digest, the same files and links with the same modes and contents.
// Invariant: a change costs one hash, whatever the size of the tree. Times and directories don't count.
import { createHash } from "node:crypto"
import type { TreeNode } from "../tree/node-store.ts"

/** A path with what it held, and what it holds instead. */
export type Pair = readonly [path: string, before: TreeNode | null, after: TreeNode | null]

const MODULUS = 1n << 256n

/** The nodes of a tree, added up: their order plays no part, so one is exchanged without a look at the others. */
export class TreeDigest {
  #sum: bigint

  constructor(nodes: Iterable<readonly [path: string, node: TreeNode]>) {
    this.#sum = 0n
    for (const [path, node] of nodes) this.#sum += numberOf(path, node)
    this.#sum %= MODULUS
  }

  /** The path holds another node from now on. Both have the hash of their content. */
  exchange(path: string, before: TreeNode | null, after: TreeNode | null): void {
    this.#sum = exchanged(this.#sum, path, before, after)
  }

  /** 64 hexadecimal digits. */
  get text(): string {
    return hexOf(this.#sum)
  }

  /** The digest of the tree that these changes led from. */
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
  // No path and no target holds a NUL.
  const text = [path, type, mode, hash, target].join("\0")
  return BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
}
