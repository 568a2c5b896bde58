// Creating the folders that a command names, also where the file system refuses.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { makeFolder } from "../../../scripts/local/make-folder.mjs"

let root = ""
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-folder-"))
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

it("creates a folder and its parents with the mode, and accepts one that exists", () => {
  const folder = path.join(root, "a/b")
  makeFolder(folder)
  makeFolder(folder)
  const modes = [path.join(root, "a"), folder].map((one) => fs.statSync(one).mode & 0o777)
  expect(modes).toEqual([0o700, 0o700])
})

it("names a file that has the folder's name, or a parent's", () => {
  const file = path.join(root, "file")
  fs.writeFileSync(file, "")
  expect(() => makeFolder(file)).toThrow(`${file} is not a folder`)
  expect(() => makeFolder(path.join(file, "a"))).toThrow(`the folder ${file}/a can't be created (ENOTDIR)`)
})

// Elsewhere there is no such file system.
it.runIf(process.platform === "linux")("refuses a folder in /proc at once", () => {
  expect(() => makeFolder("/proc/perch")).toThrow("the folder /proc/perch can't be created (ENOENT)")
})
