// The sessions of a backup on disk: written by an export, read by a restore or a comparison.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chosenSessions, openSession, readSession, removeParts } from "../../../scripts/backup/folder.mjs"

const ID = "01a2006d-24c2-7fca-854d-a012e7f6351c"
let folder = ""

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-backup-"))
  fs.mkdirSync(path.join(folder, "sessions"))
  fs.writeFileSync(path.join(folder, "sessions", `${ID}.jsonl.gz`), "")
  fs.writeFileSync(path.join(folder, "sessions", `${ID}.jsonl.gz.part`), "")
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe("the sessions of a backup", () => {
  it("are all of them if none is requested", () => {
    expect(chosenSessions(folder, undefined)).toEqual({ ids: [ID], missing: [] })
  })

  it("are the requested ones; one that the backup lacks is a failure", () => {
    const chosen = chosenSessions(folder, new Set([ID, "other"]))
    expect(chosen).toEqual({ ids: [ID], missing: [{ id: "other", message: "the backup has no session with this id" }] })
  })

  it("are none if the tenant has none, and missing if the export was interrupted before the first one", () => {
    const other = fs.mkdtempSync(path.join(os.tmpdir(), "perch-backup-"))
    try {
      fs.mkdirSync(path.join(other, "sessions"))
      expect(() => chosenSessions(other, undefined)).toThrow(`${other} contains no backup: its export was interrupted`)
      fs.writeFileSync(path.join(other, "erased.json"), "[]")
      expect(chosenSessions(other, undefined)).toEqual({ ids: [], missing: [] })
    } finally {
      fs.rmSync(other, { recursive: true, force: true })
    }
  })

  it.each([
    ["empty", ""],
    ["not gzip", "x"],
  ])("are named with their file when it is %s", async (_, text) => {
    const file = path.join(folder, "sessions", `${ID}.jsonl.gz`)
    fs.writeFileSync(file, text)
    const pages = async () => {
      for await (const page of readSession(folder, ID)) expect(page).toBeUndefined()
    }
    await expect(pages()).rejects.toThrow(`${file} is damaged (`)
  })
})

describe("the file of a session", () => {
  // A limit on the size of files has the effect of a full disk: a write ends in the middle. The limit's unit is 512 bytes.
  it.runIf(process.platform === "linux")("does not get its name when its last page could not be written whole", () => {
    const other = fs.mkdtempSync(path.join(os.tmpdir(), "perch-backup-"))
    fs.mkdirSync(path.join(other, "sessions"))
    const module = path.resolve(import.meta.dirname, "../../../scripts/backup/folder.mjs")
    const script = `
      import { randomBytes } from "node:crypto"
      import { openSession } from ${JSON.stringify(module)}
      const file = openSession(${JSON.stringify(other)}, ${JSON.stringify(ID)})
      file.write({ page: 0, random: randomBytes(2000).toString("base64") })
      file.keep()`
    try {
      const command = 'trap "" XFSZ; ulimit -f 2; exec "$0" --input-type=module -e "$1"'
      const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, script], { encoding: "utf8" })
      expect([status, stderr]).toEqual([1, expect.stringContaining("EFBIG")])
      expect(fs.existsSync(path.join(other, "sessions", `${ID}.jsonl.gz`))).toBe(false)
    } finally {
      fs.rmSync(other, { recursive: true, force: true })
    }
  })

  it("has all pages of one export when two write it at the same time", async () => {
    const [first, second] = [openSession(folder, ID), openSession(folder, ID)]
    for (const page of [0, 1]) for (const [name, file] of Object.entries({ first, second })) file.write({ name, page })
    const read = async () => {
      const pages = []
      for await (const page of readSession(folder, ID)) pages.push(page)
      return pages
    }
    first.keep()
    expect(await read()).toEqual([0, 1].map((page) => ({ name: "first", page })))
    second.keep()
    expect(await read()).toEqual([0, 1].map((page) => ({ name: "second", page })))
  })

  it("is not written by an export whose file a later one has removed", () => {
    const file = openSession(folder, ID)
    file.write({ page: 0 })
    removeParts(folder)
    expect(() => file.keep()).toThrow("a later export into the same folder replaces this one")
    file.drop()
    expect(fs.readdirSync(path.join(folder, "sessions"))).toEqual([`${ID}.jsonl.gz`])
  })
})
