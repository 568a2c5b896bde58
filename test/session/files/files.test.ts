// The object's answers to file requests: conditions, ranges and refusals.
import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { answerFileRequest, toFilesPage } from "../../../src/session/files/files.ts"
import type { Workspace, WorkspaceOptions } from "../../../src/workspace/workspace.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"

const ask = async (
  workspace: Workspace,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Uint8Array,
) => {
  const url = `http://session/files${path}`
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) })
  return answerFileRequest(workspace, request, new URL(url))
}

const opened = (options?: WorkspaceOptions) => {
  const { workspace } = openWorkspace(options)
  workspace.writeBytes("/workspace/a", "0123456789")
  return workspace
}

const etagOf = async (workspace: Workspace, path = "/workspace/a") =>
  (await ask(workspace, "GET", path)).headers.get("etag") ?? ""

describe("a range", () => {
  it.each([
    ["bytes=0-3", "0123", "bytes 0-3/10"],
    ["bytes=4-", "456789", "bytes 4-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-99", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
    ["bytes=9-9", "9", "bytes 9-9/10"],
    ["Bytes=0-3", "0123", "bytes 0-3/10"],
  ])("%s is %s", async (range, text, shown) => {
    const answer = await ask(opened(), "GET", "/workspace/a", { range })
    expect([answer.status, await answer.text(), answer.headers.get("content-range")]).toEqual([206, text, shown])
  })

  it.each(["bytes=0-1,4-5", "bytes=5-2", "bytes=-", "items=0-1", "bytes=a-b"])(
    "%s returns the whole file",
    async (range) => {
      const answer = await ask(opened(), "GET", "/workspace/a", { range })
      expect([answer.status, await answer.text(), answer.headers.get("accept-ranges")]).toEqual([
        200,
        "0123456789",
        "bytes",
      ])
    },
  )

  it.each(["bytes=10-", "bytes=99-100", "bytes=-0"])("%s is refused with the file's size", async (range) => {
    const answer = await ask(opened(), "GET", "/workspace/a", { range })
    expect([answer.status, answer.headers.get("content-range")]).toEqual([416, "bytes */10"])
    expect(await answer.json()).toMatchObject({ type: "range_not_satisfiable_error" })
  })

  it("of a large file is assembled from its chunks", async () => {
    const workspace = opened()
    const bytes = Uint8Array.from({ length: 4_000_000 }, (_, index) => (index * 31) % 251)
    workspace.writeBytes("/large", bytes)
    for (const [start, end] of [
      [1_499_990, 1_500_010],
      [1_500_000, 3_000_000],
      [2_999_999, 3_999_999],
    ] as const) {
      const answer = await ask(workspace, "GET", "/large", { range: `bytes=${start}-${end - 1}` })
      const got = new Uint8Array(await answer.arrayBuffer())
      expect(Buffer.compare(got, bytes.subarray(start, end))).toBe(0)
    }
  })

  it("applies only while If-Range matches the file", async () => {
    const workspace = opened()
    const etag = await etagOf(workspace)
    const asked = { range: "bytes=0-0", "if-range": etag }
    expect((await ask(workspace, "GET", "/workspace/a", asked)).status).toBe(206)
    workspace.writeBytes("/workspace/a", "other")
    expect((await ask(workspace, "GET", "/workspace/a", asked)).status).toBe(200)
  })
})

describe("a condition", () => {
  it("decides whether a reader gets 200, 304 or 412", async () => {
    const workspace = opened()
    const etag = await etagOf(workspace)
    const read = async (headers: Record<string, string>) =>
      (await ask(workspace, "GET", "/workspace/a", headers)).status
    expect(await read({ "if-none-match": etag })).toBe(304)
    expect(await read({ "if-none-match": `"x", W/${etag}` })).toBe(304)
    expect(await read({ "if-none-match": '"x"' })).toBe(200)
    expect(await read({ "if-match": etag })).toBe(200)
    expect(await read({ "if-match": '"x"' })).toBe(412)
    workspace.chmod("/workspace/a", 0o755)
    expect(await read({ "if-none-match": etag })).toBe(304)
    workspace.writeBytes("/workspace/a", "")
    expect(await read({ "if-none-match": etag })).toBe(200)
    expect(await read({ "if-none-match": await etagOf(workspace) })).toBe(304)
  })

  it("admits a write or leaves everything unchanged", async () => {
    const workspace = opened()
    const etag = await etagOf(workspace)
    const write = async (path: string, headers: Record<string, string>, text: string) =>
      (await ask(workspace, "PUT", path, headers, text)).status
    expect(await write("/workspace/a", { "if-none-match": "*" }, "no")).toBe(412)
    expect(await write("/workspace/none", { "if-match": "*" }, "no")).toBe(412)
    for (const unreadable of ["unreadable", "true", '"x', "W/*", '"x",', "x, *"]) {
      expect(await write("/workspace/a", { "if-none-match": unreadable }, "no")).toBe(412)
      expect(await write("/workspace/a", { "if-match": unreadable }, "no")).toBe(412)
      expect((await ask(workspace, "GET", "/workspace/a", { "if-none-match": unreadable })).status).toBe(200)
    }
    expect(await write("/workspace/a", { "if-none-match": '"x", W/"y"' }, "0123456789")).toBe(200)
    expect(await write("/workspace/none", { "if-match": etag }, "no")).toBe(412)
    expect(await write("/workspace/a", { "if-match": '"x"' }, "no")).toBe(412)
    expect(await write("/workspace/a", { "if-match": `W/${etag}` }, "no")).toBe(412)
    expect([workspace.readText("/workspace/a"), workspace.exists("/workspace/none")]).toEqual(["0123456789", false])
    expect(await write("/workspace/new", { "if-none-match": "*" }, "n")).toBe(201)
    const put = await ask(workspace, "PUT", "/workspace/a", { "if-match": etag }, "changed")
    expect([put.status, put.headers.get("etag")]).toEqual([200, await etagOf(workspace)])
    expect(await write("/workspace/a", { "if-match": etag }, "late")).toBe(412)
    expect((await ask(workspace, "DELETE", "/workspace/a", { "if-match": etag })).status).toBe(412)
    expect(workspace.readText("/workspace/a")).toBe("changed")
    expect((await ask(workspace, "DELETE", "/workspace/a", { "if-match": "*" })).status).toBe(204)
  })
})

describe("a file request", () => {
  it("reports what is wrong and leaves everything unchanged", async () => {
    const workspace = opened({ quotas: () => ({ maxFiles: 2, maxBytes: 20, maxFileBytes: 15 }) })
    workspace.mkdir("/workspace/d")
    const error = async (method: string, path: string, body?: string) => {
      const answer = await ask(workspace, method, path, {}, body)
      return [answer.status, Reflect.get((await answer.json()) as object, "message")]
    }
    expect(await error("GET", "/workspace/none")).toEqual([
      404,
      "ENOENT: no such file or directory, open '/workspace/none'",
    ])
    expect(await error("GET", "/workspace/d")).toMatchObject([400, expect.stringContaining("EISDIR")])
    expect(await error("GET", "/workspace/a%00")).toMatchObject([400, expect.stringContaining("NUL character")])
    for (const name of ["a%0Ab", "a%0D%0Ax", "a%09b", "a%1B%5B2J", "a%7F", "a%C2%85", "a%E2%80%A8"]) {
      const absent = [404, expect.stringMatching(/^ENOENT: no such file or directory, open '[ -~]+'$/)]
      expect(await error("GET", `/workspace/${name}`)).toMatchObject(absent)
    }
    expect(await error("GET", "/%ff")).toMatchObject([400, expect.stringContaining("URL")])
    expect(await error("GET", `/${"x".repeat(256)}`)).toMatchObject([400, expect.stringContaining("255 bytes")])
    expect(await error("PUT", "/workspace/a", "x".repeat(16))).toMatchObject([413, expect.stringContaining("15 bytes")])
    expect(await error("PUT", "/workspace/b", "")).toMatchObject([413, expect.stringContaining("maximum of 2 files")])
    expect(await error("PUT", "/workspace/a/b", "")).toMatchObject([400, expect.stringContaining("ENOTDIR")])
    expect(workspace.readText("/workspace/a")).toBe("0123456789")
    expect(workspace.totals()).toEqual({ nodes: 2, bytes: 10, links: 0 })
  })
})

describe("the listing", () => {
  it("contains what is needed to compare trees: modes, hashes, links, and the workspace's limits", () => {
    const { workspace } = openWorkspace({ quotas: () => ({ maxFiles: 20, maxBytes: 100, maxFileBytes: 50 }) })
    workspace.writeBytes("/workspace/a", "0123456789")
    workspace.writeBytes("/workspace/empty", "")
    workspace.chmod("/workspace/a", 0o755)
    workspace.mkdir("/workspace/folder")
    workspace.symlink("a", "/workspace/link")
    const page = toFilesPage(workspace, { prefix: "/workspace", limit: 10 })
    expect(page).toMatchObject({
      files: [
        { path: "/workspace/a", mode: 0o755, sha256: createHash("sha256").update("0123456789").digest("hex") },
        { path: "/workspace/empty", mode: 0o644, sha256: createHash("sha256").digest("hex") },
        { path: "/workspace/folder", type: "directory", mode: 0o755 },
        { path: "/workspace/link", type: "symlink", target: "a" },
      ],
      next_cursor: null,
      limits: { files: 20, bytes: 100, file_bytes: 50 },
      used: { files: 4, bytes: 10 },
    })
    expect(page).not.toHaveProperty("files.2.sha256")
  })
})
