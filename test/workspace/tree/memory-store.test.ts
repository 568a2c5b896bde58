// A shell's overlay over files that are there: what it costs, and that it is the same tree as one that was changed directly.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FileTree } from "../../../src/workspace/tree/file-tree.ts"
import { MemoryStore } from "../../../src/workspace/tree/memory-store.ts"
import type { PagedStore } from "../../../src/workspace/tree/node-store.ts"
import { DEFAULT_QUOTAS, type Workspace } from "../../../src/workspace/workspace.ts"
import { WorkspaceError } from "../../../src/workspace/workspace-error.ts"
import { openWorkspace } from "../sql-twin.ts"

/** A store that counts what is asked of it, and the nodes that it gives. */
const counted = (store: PagedStore) => {
  const seen = { calls: 0, nodes: 0 }
  const given = <A>(answer: A): A => {
    seen.calls += 1
    seen.nodes += Array.isArray(answer) ? answer.length : 1
    return answer
  }
  const base: PagedStore = {
    get: (path) => given(store.get(path)),
    put: store.put,
    delete: store.delete,
    read: (node) => given(store.read(node)),
    anyBelow: (path) => given(store.anyBelow(path)),
    children: (path) => given(store.children(path)),
    below: (path) => given(store.below(path)),
    page: (path, cursor, limit) => given(store.page(path, cursor, limit)),
    totals: () => store.totals(),
    atomically: (run) => run(),
  }
  return { base, seen }
}

const overlay = (store: PagedStore): FileTree =>
  new FileTree(
    new MemoryStore(store),
    () => 1,
    () => DEFAULT_QUOTAS,
    ["/workspace"],
  )

describe("an overlay of many files", () => {
  const { workspace } = openWorkspace()
  workspace.nodes.atomically(() => {
    for (let index = 0; index < 3000; index += 1) workspace.nodes.put(`/big/${index}`, file("x"))
    for (let index = 0; index < 20; index += 1) workspace.nodes.put(`/small/${index}`, file("x"))
  })

  it("reads nothing until it is asked", () => {
    const { base, seen } = counted(workspace.nodes)
    const tree = overlay(base)
    expect(seen.calls).toBe(0)
    tree.writeBytes("/workspace/new", "x")
    expect(seen.nodes).toBeLessThan(10)
  })

  it("lists a directory for what is in it, and knows its files afterwards", () => {
    const { base, seen } = counted(workspace.nodes)
    const tree = overlay(base)
    expect(tree.readdir("/small")).toHaveLength(20)
    expect(seen.nodes).toBeLessThan(30)
    const { calls } = seen
    for (let index = 0; index < 20; index += 1) expect(tree.stat(`/small/${index}`).size).toBe(1)
    expect(seen.calls).toBe(calls)
  })

  it("passes each file once when all of a directory are deleted one by one", () => {
    const { base, seen } = counted(workspace.nodes)
    const tree = overlay(base)
    for (let index = 0; index < 3000; index += 1) tree.remove(`/big/${index}`)
    expect(tree.readdir("/big")).toEqual([])
    // One look-up, one passing, and the last listing.
    expect(seen.nodes).toBeLessThan(3 * 3000 + 100)
    expect(seen.calls).toBeLessThan(2 * 3000)
  })
})

function file(text: string) {
  const bytes = new TextEncoder().encode(text)
  return { type: "file", mode: 0o644, mtime: 1, size: bytes.length, hash: "", target: "", bytes } as const
}

// ---- any changes: the overlay's tree is the one that the same changes make without it

const path = fc.constantFrom("/a", "/b", "/d", "/d/a", "/d/b", "/d/e", "/d/e/a", "/d/e/f/g", "/workspace/l")
const change = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, text: fc.constantFrom("", "x", "yy") }),
  fc.record({ kind: fc.constant("remove" as const), path, recursive: fc.boolean() }),
  fc.record({ kind: fc.constant("mkdir" as const), path, recursive: fc.boolean() }),
  fc.record({ kind: fc.constant("rename" as const), path, to: path }),
  fc.record({ kind: fc.constant("copy" as const), path, to: path }),
  fc.record({ kind: fc.constant("symlink" as const), path, to: path }),
  fc.record({ kind: fc.constant("chmod" as const), path, mode: fc.constantFrom(0o600, 0o755) }),
  fc.record({ kind: fc.constant("list" as const), path }),
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

/** What a change answers: what it lists, or the code of what it fails with. */
const make = (tree: Workspace | FileTree, one: Change): unknown => {
  try {
    if (one.kind === "write") return tree.writeBytes(one.path, one.text)
    if (one.kind === "remove") return tree.remove(one.path, { recursive: one.recursive })
    if (one.kind === "mkdir") return tree.mkdir(one.path, { recursive: one.recursive })
    if (one.kind === "rename") return tree.rename(one.path, one.to)
    if (one.kind === "copy") return tree.copy(one.path, one.to, { recursive: true })
    if (one.kind === "symlink") return tree.symlink(one.to, one.path)
    if (one.kind === "chmod") return tree.chmod(one.path, one.mode)
    return tree.readdir(one.path)
  } catch (error) {
    if (error instanceof WorkspaceError) return error.message
    throw error
  }
}

const treeOf = (workspace: Workspace) =>
  workspace.nodes.below("/").map(([at, { bytes: _, ...node }]) => [at, { ...node, mtime: 0 }])

describe("whatever is changed", () => {
  it("a change that fails half-way leaves nothing of itself", () => {
    const { workspace, clock } = openWorkspace()
    workspace.mkdir("/workspace/from/first", { recursive: true })
    workspace.mkdir("/workspace/to/last", { recursive: true })
    const store = new MemoryStore(workspace.nodes)
    const tree = new FileTree(
      store,
      () => clock.now,
      () => workspace.quotas,
      ["/tmp", "/workspace"],
    )
    tree.writeBytes("/workspace/from/last", "a file where the copy has a directory")
    const [before, changes] = [{ ...store.totals() }, store.changes()]
    expect(() => tree.copy("/workspace/from", "/workspace/to", { recursive: true })).toThrow("EISDIR")
    expect(store.totals()).toEqual(before)
    expect(store.changes()).toEqual(changes)
    expect(tree.readdir("/workspace/to")).toEqual([{ name: "last", type: "directory" }])
  })

  it("an overlay answers as the workspace would, counts the same, and flushes the same tree", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 12 }),
        fc.array(change, { minLength: 1, maxLength: 20 }),
        (first, then) => {
          const [direct, shelled] = [openWorkspace(), openWorkspace()]
          for (const one of first) for (const { workspace } of [direct, shelled]) make(workspace, one)
          const store = new MemoryStore(shelled.workspace.nodes)
          const quotas = () => shelled.workspace.quotas
          const tree = new FileTree(store, () => shelled.clock.now, quotas, ["/tmp", "/workspace"])
          for (const one of then) expect(make(tree, one)).toEqual(make(direct.workspace, one))
          expect(store.totals()).toEqual(direct.workspace.totals())
          expect(new Set(store.below("/").map(([at]) => at))).toEqual(
            new Set(direct.workspace.nodes.below("/").map(([at]) => at)),
          )
          shelled.twin.transactionSync(() => shelled.workspace.apply(store.changes()))
          expect(treeOf(shelled.workspace)).toEqual(treeOf(direct.workspace))
          expect(shelled.workspace.totals()).toEqual(direct.workspace.totals())
        },
      ),
      { numRuns: 300 },
    )
  })
})
