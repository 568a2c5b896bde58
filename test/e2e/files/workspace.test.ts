// A workspace over REST: conditional writes and range reads, a turn's changes as a diff, the tree as an archive that the
// system's tar reads, a rewind to a checkpoint, and the limits.
import { execFile, execFileSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { blocksOf, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
const run = promisify(execFile)

let folder: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-workspace-"))
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

interface Diff {
  readonly files: ReadonlyArray<{ readonly file: string; readonly additions: number; readonly deletions: number }>
  readonly unified: string
}

const pathsIn = async (id: string): Promise<ReadonlyArray<string>> => {
  const page = await perch.json<{ files: ReadonlyArray<{ path: string }> }>("GET", `/v1/sessions/${id}/files`)
  return page.files.map((file) => file.path)
}

/** The answer's status and its error's type. */
const refusal = async (response: Response) => {
  const { error } = (await response.json()) as { error: { type: string; message: string } } // the API's envelope
  return { status: response.status, ...error }
}

it("a file is written and read on conditions, and by range", async () => {
  const id = await perch.createSession()
  const at = `/v1/sessions/${id}/files/workspace/a.txt`
  const created = await perch.request("PUT", at, { body: "0123456789", headers: { "if-none-match": "*" } })
  expect(created.status).toBe(201)
  const etag = created.headers.get("etag") ?? ""
  expect((await perch.request("GET", at, { headers: { "if-none-match": etag } })).status).toBe(304)
  const part = await perch.request("GET", at, { headers: { range: "bytes=2-4", "if-range": etag } })
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"])
  expect(part.headers.get("cache-control")).toBe("no-store")
  const beyond = await perch.request("GET", at, { headers: { range: "bytes=10-" } })
  expect(beyond.headers.get("content-range")).toBe("bytes */10")
  expect(await refusal(beyond)).toMatchObject({ status: 416, type: "range_not_satisfiable_error" })
  const replaced = await perch.request("PUT", at, { body: "new", headers: { "if-match": etag } })
  expect(replaced.status).toBe(200)
  for (const [method, headers] of [
    ["PUT", { "if-match": etag }],
    ["PUT", { "if-none-match": "*" }],
    ["DELETE", { "if-match": etag }],
  ] as const) {
    const refused = await perch.request(method, at, { headers, ...(method === "PUT" ? { body: "lost" } : {}) })
    expect(await refusal(refused)).toMatchObject({ status: 412, type: "precondition_failed_error" })
  }
  expect(await perch.getFile(id, "/workspace/a.txt")).toBe("new")
})

it("what a turn wrote with Write, Edit and Bash is in the diff and in an archive that tar reads, and is undone by a rewind", async () => {
  const name = scriptName("workspace")
  await api.set(name, [
    { content: [call("Write", { file_path: "/workspace/b.txt", content: "one needle\n" })] },
    { content: [call("Read", { file_path: "/workspace/a.txt" })] },
    { content: [call("Edit", { file_path: "/workspace/a.txt", old_string: "beta", new_string: "gamma" })] },
    { content: [call("Grep", { pattern: "need[l]e", output_mode: "content" })] },
    { content: [call("Bash", { command: "mkdir d && cp b.txt d/c.txt && ln -s d/c.txt l && chmod 755 b.txt" })] },
    textAnswer("Done."),
  ])
  const id = await perch.createSession(BYPASS, { "/workspace/a.txt": "alpha needle\nbeta\n" })
  const messages = await perch.query(id, promptFor(name))
  const results = messages.flatMap(blocksOf).filter(({ type }) => type === "tool_result")
  expect(results.filter((block) => block.is_error === true)).toEqual([])
  expect(JSON.stringify(results)).toContain("a.txt:1:alpha needle\\nb.txt:1:one needle")

  const diff = await perch.json<Diff>("GET", `/v1/sessions/${id}/diff`)
  expect(diff.files.map((file) => [file.file, file.additions, file.deletions])).toEqual([
    ["/workspace/a.txt", 1, 1],
    ["/workspace/b.txt", 1, 0],
    ["/workspace/d/c.txt", 1, 0],
    ["/workspace/l", expect.any(Number), 0],
  ])
  expect(diff.unified).toContain("-beta\n+gamma\n")

  for (const format of ["tar", "tar.gz"]) {
    const archive = await perch.request("GET", `/v1/sessions/${id}/archive?path=/workspace&format=${format}`)
    const [file, into] = [path.join(folder, `out.${format}`), path.join(folder, `out-${format}`)]
    fs.writeFileSync(file, Buffer.from(await archive.arrayBuffer()))
    fs.mkdirSync(into)
    await run("tar", [format === "tar" ? "-xf" : "-xzf", file, "-C", into])
    expect(fs.readFileSync(path.join(into, "l"), "utf8")).toBe("one needle\n")
    expect(fs.readlinkSync(path.join(into, "l"))).toBe("d/c.txt")
    expect(fs.statSync(path.join(into, "b.txt")).mode & 0o777).toBe(0o755)
  }

  const { checkpoints } = await perch.json<{ checkpoints: ReadonlyArray<string> }>(
    "GET",
    `/v1/sessions/${id}/checkpoints`,
  )
  const rewind = (dry: boolean) =>
    perch.json("POST", `/v1/sessions/${id}/rewind`, { json: { user_message_id: checkpoints[0], dry_run: dry } })
  const facts = {
    canRewind: true,
    filesChanged: ["/workspace/a.txt", "/workspace/b.txt", "/workspace/d/c.txt", "/workspace/l"],
    insertions: 1,
    deletions: 3,
  }
  expect(await rewind(true)).toEqual(facts)
  expect(await pathsIn(id)).toContain("/workspace/b.txt")
  expect(await rewind(false)).toEqual({ ...facts, skippedLinks: 0 })
  expect(await pathsIn(id)).toEqual(["/workspace/a.txt"])
  expect(await perch.getFile(id, "/workspace/a.txt")).toBe("alpha needle\nbeta\n")
})

describe("an archive that tar created", () => {
  it.each([
    ["tar", "-cf"],
    ["tar.gz", "-czf"],
  ])("is taken in as %s, whole", async (format, flag) => {
    const from = path.join(folder, `in-${format}`)
    fs.mkdirSync(path.join(from, "deep", "x".repeat(120)), { recursive: true })
    fs.writeFileSync(path.join(from, "deep", "x".repeat(120), "ünï.txt"), "imported\n")
    fs.symlinkSync(`deep/${"x".repeat(120)}/ünï.txt`, path.join(from, "link"))
    const file = path.join(folder, `in.${format}`)
    execFileSync("tar", [flag, file, "-C", from, "."])
    const id = await perch.createSession()
    const route = `/v1/sessions/${id}/archive?path=/workspace/in&format=${format}`
    const body = new Uint8Array(fs.readFileSync(file))
    expect(await perch.json("PUT", route, { body })).toEqual({ files: 1, directories: 2, links: 1, bytes: 9 })
    expect(await perch.getFile(id, "/workspace/in/link")).toBe("imported\n")
  })

  it("is extracted completely or not at all", async () => {
    const id = await perch.createSession({ workspace_limits: { files: 2 } })
    const from = path.join(folder, "many")
    fs.mkdirSync(from)
    for (const name of ["a", "b", "c"]) fs.writeFileSync(path.join(from, name), name)
    execFileSync("tar", ["-cf", path.join(folder, "many.tar"), "-C", from, "."])
    const body = new Uint8Array(fs.readFileSync(path.join(folder, "many.tar")))
    const route = `/v1/sessions/${id}/archive?path=/workspace`
    expect(await refusal(await perch.request("PUT", route, { body }))).toMatchObject({
      status: 413,
      type: "request_too_large",
      message: expect.stringContaining("maximum of 2 files"),
    })
    expect(await refusal(await perch.request("PUT", route, { body: body.slice(0, 1600) }))).toMatchObject({
      status: 400,
    })
    expect(await pathsIn(id)).toEqual([])
  })
})

it("a file that exceeds the session's limits is refused, and what is there stays", async () => {
  const id = await perch.createSession({ workspace_limits: { files: 2, bytes: 100, file_bytes: 60 } })
  await perch.putFile(id, "/workspace/a", "x".repeat(60))
  const put = (name: string, size: number) =>
    perch.request("PUT", `/v1/sessions/${id}/files/workspace/${name}`, { body: "x".repeat(size) }).then(refusal)
  expect(await put("a", 61)).toMatchObject({ status: 413, message: expect.stringContaining("larger than 60 bytes") })
  expect(await put("b", 41)).toMatchObject({ status: 413, message: expect.stringContaining("more than 100 bytes") })
  await perch.putFile(id, "/workspace/b", "x")
  expect(await put("c", 1)).toMatchObject({ status: 413, message: expect.stringContaining("maximum of 2 files") })
  expect(await pathsIn(id)).toEqual(["/workspace/a", "/workspace/b"])
})
