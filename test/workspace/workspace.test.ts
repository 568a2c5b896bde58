import { describe, expect, it } from "vitest"
import { Overlay } from "../../src/workspace/tree/overlay.ts"
import { Workspace } from "../../src/workspace/workspace.ts"
import { openTwin, openWorkspace } from "./sql-twin.ts"

const bytes = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 256)

describe("Workspace", () => {
  it("writes nothing when it is built, and its migrations can run twice", () => {
    const twin = openTwin()
    new Workspace(twin, () => 1)
    expect(twin.database.prepare("SELECT COUNT(*) AS tables FROM sqlite_master").get()).toEqual({ tables: 0 })
    for (const statement of [...Workspace.migrations, ...Workspace.migrations]) twin.database.exec(statement)
  })

  it("writes at most two rows for a small file, none for reads", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/workspace/a/b/c.txt", "hello")
    expect(twin.rowsWritten()).toBe(2)
    workspace.writeBytes("/workspace/a/b/d.txt", "hello")
    expect(twin.rowsWritten()).toBe(3)
    workspace.writeBytes("/workspace/a/b/c.txt", "other")
    expect(twin.rowsWritten()).toBe(5)
    workspace.readText("/workspace/a/b/c.txt")
    workspace.readdir("/workspace")
    expect(twin.rowsWritten()).toBe(5)
  })

  it("keeps large files in chunks below 2 MB", () => {
    const { workspace, twin } = openWorkspace()
    const large = bytes(4_000_001)
    workspace.writeBytes("/large", large)
    expect(Buffer.compare(workspace.readBytes("/large"), large)).toBe(0)
    const sizes = twin.database.prepare("SELECT MAX(LENGTH(data)) AS most, COUNT(*) AS chunks FROM blobs").get()
    expect(sizes).toEqual({ most: 1_500_000, chunks: 3 })
  })

  it("keeps blobs by hash for others too", () => {
    const { workspace } = openWorkspace()
    const hash = workspace.blobs.putBlob(new TextEncoder().encode("hello"))
    expect(hash).toBe("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
    expect(workspace.blobs.putBlob(new TextEncoder().encode("hello"))).toBe(hash)
    expect(workspace.blobs.getBlob(hash)).toEqual(new TextEncoder().encode("hello"))
    expect(workspace.blobs.getBlob("none")).toBeUndefined()
  })

  it("counts again after a transaction that was rolled back", () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/a", "1")
    expect(() =>
      twin.transactionSync(() => {
        workspace.writeBytes("/b", "2")
        throw new Error("no")
      }),
    ).toThrow("no")
    workspace.forget()
    expect(workspace.totals()).toEqual({ nodes: 1, bytes: 1, links: 0 })
    expect(workspace.exists("/b")).toBe(false)
  })

  it("rolls back a copy that a quota stops in the middle", () => {
    const { workspace } = openWorkspace({ quotas: () => ({ maxFiles: 5 }) })
    for (const name of ["a", "b", "c"]) workspace.writeBytes(`/d/${name}`, name)
    expect(() => workspace.copy("/d", "/e", { recursive: true })).toThrow("EDQUOT")
    expect(workspace.exists("/e")).toBe(false)
    expect(workspace.totals()).toEqual({ nodes: 3, bytes: 3, links: 0 })
  })

  it("lists pages in path order, each file once", () => {
    const { workspace } = openWorkspace()
    const paths = Array.from({ length: 25 }, (_, index) => `/workspace/d${index % 3}/f${index}`)
    for (const path of [...paths, "/other", "/workspace0"]) workspace.writeBytes(path, "x")
    const seen: Array<string> = []
    let cursor: string | null = null
    do {
      const page: ReturnType<Workspace["list"]> = workspace.list("/workspace", cursor, 7)
      expect(page.files.length).toBeLessThanOrEqual(7)
      seen.push(...page.files.map((file) => file.path))
      cursor = page.next
    } while (cursor !== null)
    expect(seen).toEqual(paths.toSorted())
    expect(workspace.list("/other", null, 10).files).toMatchObject([{ path: "/other", type: "file", size: 1 }])
    expect(workspace.list("/none", null, 10)).toEqual({ files: [], next: null })
  })
})

describe("Overlay", () => {
  it("leaves the workspace as it was until the flush, which does all", async () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/workspace/keep", "1")
    workspace.writeBytes("/workspace/gone", "2")
    workspace.writeBytes("/workspace/moved/x", "3")
    const rows = twin.rowsWritten()
    const overlay = new Overlay(workspace, "/workspace")
    await overlay.writeFile("/workspace/keep", "changed")
    await overlay.rm("/workspace/gone")
    await overlay.mv("/workspace/moved", "/workspace/there")
    await overlay.writeFile("/workspace/temporary", "t")
    await overlay.rm("/workspace/temporary")
    await overlay.appendFile("/workspace/there/x", "4")
    expect(await overlay.readFile("/workspace/there/x")).toBe("34")
    expect(twin.rowsWritten()).toBe(rows)
    expect(workspace.readText("/workspace/keep")).toBe("1")
    twin.transactionSync(() => overlay.flush())
    expect(workspace.readText("/workspace/keep")).toBe("changed")
    expect(workspace.list("/workspace", null, 100).files.map((file) => file.path)).toEqual([
      "/workspace/keep",
      "/workspace/there/x",
    ])
    expect(workspace.totals()).toEqual({ nodes: 2, bytes: 9, links: 0 })
  })

  it("writes nothing for what was only read", async () => {
    const { workspace, twin } = openWorkspace()
    workspace.writeBytes("/workspace/a", "1")
    const rows = twin.rowsWritten()
    const overlay = new Overlay(workspace, "/workspace")
    await overlay.readFile("/workspace/a")
    await overlay.readdir("/workspace")
    overlay.flush()
    expect(overlay.changes()).toEqual([])
    expect(twin.rowsWritten()).toBe(rows)
  })

  it("flushes over what came in between without leaving a file above another", async () => {
    const { workspace } = openWorkspace()
    workspace.writeBytes("/workspace/d/old", "1")
    const overlay = new Overlay(workspace, "/workspace")
    await overlay.writeFile("/workspace/d/new", "2")
    await overlay.writeFile("/workspace/f", "3")
    workspace.remove("/workspace/d", { recursive: true })
    workspace.writeBytes("/workspace/d", "a file now")
    workspace.writeBytes("/workspace/f/below", "a directory now")
    overlay.flush()
    expect(workspace.readText("/workspace/d/new")).toBe("2")
    expect(workspace.readText("/workspace/f")).toBe("3")
    expect(workspace.list("/", null, 100).files.map((file) => file.path)).toEqual(["/workspace/d/new", "/workspace/f"])
  })

  it("keeps bytes under every encoding", async () => {
    const { workspace } = openWorkspace()
    const overlay = new Overlay(workspace, "/workspace")
    const raw = bytes(256)
    await overlay.writeFile("/workspace/a", raw)
    expect(await overlay.readFileBuffer("/workspace/a")).toEqual(raw)
    const latin = await overlay.readFile("/workspace/a", "binary")
    await overlay.writeFile("/workspace/b", latin, { encoding: "latin1" })
    expect(await overlay.readFileBuffer("/workspace/b")).toEqual(raw)
    await overlay.writeFile("/workspace/c", Buffer.from(raw).toString("base64"), "base64")
    expect(await overlay.readFileBuffer("/workspace/c")).toEqual(raw)
    raw[0] = 99
    expect((await overlay.readFileBuffer("/workspace/a"))[0]).toBe(1)
  })
})
