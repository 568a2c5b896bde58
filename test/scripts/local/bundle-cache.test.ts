// The bundle of the last start is found again exactly when nothing that it is made of has changed.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { bundleCache } from "../../../scripts/local/bundle-cache.mjs"

let root: string

const write = (file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "perch-bundles-"))
  for (const name of ["package.json", "package-lock.json", "scripts/adapt-shell.mjs", "tsconfig.json", "wrangler.toml"])
    write(name, name)
  write("src/worker.ts", "one")
  write("src/deep/er.ts", "two")
})
afterEach(() => {
  vi.restoreAllMocks()
  fs.rmSync(root, { recursive: true, force: true })
})

const bundle = (entrypointSource: string) => ({
  bundle: {
    path: "/somewhere/worker.js",
    entrypointSource,
    modules: [{ name: "a.wasm", type: "compiled-wasm", content: Buffer.from([0, 255, 1]) }],
  },
  config: { name: "perch", workerOptions: { compatibilityDate: "2026-10-01" } },
})
const kept = () => fs.readdirSync(path.join(root, ".wrangler/bundles"))

it("is found with all its modules, byte for byte", () => {
  expect(bundleCache(root).read()).toBeNull()
  bundleCache(root).write(bundle("export default 1"))
  expect(bundleCache(root).read()).toEqual(bundle("export default 1"))
})

it.each([
  ["a source that changed", () => write("src/worker.ts", "other")],
  ["a source that came", () => write("src/new.ts", "")],
  ["a source that went", () => fs.rmSync(path.join(root, "src/deep/er.ts"))],
  [
    "a source of another name",
    () => fs.renameSync(path.join(root, "src/deep/er.ts"), path.join(root, "src/deep/e.ts")),
  ],
  [
    "text that moved from one source to the next",
    () => (write("src/deep/er.ts", ""), write("src/worker.ts", "twoone")),
  ],
  ["other packages", () => write("package-lock.json", "{}")],
  ["another configuration", () => write("wrangler.toml", "")],
  ["other headers of static files", () => write("public/_headers", "/*")],
])("is not found after %s, and found again once that is undone", (_, change) => {
  bundleCache(root).write(bundle("export default 1"))
  change()
  expect(bundleCache(root).read()).toBeNull()
  write("src/worker.ts", "one")
  fs.rmSync(path.join(root, "src/new.ts"), { force: true })
  fs.rmSync(path.join(root, "public"), { recursive: true, force: true })
  fs.rmSync(path.join(root, "src/deep/e.ts"), { force: true })
  write("src/deep/er.ts", "two")
  write("package-lock.json", "package-lock.json")
  write("wrangler.toml", "wrangler.toml")
  expect(bundleCache(root).read()?.bundle.entrypointSource).toBe("export default 1")
})

it("is not kept when a source changed while it was made", () => {
  const cache = bundleCache(root)
  write("src/worker.ts", "changed meanwhile")
  cache.write(bundle("of the old or the new source"))
  expect(bundleCache(root).read()).toBeNull()
})

it("is kept for the last three states of the files", () => {
  for (const state of ["1", "2", "3", "4", "5"]) {
    write("src/worker.ts", state)
    bundleCache(root).write(bundle(state))
    for (const [index, name] of kept().entries())
      fs.utimesSync(path.join(root, ".wrangler/bundles", name), index, Number(state) + index / 100)
  }
  expect(kept()).toHaveLength(3)
  expect(bundleCache(root).read()?.bundle.entrypointSource).toBe("5")
})

it("that is damaged counts as missing, and one that can't be written is reported", () => {
  bundleCache(root).write(bundle("export default 1"))
  fs.writeFileSync(path.join(root, ".wrangler/bundles", kept()[0]!), '{"modules":')
  expect(bundleCache(root).read()).toBeNull()
  fs.rmSync(path.join(root, ".wrangler"), { recursive: true })
  write(".wrangler", "a file where the folder should be")
  const error = vi.spyOn(console, "error").mockImplementation(() => undefined)
  bundleCache(root).write(bundle("export default 1"))
  expect(error.mock.calls.join()).toContain("The bundle could not be kept for the next start:")
})
