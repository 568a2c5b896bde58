// Which Node the installed packages need. Tools that need more than Node 20 run on the Node that the project installs.
// package-lock.json has no `engines` of those, so that `npm ci` on Node 20 prints no EBADENGINE; this test replaces it.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { documents } from "./document-files.ts"

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

/** The first TypeScript file that a program imports, directly or not; Node 20 can't load it. */
const typeScriptOf = (file: string, seen = new Set<string>()): string | undefined => {
  if (file.endsWith(".ts")) return file
  if (seen.has(file)) return undefined
  seen.add(file)
  const text = fs.readFileSync(file, "utf8")
  for (const [, name = ""] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)) {
    const found = typeScriptOf(path.resolve(path.dirname(file), name), seen)
    if (found !== undefined) return found
  }
  return undefined
}

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

it("the documents start programs that import TypeScript with the Node that the project installs", () => {
  const programs = documents.flatMap((document) =>
    Array.from(
      fs
        .readFileSync(path.join(ROOT, document), "utf8")
        .matchAll(/(?<![\w/.])(?<!--project )node (?:--\S+ )*((?:scripts|test|examples)\/[\w./-]+\.(?:mjs|ts))/g),
      ([, file = ""]) => ({ document, file }),
    ),
  )
  expect(programs.length).toBeGreaterThan(5)
  expect(programs.filter(({ file }) => typeScriptOf(path.join(ROOT, file)) !== undefined)).toEqual([])
})

it("packages that need more than Node 20 are only development tools", () => {
  const lacking = wanted.filter(([, range]) => !takes(range, "20.20.2")).map(([folder]) => folder)
  const sources = fs
    .globSync("src/**/*.ts", { cwd: ROOT })
    .map((file) => fs.readFileSync(path.join(ROOT, file), "utf8"))
  const imported = (folder: string) => sources.some((text) => text.includes(`"${folder.replace("node_modules/", "")}`))
  expect(lacking.filter(imported)).toEqual([])
})
