// Perch's version information, compared with the files that determine it.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { COMPATIBILITY_DATE, LAST_MIGRATION, PERCH_VERSION } from "../../src/schemas/version.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const read = (name: string): string => fs.readFileSync(path.join(ROOT, name), "utf8")

it("the version is package.json's, the compatibility date wrangler.toml's, the migration the last of migrations/", () => {
  const files = fs.readdirSync(path.join(ROOT, "migrations")).toSorted()
  expect(`${LAST_MIGRATION}.sql`).toBe(files.at(-1))
  expect(read("wrangler.toml")).toContain(`\ncompatibility_date = "${COMPATIBILITY_DATE}"\n`)
  expect(read("package.json")).toContain(`"version": "${PERCH_VERSION}"`)
})
