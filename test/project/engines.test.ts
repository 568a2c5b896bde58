// Which Node the installed packages need. Tools that need more than Node 20 run on the Node that the project installs.
// package-lock.json has no `engines` of those, so that `npm ci` on Node 20 prints no EBADENGINE; this test replaces it.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")
const read = (file: string) => JSON.parse(fs.readFileSync(path.join(ROOT, file), "utf8"))

interface Package {
  readonly engines?: { readonly node?: string }
}

/** True if `range` (in the forms that packages use: `>=`, `^`, `||`) includes the version. */
const takes = (range: string, version: string): boolean =>
  range.split("||").some((part) => {
    if (part.trim() === "*") return true
    const [, sign = "", major = "0", minor = "0"] = /^\s*(>=|\^|>)?\s*v?(\d+)(?:\.(\d+))?/.exec(part) ?? []
    const [have = 0, haveMinor = 0] = version.split(".").map(Number)
    const enough = have > Number(major) || (have === Number(major) && haveMinor >= Number(minor))
    return sign === "^" || sign === "" ? have === Number(major) && enough : enough
  })

const locked = Object.entries(read("package-lock.json").packages as Record<string, Package>)
const wanted = locked.flatMap(([folder]) => {
  const file = path.join(folder, "package.json")
  if (folder === "" || !fs.existsSync(path.join(ROOT, file))) return []
  const range = (read(file) as Package).engines?.node
  return range === undefined ? [] : [[folder, range] as const]
})

it("the Node that the project installs runs every package", () => {
  const { node } = read("package.json").devDependencies as { readonly node: string }
  expect(wanted.length).toBeGreaterThan(100)
  expect(wanted.filter(([, range]) => !takes(range, node))).toEqual([])
})

it("npm ci on Node 20 prints no engine warning", () => {
  const warned = locked.filter(([, { engines }]) => engines?.node !== undefined && !takes(engines.node, "20.20.2"))
  expect(warned.map(([folder]) => folder)).toEqual([])
})

it("packages that need more than Node 20 are only development tools", () => {
  const lacking = wanted.filter(([, range]) => !takes(range, "20.20.2")).map(([folder]) => folder)
  const sources = fs
    .globSync("src/**/*.ts", { cwd: ROOT })
    .map((file) => fs.readFileSync(path.join(ROOT, file), "utf8"))
  const imported = (folder: string) => sources.some((text) => text.includes(`"${folder.replace("node_modules/", "")}`))
  expect(lacking.filter(imported)).toEqual([])
})
