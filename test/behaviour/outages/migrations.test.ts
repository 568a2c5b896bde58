// D1's migrations are append-only, and code of an earlier version still works with a later schema.
import { createHash } from "node:crypto"
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"

const FOLDER = path.resolve(import.meta.dirname, "../../../migrations")
const files = fs.readdirSync(FOLDER).filter((name) => name.endsWith(".sql"))
const read = (name: string) => fs.readFileSync(path.join(FOLDER, name), "utf8")

/** The first 16 hex digits of the SHA-256 of the files that deployments have applied. Add a line for each new one. */
const APPLIED: Readonly<Record<string, string>> = {
  "0001_read_model.sql": "724160524794faae",
  "0002_sessions_by_directory.sql": "df58d1a4d5cc92fd",
  "0003_keys.sql": "28c8575ccfd5ab9c",
  "0004_hooks.sql": "e7ab53ee69bd6176",
  "0006_messages_follow_the_head.sql": "ff2f4b13852ee45c",
  "0009_turn_and_cost_totals.sql": "fa3a1e0a8789dfcc",
  "0010_named_requests.sql": "6627cb9f3f84d6de",
}

it("a migration that was applied is never changed", () => {
  const hashes = files.map((name) => [name, createHash("sha256").update(read(name)).digest("hex").slice(0, 16)])
  const known = hashes.filter(([name]) => Object.hasOwn(APPLIED, name!))
  expect(Object.fromEntries(known)).toEqual(APPLIED)
})

it.each(files)("%s only adds: older code can still read and write", (name) => {
  const sql = read(name).replaceAll(/--.*$/gm, "")
  expect(sql).not.toMatch(/\b(DROP|RENAME)\b/i)
  for (const [column] of sql.matchAll(/ADD COLUMN[^;]*;/gi)) {
    // A row written by older code has no value for it.
    if (/NOT NULL/i.test(column)) expect(column).toMatch(/DEFAULT/i)
  }
})
