import { diffLines } from "diff"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Overlay } from "../../../src/workspace/tree/overlay.ts"
import { Workspace } from "../../../src/workspace/workspace.ts"
import { WorkspaceError } from "../../../src/workspace/workspace-error.ts"
import { openWorkspace } from "../sql-twin.ts"

/** The complete state of a tree: its nodes with their modes and times, and the bytes of its files. */
const snapshot = (workspace: Workspace): ReadonlyMap<string, object & { readonly text: string | null }> =>
  new Map(
    workspace.nodes
      .below("/")
      .map(([path, node]) => [
        path,
        { ...node, text: node.type === "file" ? Buffer.from(workspace.nodes.read(node)).toString("latin1") : null },
      ]),
  )

const NONE = { canRewind: false, error: "There is no file checkpoint for this message." }

describe("a checkpoint", () => {
  it("costs one row, and a repeated one none", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/workspace/a", "a")
    const before = twin.rowsWritten()
    workspace.checkpoint("one")
    workspace.checkpoint("one")
    expect(twin.rowsWritten() - before).toBe(1)
  })

  it("makes the first change of a file cost one more row, later ones and new files none", () => {
    const { workspace, twin } = openWorkspace()
    const rowsOf = (run: () => void): number => {
      const before = twin.rowsWritten()
      run()
      return twin.rowsWritten() - before
    }
    workspace.writeBytes("/old", "0")
    workspace.checkpoint("one")
    expect(rowsOf(() => workspace.writeBytes("/old", "1"))).toBe(3)
    expect(rowsOf(() => workspace.writeBytes("/old", "2"))).toBe(2)
    expect(rowsOf(() => workspace.writeBytes("/new", "3"))).toBe(2)
    expect(rowsOf(() => workspace.writeBytes("/new", "4"))).toBe(2)
    expect(rowsOf(() => workspace.remove("/new"))).toBe(1)
    workspace.checkpoint("two")
    expect(rowsOf(() => workspace.remove("/old"))).toBe(2)
  })

  it("costs nothing without a checkpoint", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    workspace.writeBytes("/a", "2")
    workspace.remove("/a")
    expect(twin.database.prepare("SELECT COUNT(*) AS rows FROM file_versions").get()).toEqual({ rows: 0 })
  })

  it("is rolled back with the transaction that created it", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    workspace.checkpoint("one")
    expect(() =>
      twin.transactionSync(() => {
        workspace.checkpoint("two")
        workspace.writeBytes("/a", "2")
        throw new Error("no")
      }),
    ).toThrow("no")
    workspace.forget()
    workspace.writeBytes("/a", "3")
    expect(workspace.rewind("two")).toEqual(NONE)
    expect(workspace.rewind("one")).toMatchObject({ canRewind: true, filesChanged: ["/a"] })
    expect(workspace.readText("/a")).toBe("1")
  })
})

describe("a rewind", () => {
  it("restores what was edited and deleted, and removes what was created", () => {
    const { workspace, clock } = openWorkspace()
    workspace.writeBytes("/workspace/edited", "a\nb\nc\n")
    workspace.writeBytes("/workspace/deleted", "one\ntwo")
    workspace.writeBytes("/workspace/same", "same")
    workspace.checkpoint("one")
    const before = snapshot(workspace)
    clock.now += 5
    workspace.writeBytes("/workspace/edited", "a\nB\nB2\nc\n")
    workspace.remove("/workspace/deleted")
    workspace.writeBytes("/workspace/dir/created", "1\n2\n3\n")
    workspace.mkdir("/workspace/empty")
    const facts = {
      canRewind: true,
      filesChanged: ["/workspace/deleted", "/workspace/dir/created", "/workspace/edited"],
      insertions: 3,
      deletions: 5,
    }
    expect(workspace.rewind("one", { dryRun: true })).toEqual(facts)
    expect(workspace.readText("/workspace/edited")).toBe("a\nB\nB2\nc\n")
    expect(workspace.rewind("one")).toEqual({ ...facts, skippedLinks: 0 })
    expect(snapshot(workspace)).toEqual(before)
    const nothing = { canRewind: true, filesChanged: [], insertions: 0, deletions: 0, skippedLinks: 0 }
    expect(workspace.rewind("one")).toEqual(nothing)
  })

  it("restores directories, symlinks, modes and times, and reports files only", () => {
    const { workspace, clock } = openWorkspace()
    workspace.mkdir("/d")
    workspace.writeBytes("/d/run", "x")
    workspace.writeBytes("/d/touched", "x")
    workspace.symlink("run", "/d/link")
    workspace.checkpoint("one")
    const before = snapshot(workspace)
    clock.now += 5
    workspace.chmod("/d/run", 0o755)
    workspace.utimes("/d/touched", 7)
    workspace.remove("/d/link")
    workspace.symlink("touched", "/d/link")
    workspace.chmod("/d", 0o700)
    expect(workspace.rewind("one")).toMatchObject({ filesChanged: ["/d/link", "/d/run"], insertions: 0, deletions: 0 })
    expect(snapshot(workspace)).toEqual(before)
    expect(workspace.readlink("/d/link")).toBe("run")
  })

  it("restores a directory that was replaced by a file, and a file that was replaced by a directory", () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/dir/x", "x")
    workspace.writeBytes("/file", "f")
    workspace.checkpoint("one")
    const before = snapshot(workspace)
    workspace.remove("/dir", { recursive: true })
    workspace.writeBytes("/dir", "now a file")
    workspace.remove("/file")
    workspace.writeBytes("/file/x", "now in a directory")
    workspace.rewind("one")
    expect(snapshot(workspace)).toEqual(before)
    expect(workspace.totals()).toEqual({ nodes: 2, bytes: 2, links: 0 })
  })

  it("rejects a message without a checkpoint, and writes nothing", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    const before = twin.rowsWritten()
    expect(workspace.rewind("none")).toEqual(NONE)
    expect(workspace.rewind("none", { dryRun: true })).toEqual(NONE)
    expect(twin.rowsWritten()).toBe(before)
  })

  it("is applied completely or not at all", () => {
    const { workspace, twin } = openWorkspace()
    for (const name of ["a", "b", "c"]) workspace.writeBytes(`/${name}`, "1")
    workspace.checkpoint("one")
    for (const name of ["a", "b", "c"]) workspace.remove(`/${name}`)
    const before = snapshot(workspace)
    twin.database.exec(`CREATE TRIGGER full BEFORE INSERT ON files WHEN NEW.path = '/c'
      BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
    expect(() => workspace.rewind("one")).toThrow("disk full")
    expect(snapshot(workspace)).toEqual(before)
    expect(workspace.totals()).toEqual({ nodes: 0, bytes: 0, links: 0 })
    twin.database.exec("DROP TRIGGER full")
    expect(workspace.rewind("one")).toMatchObject({ filesChanged: ["/a", "/b", "/c"], insertions: 3 })
  })

  it("counts the lines of large and very different files without comparing them line by line", () => {
    const { workspace } = openWorkspace()
    const numbered = (word: string, lines: number) =>
      Array.from({ length: lines }, (_, line) => `${word} ${line}\n`).join("")
    const files = Array.from({ length: 60 }, (_, index) => `/many/${index}`)
    workspace.writeBytes("/large", numbered("old", 200_000))
    for (const file of files) workspace.writeBytes(file, numbered("old", 2000))
    workspace.writeBytes("/binary", new Uint8Array([0, 10, 10]))
    workspace.checkpoint("one")
    workspace.writeBytes("/large", numbered("new", 100_000))
    for (const file of files) workspace.writeBytes(file, numbered("new", 1000))
    workspace.writeBytes("/binary", new Uint8Array([0, 10]))
    expect(workspace.rewind("one", { dryRun: true })).toMatchObject({ insertions: 320_000, deletions: 160_000 })
  })
})

// ---- any changes, any checkpoints

const PATHS = ["/a", "/b", "/d/a", "/d/b", "/d/e/a", "/d", "/d/e", "/workspace/l"]
const path = fc.constantFrom(...PATHS)
const lines = fc.array(fc.constantFrom("x\n", "y\n", "z\n", "z"), { maxLength: 6 }).map((parts) => parts.join(""))
const change = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, text: lines }),
  fc.record({ kind: fc.constant("remove" as const), path }),
  fc.record({ kind: fc.constant("mkdir" as const), path }),
  fc.record({ kind: fc.constant("rename" as const), path, to: path }),
  fc.record({ kind: fc.constant("copy" as const), path, to: path }),
  fc.record({ kind: fc.constant("symlink" as const), path, to: path }),
  fc.record({ kind: fc.constant("chmod" as const), path, mode: fc.constantFrom(0o600, 0o644, 0o755) }),
  fc.record({ kind: fc.constant("utimes" as const), path, mtime: fc.integer({ min: 0, max: 9 }) }),
)
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("change" as const), change }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("shell" as const), changes: fc.array(change, { maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("checkpoint" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rollback" as const), change }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewind" as const), to: fc.nat() }) },
)

/** Changes that the tree rejects change nothing. */
const refusable = (run: () => void): void => {
  try {
    run()
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
  }
}

const apply = (workspace: Workspace, one: Change): void =>
  refusable(() => {
    if (one.kind === "write") workspace.writeBytes(one.path, one.text)
    if (one.kind === "remove") workspace.remove(one.path, { recursive: true })
    if (one.kind === "mkdir") workspace.mkdir(one.path)
    if (one.kind === "rename") workspace.rename(one.path, one.to)
    if (one.kind === "copy") workspace.copy(one.path, one.to, { recursive: true })
    if (one.kind === "symlink") workspace.symlink(one.to, one.path)
    if (one.kind === "chmod") workspace.chmod(one.path, one.mode)
    if (one.kind === "utimes") workspace.utimes(one.path, one.mtime)
  })

const inShell = async (overlay: Overlay, one: Change): Promise<void> => {
  const run = async (): Promise<void> => {
    if (one.kind === "write") await overlay.writeFile(one.path, one.text)
    if (one.kind === "remove") await overlay.rm(one.path, { recursive: true })
    if (one.kind === "mkdir") await overlay.mkdir(one.path)
    if (one.kind === "rename") await overlay.mv(one.path, one.to)
    if (one.kind === "copy") await overlay.cp(one.path, one.to, { recursive: true })
    if (one.kind === "symlink") await overlay.symlink(one.to, one.path)
    if (one.kind === "chmod") await overlay.chmod(one.path, one.mode)
    if (one.kind === "utimes") await overlay.utimes(one.path, new Date(0), new Date(one.mtime))
  }
  await run().catch((error: unknown) =>
    refusable(() => {
      throw error
    }),
  )
}

type Snapshot = ReturnType<typeof snapshot>

/** The expected report of a rewind from one tree to another, computed from the trees alone. */
const difference = (now: Snapshot, then: Snapshot) => {
  let [insertions, deletions] = [0, 0]
  const shown = (tree: Snapshot, of: string) => {
    const node = tree.get(of)
    return node === undefined || Reflect.get(node, "type") === "directory" ? null : { ...node, mtime: 0 }
  }
  const filesChanged = [...new Set([...now.keys(), ...then.keys()])]
    .filter((of) => JSON.stringify(shown(now, of)) !== JSON.stringify(shown(then, of)))
    .sort()
  for (const of of filesChanged) {
    for (const piece of diffLines(shown(now, of)?.text ?? "", shown(then, of)?.text ?? "")) {
      if (piece.added) insertions += piece.count
      if (piece.removed) deletions += piece.count
    }
  }
  return { canRewind: true, filesChanged, insertions, deletions }
}

describe("any sequence of changes and checkpoints", () => {
  it("a rewind to any checkpoint restores exactly its tree, and reports what it changes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
        async (steps, targets) => {
          const opened = openWorkspace()
          const { twin, clock } = opened
          let { workspace } = opened
          const marked: Array<Snapshot> = []
          const rewindTo = (at: number): void => {
            const to = marked[at]
            if (to === undefined) return
            const now = snapshot(workspace)
            const expected = difference(now, to)
            const rows = twin.rowsWritten()
            expect(workspace.rewind(`${at}`, { dryRun: true })).toEqual(expected)
            expect(twin.rowsWritten()).toBe(rows)
            expect(workspace.rewind(`${at}`)).toEqual({ ...expected, skippedLinks: 0 })
            expect(snapshot(workspace)).toEqual(to)
          }
          for (const one of steps) {
            clock.now += 1
            if (one.kind === "change") apply(workspace, one.change)
            if (one.kind === "rewind") rewindTo(one.to % Math.max(marked.length, 1))
            if (one.kind === "restart")
              workspace = new Workspace(twin, () => clock.now, { directories: ["/workspace"] })
            if (one.kind === "shell") {
              const overlay = new Overlay(workspace, "/workspace")
              for (const each of one.changes) await inShell(overlay, each)
              twin.transactionSync(() => overlay.flush())
            }
            if (one.kind === "checkpoint") {
              const rows = twin.rowsWritten()
              workspace.checkpoint(`${marked.length}`)
              expect(twin.rowsWritten() - rows).toBe(1)
              marked.push(snapshot(workspace))
            }
            if (one.kind === "rollback") {
              const aborted = new Error("rolled back")
              expect(() =>
                twin.transactionSync(() => {
                  workspace.checkpoint("rolled back")
                  apply(workspace, one.change)
                  throw aborted
                }),
              ).toThrow(aborted)
              workspace.forget()
            }
          }
          for (const target of targets) rewindTo(target % Math.max(marked.length, 1))
          const totals = workspace.totals()
          workspace.forget()
          expect(workspace.totals()).toEqual(totals)
        },
      ),
      { numRuns: 1000 },
    )
  })
})
