// The export of a tenant, from a fake server with a list of sessions.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { exportTenant } from "../../../scripts/backup/export.mjs"

const ID = "01a2006d-24c2-7fca-854d-a012e7f6351c"
let folder = ""

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-export-"))
  fs.mkdirSync(path.join(folder, "sessions"))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const server = {
  tenant: undefined,
  sessions: async function* () {
    yield { id: ID, erased_at: null }
  },
  pages: async function* (id: string) {
    yield { tenant: "acme", session_id: id, page: 0, revision: "1", through: 7, tables: [] }
  },
}

it("what an interrupted export has left is removed, also of a session that was erased since", async () => {
  const erased = { ...server, sessions: async function* () {} }
  for (const name of [`${ID}.jsonl.gz.part`, `${ID}.jsonl.gz.a.part`])
    fs.writeFileSync(path.join(folder, "sessions", name), "content")
  await exportTenant({ server: erased, folder, only: new Set([]), concurrency: 1 })
  expect(fs.readdirSync(path.join(folder, "sessions"))).toEqual([])
})

it("a requested session that the tenant lacks is a failure, and the others are exported", async () => {
  const report = await exportTenant({ server, folder, only: new Set(["other", ID]), concurrency: 1 })
  expect(report).toMatchObject({
    sessions: 1,
    events: 7,
    failed: [{ id: "other", message: "the tenant has no session with this id" }],
  })
  expect(fs.readdirSync(path.join(folder, "sessions"))).toEqual([`${ID}.jsonl.gz`])
})

it("a session's file that is cut off or damaged is written again, although the session has not changed", async () => {
  const pages = async function* (id: string) {
    const page = { tenant: "acme", session_id: id, revision: "2", through: 7, tables: [] }
    yield { ...page, page: 0, next_cursor: "1" }
    yield { ...page, page: 1, next_cursor: null }
  }
  const once = () => exportTenant({ server: { ...server, pages }, folder, only: new Set([ID]), concurrency: 1 })
  const file = path.join(folder, "sessions", `${ID}.jsonl.gz`)
  await once()
  expect(await once()).toMatchObject({ sessions: 1, unchanged: 1 })
  const whole = fs.readFileSync(file)
  // Each page is a member of its own: the first one is complete.
  const second = whole.lastIndexOf(Buffer.from([0x1f, 0x8b, 0x08]))
  expect(second).toBeGreaterThan(0)
  for (const size of [second, whole.length - 4]) {
    fs.writeFileSync(file, whole.subarray(0, size))
    expect(await once()).toMatchObject({ sessions: 1, unchanged: 0 })
    expect(fs.readFileSync(file)).toEqual(whole)
  }
})

it.each([
  ["named", { ...server, tenant: "other" }],
  [
    "the key's own",
    {
      ...server,
      pages: async function* (id: string) {
        yield { tenant: "other", session_id: id, page: 0, revision: "1", through: 7, tables: [] }
      },
    },
  ],
])("a folder with the backup of another tenant is refused, when the tenant is %s", async (_, other) => {
  await exportTenant({ server, folder, only: new Set([ID]), concurrency: 1 })
  const before = fs.readdirSync(folder)
  await expect(exportTenant({ server: other, folder, only: undefined, concurrency: 1 })).rejects.toThrow(
    `${folder} has the backup of tenant acme: use another folder for tenant other`,
  )
  expect(fs.readdirSync(folder)).toEqual(before)
})
