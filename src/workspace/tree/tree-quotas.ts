// The quotas of a workspace: checked before each write, and again for all writes of a change together.
import type { NodeStore, Totals, TreeNode } from "./node-store.ts"
import { WorkspaceError } from "../workspace-error.ts"

export interface Quotas {
  readonly maxFiles: number
  readonly maxBytes: number
  readonly maxFileBytes: number
}

export class TreeQuotas {
  readonly #store: NodeStore
  readonly #quotas: () => Quotas

  constructor(store: NodeStore, quotas: () => Quotas) {
    this.#store = store
    this.#quotas = quotas
  }

  /** Throws EFBIG or EDQUOT when the quotas leave no room for writing `size` bytes to the path, which has `before` now. */
  check(real: string, before: TreeNode | null, size: number): void {
    const { maxFiles, maxBytes, maxFileBytes } = this.#quotas()
    if (size > maxFileBytes) {
      throw new WorkspaceError("EFBIG", "write", real, `file is larger than ${maxFileBytes} bytes`)
    }
    const totals = this.#store.totals()
    if (before === null && totals.nodes + 1 > maxFiles) {
      throw new WorkspaceError("EDQUOT", "write", real, `workspace contains its maximum of ${maxFiles} files`)
    }
    const grows = size - (before?.size ?? 0)
    if (grows > 0 && totals.bytes + grows > maxBytes) {
      throw new WorkspaceError("EDQUOT", "write", real, `workspace would contain more than ${maxBytes} bytes`)
    }
  }

  /** Throws EDQUOT when the tree has grown beyond its quotas since its totals were `before`. */
  checkGrowth(before: Totals): void {
    const { maxFiles, maxBytes } = this.#quotas()
    const { nodes, bytes } = this.#store.totals()
    if (nodes > Math.max(maxFiles, before.nodes)) {
      throw new WorkspaceError("EDQUOT", "write", "/", `workspace would contain more than ${maxFiles} files`)
    }
    if (bytes > Math.max(maxBytes, before.bytes)) {
      throw new WorkspaceError("EDQUOT", "write", "/", `workspace would contain more than ${maxBytes} bytes`)
    }
  }
}
