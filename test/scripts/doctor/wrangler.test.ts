// Whether wrangler.toml gives the Worker what it needs: the project's own, and broken copies of it.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lineOf } from "../../../scripts/doctor/finding.mjs"
import { checkWrangler } from "../../../scripts/doctor/wrangler.mjs"
import { missingBindings } from "../../../src/observe/bindings.ts"
import type { Env } from "../../../src/schemas/env.ts"
import { COMPATIBILITY_DATE } from "../../../src/schemas/version.ts"

const ROOT = path.resolve(import.meta.dirname, "../../..")
const ID = /database_id = ".*"/
let root = ""
let text = ""

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-wrangler-"))
  fs.mkdirSync(path.join(root, "src"))
  fs.copyFileSync(path.join(ROOT, "src/worker.ts"), path.join(root, "src/worker.ts"))
  fs.symlinkSync(path.join(ROOT, "migrations"), path.join(root, "migrations"))
  const own = fs.readFileSync(path.join(ROOT, "wrangler.toml"), "utf8")
  text = own.replace(ID, 'database_id = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"')
})
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const check = (changed: string): ReadonlyArray<string> => {
  fs.writeFileSync(path.join(root, "wrangler.toml"), changed)
  return checkWrangler(root, COMPATIBILITY_DATE).map(lineOf)
}
/** What is found after one change, which must change something. */
const after = (from: string | RegExp, to: string): string => {
  const changed = text.replace(from, to)
  expect(changed).not.toBe(text)
  return check(changed).join("\n")
}

describe("wrangler.toml", () => {
  it("of the project names everything; the id of its database may be the placeholder", () => {
    expect(check(text)).toEqual([expect.stringMatching(/^ok/)])
    expect(after(ID, 'database_id = "00000000-0000-0000-0000-000000000000"')).toMatch(/^ok/)
    expect(after(ID, 'database_id = "ID-THAT-D1-PRINTED"')).toMatch(/^FAIL.*database_id is not an id/)
  })

  it("without a binding is named by it, for every binding that the Worker needs", () => {
    const names = missingBindings({} as Env) // none is bound
    expect(names.length).toBeGreaterThan(8)
    for (const name of names)
      expect(after(new RegExp(`(name|binding) = "${name}"`), '$1 = "OTHER"')).toContain(
        `FAIL  wrangler.toml: the binding ${name} is missing`,
      )
  })

  it.each([
    ['class_name = "LaneObject"', 'class_name = "TenantObject"', "LANES is bound to TenantObject, not to LaneObject"],
    ['class_name = "LaneObject"', 'class_name = "Nowhere"', "src/worker.ts exports no class Nowhere"],
    ['new_sqlite_classes = ["LaneObject"]', "new_sqlite_classes = []", "no migration creates the class LaneObject"],
    ['new_sqlite_classes = ["LaneObject"]', 'new_classes = ["LaneObject"]', "without SQLite"],
    [
      'new_sqlite_classes = ["LaneObject"]',
      'new_sqlite_classes = ["LaneObject", "X"]',
      "makes X, and nothing binds it",
    ],
    [
      'new_sqlite_classes = ["LaneObject"]',
      'new_sqlite_classes = ["LaneObject", "TenantObject"]',
      "makes TenantObject again",
    ],
    ['tag = "v6"', 'tag = "v5"', "two [[migrations]] have the same tag"],
    ['"nodejs_compat", ', "", "the compatibility flag nodejs_compat is missing"],
    ['main = "src/worker.ts"', 'main = "src/gone.ts"', "`main` names no file"],
    [/compatibility_date = ".*"/, 'compatibility_date = "2024-01-01"', "compatibility_date is 2024-01-01"],
    ["run_worker_first = true", "run_worker_first = false", "run_worker_first"],
    ['migrations_dir = "migrations"', 'migrations_dir = "gone"', "has no .sql files"],
    [/dead_letter_queue = ".*"/, "", "has no dead_letter_queue"],
    [
      'queue = "perch-hooks"\nmax_batch_size',
      'queue = "x"\nmax_batch_size',
      "the consumer of the queue perch-hooks is missing",
    ],
    ['\nqueue = "perch-hooks-dead"', '\nqueue = "x"', "the consumer of the queue perch-hooks-dead is missing"],
    ["minify = true", "minify = yes", "is not understood here"],
  ])("%s → %s is found", (from, to, reason) => expect(after(from, to)).toContain(reason))

  it("that is missing, or hidden by another file, is named", () => {
    check(text)
    fs.writeFileSync(path.join(root, "wrangler.jsonc"), "{}")
    expect(check(text)).toEqual([expect.stringContaining("FAIL  wrangler.jsonc: wrangler takes it")])
    fs.rmSync(path.join(root, "wrangler.jsonc"))
    fs.rmSync(path.join(root, "wrangler.toml"))
    expect(checkWrangler(root, COMPATIBILITY_DATE)).toMatchObject([{ level: "fail", message: "it is missing" }])
  })
})
