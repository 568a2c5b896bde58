// The sessions of a backup on disk for a restore or a comparison.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chosenSessions, readSession } from "../../../scripts/backup/folder.mjs"

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
