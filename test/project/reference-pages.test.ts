// Pages that list all of something: the types of errors, and the options of each program.
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { ERROR_STATUS } from "../../src/schemas/errors/rpc-error.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const textOf = (page: string): string => fs.readFileSync(path.join(ROOT, page), "utf8")

it("docs/errors.md lists every type of error with its status", () => {
  const rows = Array.from(textOf("docs/errors.md").matchAll(/^\| (\d{3}) +\| `(\w+)`/gm), ([, status, type]) => [
    type,
    Number(status),
  ])
  expect(rows).toEqual(Object.entries(ERROR_STATUS))
})

it.each([
  ["start", "README.md"],
  ["doctor", "README.md"],
  ["signin", "docs/security.md"],
  ["deploy", "docs/deploy.md"],
  ["backup", "docs/production.md"],
])("every option of npm run %s is in %s", (program, page) => {
  const help = execFileSync(process.execPath, [path.join(ROOT, `scripts/${program}.mjs`), "--help"], {
    encoding: "utf8",
  })
  const options = Array.from(help.matchAll(/^ +(?:\w+ +)?(--[a-z-]+)/gm), ([, option = ""]) => option)
  expect(options).toContain("--help")
  const text = textOf(page)
  expect(options.filter((option) => option !== "--help" && !text.includes(option))).toEqual([])
})
