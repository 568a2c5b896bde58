// What the doctor reads of a wrangler.toml.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { readToml } from "../../../scripts/doctor/toml.mjs"

it("reads values, tables and lists of tables", () => {
  const text = `name = "perch" # mine
flags = ["a", "b",]
n = 12
[assets]
binding = 'ASSETS'
"ajv" = "./x#y.ts"
[[queues.consumers]]
queue = "one"
[[queues.consumers]] # the other
queue = "two"
`
  expect(readToml(text)).toEqual({
    top: { name: "perch", flags: ["a", "b"], n: 12 },
    tables: { assets: { binding: "ASSETS", ajv: "./x#y.ts" } },
    lists: { "queues.consumers": [{ queue: "one" }, { queue: "two" }] },
    wrong: [],
  })
})

it("names the lines that it can't read", () => {
  expect(readToml('a = "open\nb\n[c\nd = 2026-01-01\n').wrong).toEqual([1, 2, 3, 4])
})

it("reads all of the project's own", () => {
  const text = fs.readFileSync(path.resolve(import.meta.dirname, "../../../wrangler.toml"), "utf8")
  expect(readToml(text).wrong).toEqual([])
})
