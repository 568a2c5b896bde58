// The changes of a step and a turn: digests of the tree, paths, diffs, and their limits.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { FileChange, NodeAtPath } from "../../../src/workspace/checkpoints/file-changes.ts"
import { TreeDigest } from "../../../src/workspace/checkpoints/tree-digest.ts"
import { Workspace } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../sql-twin.ts"

const NONE = () => []
const digestOf = (workspace: Workspace): string => new TreeDigest(workspace.nodes.below("/")).text

const changeOf = (workspace: Workspace, turn = "turn", known: ReadonlyArray<NodeAtPath> = []): FileChange => {
  const change = workspace.stepChange(turn, () => known)
  if (change === null) throw new Error("nothing has changed")
  return change
}

describe("a digest of the tree", () => {
  it("is updated by every change, and each step starts from the last one", () => {
    const path = fc.constantFrom("/a", "/d/b", "/d/c", "/e")
    const operation = fc.oneof(
      fc.record({ kind: fc.constant("write" as const), path, text: fc.constantFrom("", "1", "2") }),
      fc.record({ kind: fc.constantFrom("remove" as const, "chmod" as const, "link" as const), path }),
      fc.record({ kind: fc.constant("step" as const), path }),
    )
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const { workspace } = openWorkspace()
        workspace.checkpoint("turn")
        let last = digestOf(workspace)
        for (const one of operations) {
          const there = workspace.nodes.get(one.path) !== null
          if (one.kind === "write") workspace.writeBytes(one.path, one.text)
          else if (one.kind === "remove") workspace.remove(one.path, { recursive: true, force: true })
          else if (one.kind === "chmod" && workspace.exists(one.path)) workspace.chmod(one.path, 0o755)
          else if (one.kind === "link" && !there) {
            workspace.mkdir("/d", { recursive: true })
            workspace.symlink("/nowhere", one.path)
          } else if (one.kind === "step") {
            const change = workspace.stepChange("turn", NONE)
            const now = digestOf(workspace)
            expect(change === null ? last : change.before).toBe(last)
            expect(change === null ? last : change.after).toBe(now)
            workspace.snapshotTaken()
            last = now
          }
        }
        const all = workspace.turnChange("turn")
        if (all !== null) expect(all.after).toBe(digestOf(workspace))
      }),
      { numRuns: 100 },
    )
  })

  it("is the same for trees that look the same, whatever their times and directories", () => {
    const [one, other] = [openWorkspace().workspace, openWorkspace().workspace]
    one.writeBytes("/a", "1")
    one.writeBytes("/d/b", "2")
    other.mkdir("/empty")
    other.writeBytes("/d/b", "old")
    other.writeBytes("/d/b", "2")
    other.writeBytes("/a", "1")
    other.utimes("/a", 5)
    expect(digestOf(other)).toBe(digestOf(one))
    other.chmod("/a", 0o700)
    expect(digestOf(other)).not.toBe(digestOf(one))
  })
})

describe("a step", () => {
  it("that touched files and left them unchanged has changed nothing", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    workspace.checkpoint("turn")
    workspace.writeBytes("/a", "2")
    workspace.writeBytes("/a", "1")
    workspace.writeBytes("/b", "1")
    workspace.remove("/b")
    workspace.mkdir("/d")
    const rows = twin.rowsWritten()
    expect(workspace.stepChange("turn", NONE)).toBeNull()
    expect(twin.rowsWritten()).toBe(rows)
  })

  it("is compared with the snapshot before it, also after a restart", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/kept", "0")
    workspace.checkpoint("turn")
    workspace.writeBytes("/a", "1")
    const first = changeOf(workspace)
    workspace.snapshotTaken()
    workspace.writeBytes("/a", "2")
    workspace.remove("/kept")
    const expected = changeOf(workspace)
    const restarted = new Workspace(twin, () => 0)
    expect(changeOf(restarted, "turn", first.nodes)).toEqual(expected)
    expect(expected.before).toBe(first.after)
    expect(expected.files).toEqual(["/a", "/kept"])
    restarted.snapshotTaken()
    expect(restarted.stepChange("turn", NONE)).toBeNull()
    expect(restarted.turnChange("turn")).toEqual(workspace.turnChange("turn"))
  })

  it("has changed nothing after a restart if its snapshot is the tree", () => {
    const { workspace, twin } = openWorkspace()
    workspace.checkpoint("turn")
    workspace.writeBytes("/a", "1")
    const { nodes } = changeOf(workspace)
    const restarted = new Workspace(twin, () => 0)
    expect(restarted.stepChange("turn", () => nodes)).toBeNull()
    restarted.writeBytes("/b", "1")
    expect(changeOf(restarted).files).toEqual(["/b"])
  })

  it("is not confused by a fork's checkpoint in its middle, or by a rollback", () => {
    const { workspace, twin } = openWorkspace()
    workspace.checkpoint("turn")
    workspace.writeBytes("/a", "1")
    workspace.checkpoint("fork:1")
    workspace.writeBytes("/b", "1")
    expect(changeOf(workspace).files).toEqual(["/a", "/b"])
    expect(() =>
      twin.transactionSync(() => {
        workspace.writeBytes("/c", "1")
        throw new Error("rolled back")
      }),
    ).toThrow("rolled back")
    workspace.forget()
    expect(changeOf(workspace).files).toEqual(["/a", "/b"])
    expect(workspace.turnChange("turn")?.after).toBe(digestOf(workspace))
  })

  it("of a turn without a checkpoint has the journal's changes, and after a restart none", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    expect(workspace.turnChange("none")).toBeNull()
    expect(new Workspace(twin, () => 0).stepChange("none", NONE)).toBeNull()
  })
})

describe("a change in the log", () => {
  it("names at most 1000 paths and shows at most 100 of them", () => {
    const { workspace } = openWorkspace()
    workspace.checkpoint("turn")
    for (let file = 0; file < 1205; file += 1) workspace.writeBytes(`/many/${String(file).padStart(4, "0")}`, "x\n")
    const change = changeOf(workspace)
    expect([change.files.length, change.more, change.diffs.length]).toEqual([1000, 205, 100])
    expect(change.after).toBe(digestOf(workspace))
    expect(JSON.stringify(change).length).toBeLessThan(256 * 1024)
  })

  it("truncates texts at 10,000 characters each and 40,000 in total, and says so", () => {
    const { workspace } = openWorkspace()
    workspace.checkpoint("turn")
    for (const name of ["a", "b", "c", "d", "e", "f"]) workspace.writeBytes(`/${name}`, "line\n".repeat(3000))
    const { diffs } = changeOf(workspace)
    expect(diffs.every(({ after, additions }) => after.length <= 10_000 && additions === 3000)).toBe(true)
    expect(diffs.reduce((sum, { after }) => sum + after.length, 0)).toBeLessThanOrEqual(40_000)
    expect(diffs.map(({ truncated }) => truncated)).toEqual([true, true, true, true, true, true])
  })

  it("marks what is not text, and does not read large files", () => {
    const { workspace } = openWorkspace()
    workspace.checkpoint("turn")
    workspace.writeBytes("/binary", Uint8Array.from([0, 1, 2]))
    workspace.writeBytes("/large", "x\n".repeat(200_000))
    expect(changeOf(workspace).diffs).toEqual([
      { file: "/binary", status: "added", before: "", after: "", additions: 0, deletions: 0, binary: true },
      { file: "/large", status: "added", before: "", after: "", additions: 0, deletions: 0, truncated: true },
    ])
  })
})
