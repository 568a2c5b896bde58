// Whether a machine can run the server: its port, disk, clock and state folder.
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { lineOf } from "../../../scripts/doctor/finding.mjs"
import {
  checkClock,
  checkDisk,
  checkDisks,
  checkFolder,
  checkPort,
  checkState,
  freeBytes,
} from "../../../scripts/doctor/machine.mjs"

const MB = 1024 * 1024
let root = ""
let state = ""

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-machine-"))
  state = path.join(root, "state")
  fs.mkdirSync(path.join(root, "migrations"))
  for (const name of ["0001_first.sql", "0002_second.sql"]) fs.writeFileSync(path.join(root, "migrations", name), "")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const lines = async () => (await checkState(root, state)).map(lineOf).join("\n")

/** A state folder whose database has this last migration. */
const withDatabase = (last: string): void => {
  const folder = path.join(state, "v3/d1/miniflare-D1DatabaseObject")
  fs.mkdirSync(folder, { recursive: true })
  fs.chmodSync(path.join(state, "v3"), 0o700)
  const database = new DatabaseSync(path.join(folder, "a.sqlite"))
  database.exec("CREATE TABLE d1_migrations (name TEXT)")
  database.prepare("INSERT INTO d1_migrations VALUES (?)").run(last)
  database.close()
}

it("a port is free, or taken", async () => {
  const server = net.createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const { port } = server.address() as net.AddressInfo // a TCP server has one
  expect(await checkPort(port)).toEqual({ taken: true, findings: [] })
  await new Promise((resolve) => server.close(resolve))
  expect(await checkPort(0)).toMatchObject({ taken: false, findings: [{ level: "ok" }] })
  // An address that this machine does not have, so no port of it can be listened on.
  expect(await checkPort(0, "192.0.2.1")).toMatchObject({ taken: false, findings: [{ level: "fail" }] })
})

it.each(["/a#b/perch", "/a?b/perch", "/a*/perch", "/a[1]/perch", "/perch{1}"])(
  "%s is no path to build in",
  (folder) => {
    expect(lineOf(checkFolder(folder))).toMatch(/^FAIL {2}folder: nothing can be built in a path with "[#?*[{]" → move/)
  },
)

it("other characters are part of a path", () => {
  expect(checkFolder("/ä b (1)/50%20'!$x;&:/perch").level).toBe("ok")
})

it("a disk has enough, little or no space", () => {
  expect([10_000 * MB, 500 * MB, 10 * MB].map((free) => checkDisk(free, "/a")[0]?.level)).toEqual([
    "ok",
    "warn",
    "fail",
  ])
  expect(checkDisk(undefined, "/a")).toEqual([])
  expect(freeBytes(os.tmpdir())).toBeGreaterThan(0)
  expect(freeBytes(path.join(root, "none/yet"))).toBeGreaterThan(0)
})

// A file system without space; elsewhere there is no such folder.
it.runIf(process.platform === "linux")("of several disks the one with the least space counts", () => {
  const folders = [root, "/proc/perch"]
  for (const some of [folders, folders.toReversed()])
    expect(checkDisks(some).map(lineOf)).toEqual([
      "FAIL  disk: 0 MB are free for /proc/perch, and 200 are needed → free some disk space",
    ])
})

it("a clock is behind the compatibility date, or behind the files", () => {
  fs.writeFileSync(path.join(root, "package.json"), "{}")
  const now = Date.now()
  const levels = (at: number) => checkClock(root, "2020-01-01", at).map(({ level }) => level)
  expect([levels(now), levels(now - 3_600_000), levels(Date.parse("2019-12-31"))]).toEqual([["ok"], ["warn"], ["fail"]])
})

describe("a state folder", () => {
  it("may be missing; a file with its name is refused", async () => {
    expect(await lines()).toMatch(/^ok/)
    fs.writeFileSync(state, "")
    expect(await lines()).toMatch(/^FAIL {2}state: its path is not a folder/)
    state = path.join(state, "below")
    expect(await lines()).toMatch(/^FAIL {2}state: its path is not a folder/)
  })

  it("of this version, or of an older one, is fine", async () => {
    withDatabase("0001_first.sql")
    expect(await lines()).toMatch(/^ok/)
  })

  it("of a newer version is stale", async () => {
    withDatabase("0003_third.sql")
    expect(await lines()).toMatch(/^FAIL {2}state: its database has 0003_third.sql, and this checkout ends at 0002/)
  })

  it("whose database is broken or empty is left to the server", async () => {
    withDatabase("0001_first.sql")
    fs.writeFileSync(path.join(state, "v3/d1/miniflare-D1DatabaseObject/b.sqlite"), "no database")
    expect(await lines()).toMatch(/^ok/)
  })

  it("that others can read should be closed", async () => {
    withDatabase("0001_first.sql")
    fs.chmodSync(path.join(state, "v3"), 0o755)
    expect(await lines()).toMatch(/^warn {2}state: other users of this machine can read it → chmod -R go=/)
  })
})
