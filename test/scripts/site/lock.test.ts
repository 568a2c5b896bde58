// The lock of the site's build: one process at a time, and none waits for a process that has ended.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { withLock } from "../../../scripts/site/lock.mjs"

let root = ""
let file = ""
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-lock-"))
  file = path.join(root, "lock")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

it("is removed after the work, also if that fails", async () => {
  await expect(withLock(file, () => Promise.reject(new Error("no build")))).rejects.toThrow("no build")
  expect(await withLock(file, () => Promise.resolve(fs.readFileSync(file, "utf8")))).toBe(String(process.pid))
  expect(fs.existsSync(file)).toBe(false)
})

const ended = () => spawnSync(process.execPath, ["-e", ""]).pid

it.each([
  ["of a process that has ended", ended, 0],
  ["with this process's id, as in a container that was killed and started again", () => process.pid, 0],
  ["whose id another process has since a restart of the machine", () => process.ppid, 301],
  ["that is empty because the disk was full", () => "", 301],
])("one %s does not block", async (_, pid, secondsOld) => {
  fs.writeFileSync(file, String(pid()))
  const written = Date.now() / 1000 - secondsOld
  fs.utimesSync(file, written, written)
  expect(await withLock(file, () => Promise.resolve("built"))).toBe("built")
})
