// A local server asks its D1 database for its migrations unless it knows that this very database has them.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { localDatabase } from "../../../scripts/local/local-database.mjs"

let root: string

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")
const open = (state: string) => localDatabase(root, path.join(root, state))

/** What the server does: a new folder gets its database files when workerd starts, and then its migrations. */
const start = (state: string): "copied" | "known" | "migrated" => {
  const isNew = !fs.existsSync(path.join(root, state, "v3/d1"))
  const database = open(state)
  database.prepare()
  if (database.isMigrated()) return isNew ? "copied" : "known"
  if (isNew) {
    write(`${state}/v3/d1/objects/one.sqlite`, "tables")
    write(`${state}/v3/d1/objects/one.sqlite-wal`, "log")
    write(`${state}/v3/d1/objects/one.sqlite-shm`, "index")
  }
  database.migrated()
  return "migrated"
}

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-databases-"))
  for (const name of ["wrangler.toml", "package-lock.json", "migrations/0001_a.sql"]) write(name, name)
  fs.mkdirSync(path.join(root, "first/v3"), { recursive: true })
  fs.mkdirSync(path.join(root, "second/v3"), { recursive: true })
})
afterEach(() => {
  vi.restoreAllMocks()
  fs.rmSync(root, { recursive: true, force: true })
})

it("a database that was migrated is known at the next start", () => {
  expect([start("first"), start("first")]).toEqual(["migrated", "known"])
})

it("a new state folder gets a copy of the first one's database, as it was before any request", () => {
  start("first")
  write("first/v3/d1/objects/one.sqlite", "tables and rows")
  expect([start("second"), start("second")]).toEqual(["copied", "known"])
  expect(read("second/v3/d1/objects/one.sqlite")).toBe("tables")
  expect(fs.readdirSync(path.join(root, "second/v3/d1/objects"))).toEqual(["one.sqlite", "one.sqlite-wal"])
})

it.each(["migrations/0001_a.sql", "migrations/0002_b.sql", "wrangler.toml", "package-lock.json"])(
  "after a change of %s every database is asked, and none is copied",
  (name) => {
    start("first")
    write(name, "changed")
    expect([start("second"), start("first")]).toEqual(["migrated", "migrated"])
  },
)

it("a database that was replaced by a copy is asked, whatever is written beside it", () => {
  start("first")
  const folder = path.join(root, "first/v3/d1")
  fs.cpSync(folder, `${folder}.copy`, { recursive: true })
  fs.rmSync(folder, { recursive: true })
  fs.renameSync(`${folder}.copy`, folder)
  expect(open("first").isMigrated()).toBe(false)
})

it("a database that was there before is no pattern for others", () => {
  write("first/v3/d1/objects/one.sqlite", "rows of users")
  expect([start("first"), start("second")]).toEqual(["migrated", "migrated"])
})

it("a folder for copies that can't be written is reported, and the server starts", () => {
  write(".wrangler", "a file where the folder should be")
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined)
  expect([start("first"), start("first")]).toEqual(["migrated", "known"])
  expect(error.mock.calls.join()).toContain("The new database could not be kept:")
})
