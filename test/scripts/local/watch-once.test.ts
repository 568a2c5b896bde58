// A change anywhere in a folder is noticed, once.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { watchOnce } from "../../../scripts/local/watch-once.mjs"

let root: string
const file = (name: string) => path.join(root, name)

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-watch-"))
  fs.mkdirSync(file("one/two"), { recursive: true })
  for (const name of ["top.ts", "one/two/deep.ts"]) fs.writeFileSync(file(name), "before")
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

it.each<readonly [what: string, change: () => void]>([
  ["a file of the folder is written", () => fs.writeFileSync(file("top.ts"), "after")],
  ["a file below it is written", () => fs.writeFileSync(file("one/two/deep.ts"), "after")],
  ["a file below it is replaced", () => fs.renameSync(file("top.ts"), file("one/two/deep.ts"))],
  ["a file below it is removed", () => fs.rmSync(file("one/two/deep.ts"))],
  ["a folder below it is created", () => fs.mkdirSync(file("one/three"))],
  ["a folder below it is removed", () => fs.rmSync(file("one/two"), { recursive: true })],
])("it calls back when %s", async (_, change) => {
  const onChange = vi.fn()
  watchOnce(root, onChange)
  change()
  await expect.poll(() => onChange.mock.calls.length, { timeout: 20_000 }).toBe(1)
})

it("it calls back once", async () => {
  const [first, second] = [vi.fn(), vi.fn()]
  watchOnce(root, first)
  fs.writeFileSync(file("top.ts"), "after")
  await expect.poll(() => first.mock.calls.length, { timeout: 20_000 }).toBe(1)
  // A change that a later watcher has reported was reported to every watcher.
  watchOnce(root, second)
  fs.writeFileSync(file("one/two/deep.ts"), "after")
  await expect.poll(() => second.mock.calls.length, { timeout: 20_000 }).toBe(1)
  expect(first).toHaveBeenCalledTimes(1)
})
