import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { WorkspaceDiff } from "../../../src/workspace/diff/diff.ts"
import type { Workspace } from "../../../src/workspace/workspace.ts"
import { shown, applied, sorted, type Shown } from "../patched.ts"
import { openWorkspace } from "../sql-twin.ts"

const between = (workspace: Workspace, from: string, to: string | null = null): WorkspaceDiff => {
  const diff = workspace.diff(from, to)
  if ("missing" in diff) throw new Error(`${diff.missing} is no checkpoint`)
  return diff
}

describe("a diff", () => {
  it("reports what was added, removed and changed, with git's text", () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/edited", "a\nb\nc\n")
    workspace.writeBytes("/workspace/gone", "1\n2")
    workspace.writeBytes("/workspace/run", "x\n")
    workspace.checkpoint("one")
    workspace.writeBytes("/workspace/edited", "a\nB\nc\n")
    workspace.remove("/workspace/gone")
    workspace.writeBytes("/workspace/new file", "n\n")
    workspace.chmod("/workspace/run", 0o755)
    workspace.mkdir("/workspace/empty")
    workspace.checkpoint("two")
    workspace.writeBytes("/workspace/later", "l")
    const diff = between(workspace, "one", "two")
    expect(diff).toMatchObject({ additions: 2, deletions: 3, truncated: false })
    expect(diff.files).toEqual([
      {
        file: "/workspace/edited",
        status: "modified",
        before: "a\nb\nc\n",
        after: "a\nB\nc\n",
        additions: 1,
        deletions: 1,
      },
      { file: "/workspace/gone", status: "deleted", before: "1\n2", after: "", additions: 0, deletions: 2 },
      { file: "/workspace/new file", status: "added", before: "", after: "n\n", additions: 1, deletions: 0 },
      { file: "/workspace/run", status: "modified", before: "x\n", after: "x\n", additions: 0, deletions: 0 },
    ])
    expect(diff.unified).toBe(
      [
        "diff --git a/workspace/edited b/workspace/edited",
        "--- a/workspace/edited",
        "+++ b/workspace/edited",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "+B",
        " c",
        "diff --git a/workspace/gone b/workspace/gone",
        "deleted file mode 100644",
        "--- a/workspace/gone",
        "+++ /dev/null",
        "@@ -1,2 +0,0 @@",
        "-1",
        "-2",
        "\\ No newline at end of file",
        "diff --git a/workspace/new file b/workspace/new file",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/workspace/new file",
        "@@ -0,0 +1,1 @@",
        "+n",
        "diff --git a/workspace/run b/workspace/run",
        "old mode 100644",
        "new mode 100755",
        "",
      ].join("\n"),
    )
    expect(between(workspace, "two").files.map(({ file }) => file)).toEqual(["/workspace/later"])
    expect(between(workspace, "two", "two").files).toEqual([])
    expect(workspace.diff("none", null)).toEqual({ missing: "none" })
    expect(workspace.diff("one", "none")).toEqual({ missing: "none" })
    expect(workspace.checkpoints()).toEqual(["one", "two"])
  })

  it("marks files that are not text or too large, and truncates long texts", () => {
    const { workspace } = openWorkspace()
    workspace.checkpoint("one")
    workspace.writeBytes("/binary", new Uint8Array([1, 0, 2]))
    workspace.writeBytes("/latin", new Uint8Array([0x68, 0xe9]))
    workspace.writeBytes("/long", "0123456789\n".repeat(20_000))
    workspace.writeBytes("/large", "x\n".repeat(600_000))
    const diff = between(workspace, "one")
    const [binary, large, latin, long] = diff.files
    expect(binary).toMatchObject({ file: "/binary", binary: true, before: "", after: "" })
    expect(latin).toMatchObject({ binary: true, additions: 0 })
    expect(large).toMatchObject({ truncated: true, additions: 600_000 })
    expect(long).toMatchObject({ truncated: true, additions: 20_000 })
    expect([large?.after.length, long?.after.length]).toEqual([100_000, 100_000])
    expect(diff.unified).toContain("Binary files /dev/null and b/binary differ\n")
    expect(diff.unified).toContain("Files /dev/null and b/large differ (too large to be shown)\n")
    expect(diff.truncated).toBe(true)
  })

  it("of many files that have nothing in common stays within its limits", () => {
    const { workspace } = openWorkspace()
    const text = (word: string) => Array.from({ length: 200 }, (_, line) => `${word} ${line}\n`).join("")
    for (let file = 0; file < 1100; file += 1) workspace.writeBytes(`/many/${file}`, text("old"))
    workspace.checkpoint("one")
    for (let file = 0; file < 1100; file += 1) workspace.writeBytes(`/many/${file}`, text("new"))
    const diff = between(workspace, "one")
    expect(diff.files).toHaveLength(1000)
    expect(diff).toMatchObject({ truncated: true, additions: 200_000, deletions: 200_000 })
    expect(diff.unified.length).toBeLessThan(4_300_000)
    expect(JSON.stringify(diff.files).length).toBeLessThan(5_000_000)
  })

  it("applied to one tree produces the other, in both directions", () => {
    const path = fc.constantFrom("/a", "/b c", '/d/"q"', "/d/é\t\nx", "/e")
    const text = fc.oneof(
      fc
        .array(fc.constantFrom("x\n", "y\n", "z\r\n", "\n", "-- w\n", "ü"), { maxLength: 12 })
        .map((all) => all.join("")),
      fc.nat(30).map((lines) => `${"line\n".repeat(lines * 100)}end`),
    )
    const step = fc.oneof(
      fc.record({ kind: fc.constant("write" as const), path, text }),
      fc.record({ kind: fc.constant("remove" as const), path }),
      fc.record({ kind: fc.constant("link" as const), path }),
      fc.record({ kind: fc.constant("chmod" as const), path, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
      fc.record({ kind: fc.constant("checkpoint" as const) }),
    )
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), fc.nat(), fc.nat(), (steps, one, other) => {
        const { workspace } = openWorkspace()
        const marked: Array<Shown> = []
        const mark = () => {
          workspace.checkpoint(`${marked.length}`)
          marked.push(shown(workspace))
        }
        mark()
        for (const each of steps) {
          if (each.kind === "checkpoint") mark()
          else if (each.kind === "write") {
            if (workspace.exists(each.path)) workspace.remove(each.path)
            workspace.writeBytes(each.path, each.text)
          } else if (each.kind === "link") {
            workspace.remove(each.path, { force: true })
            workspace.mkdir("/d", { recursive: true })
            workspace.symlink("/nowhere", each.path)
          } else if (each.kind === "remove") workspace.remove(each.path, { force: true })
          else if (workspace.exists(each.path)) workspace.chmod(each.path, each.mode)
        }
        const [from, to] = [one % marked.length, other % marked.length]
        const there = between(workspace, `${from}`, `${to}`)
        expect(sorted(applied(marked[from]!, there.unified))).toEqual(sorted(marked[to]!))
        const now = between(workspace, `${from}`)
        expect(sorted(applied(marked[from]!, now.unified))).toEqual(sorted(shown(workspace)))
      }),
      { numRuns: 300 },
    )
  })
})
