// Creating folders on the user's machine, also where the file system refuses.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { LocalWriter } from "../../../src/client/files/local-writer.ts"
import { makeFolder } from "../../../src/client/files/make-folder.ts"
import { saveBase } from "../../../src/client/files/sync-state.ts"

let root = ""
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-folder-"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  fs.rmSync(root, { recursive: true, force: true })
})

it("creates a folder and its parents with the mode, and accepts one that exists", () => {
  const folder = path.join(root, "a/b")
  makeFolder(folder, 0o700)
  makeFolder(folder, 0o700)
  expect([path.join(root, "a"), folder].map((one) => fs.statSync(one).mode & 0o777)).toEqual([0o700, 0o700])
})

it("names a file, or a link that leads nowhere, that has the folder's name", () => {
  const [file, link] = [path.join(root, "file"), path.join(root, "link")]
  fs.writeFileSync(file, "")
  fs.symlinkSync(path.join(root, "none"), link)
  expect(() => makeFolder(file)).toThrow(`${file} is not a folder.`)
  expect(() => makeFolder(link)).toThrow(`${link} is not a folder.`)
  expect(() => makeFolder(path.join(file, "a"))).toThrow(`The folder ${file}/a can't be created (ENOTDIR).`)
})

// Elsewhere there is no such file system. Node's own recursion never ends there.
it.runIf(process.platform === "linux")("a folder in /proc is refused at once", async () => {
  expect(() => makeFolder("/proc/perch/a")).toThrow("The folder /proc/perch/a can't be created (ENOENT).")
  vi.stubEnv("PERCH_STATE_DIR", "/proc/perch")
  const pair = { url: "http://127.0.0.1:1", session: "s", remote: "/workspace", local: root }
  expect(await saveBase(pair, new Map())).toBe("The folder /proc/perch/sync can't be created (ENOENT).")
})

it("a folder of a session is created with its parents, and not in place of a file", async () => {
  const writer = new LocalWriter(root)
  await writer.folder("a/b")
  await writer.folder("a/b")
  expect(fs.statSync(path.join(root, "a/b")).isDirectory()).toBe(true)
  fs.writeFileSync(path.join(root, "file"), "")
  await expect(writer.folder("file")).rejects.toThrow("file is not a folder")
})
