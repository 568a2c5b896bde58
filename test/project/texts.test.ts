// Texts that name a route or an option name an existing one: in errors, notes, descriptions and comments.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { contract } from "../../src/http/contract/contract.ts"
import { SessionOptions } from "../../src/schemas/sdk/options/options.ts"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const files = fs
  .readdirSync(path.join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => path.join("src", name))

const pages = [
  "README.md",
  ...fs
    .readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join("docs", name)),
]

interface Mention {
  readonly file: string
  readonly what: string
}

const mentions = (pattern: RegExp, names: ReadonlyArray<string>): ReadonlyArray<Mention> =>
  names.flatMap((file) =>
    Array.from(fs.readFileSync(path.join(ROOT, file), "utf8").matchAll(pattern), ([, what = ""]) => ({ file, what })),
  )

/** The path with every parameter as `{}`; a mention may end early, where a template goes on. */
const shapeOf = (route: string): string => route.replace(/\$?\{[^}]*\}|\$[A-Z]+/g, "{}").replace(/[/.]+$/, "")

const PATHS = Object.values(contract).map((row) => shapeOf(row.path))
const UPSTREAM = ["/v1/messages"]

describe("a text", () => {
  it("names no route that the contract lacks", () => {
    const named = mentions(/(\/v1\/[a-z][\w/{}$.-]*)/g, [...files, ...pages])
    expect(named.length).toBeGreaterThan(50)
    const unknown = named.filter(({ what }) => {
      const shape = shapeOf(what)
      return !UPSTREAM.includes(shape) && !PATHS.some((known) => known === shape || known.startsWith(`${shape}/`))
    })
    expect(unknown.filter(({ what }) => !what.includes("files/") && !what.includes("$"))).toEqual([])
  })

  it("names no end of a route that the contract lacks", () => {
    const routes = Object.values(contract).map(({ method, path: whole }) => `${method.toUpperCase()} ${shapeOf(whole)}`)
    const named = mentions(/\b((?:GET|POST|PUT|PATCH|DELETE) …\/[a-z][\w/{}-]*)/g, [...files, ...pages])
    expect(named.length).toBeGreaterThan(50)
    const unknown = named.filter(({ what }) => {
      const [method = "", end = ""] = shapeOf(what).split(" …")
      return !routes.some((route) => route.startsWith(`${method} `) && route.endsWith(end))
    })
    expect(unknown).toEqual([])
  })

  it("names no option that sessions neither accept nor refuse by name", () => {
    const known = new Set([...Object.keys(SessionOptions.fields), ...Object.keys(OPTION_STATUS)])
    const named = mentions(/["`\s(]options\.([a-zA-Z_]+)\b(?!\s*[(=?]|\s*(?:===|!==))/g, pages)
    expect(named.filter(({ what }) => what !== "md" && !known.has(what))).toEqual([])
  })

  it("refers no one to a command of the official SDK's terminal", () => {
    const named = mentions(
      /["'`][^"'`\n]*?((?:^|\s)\/(?:compact|clear|login|help|config|resume)\b|[Cc]ompact or clear)/g,
      files,
    )
    expect(named.filter(({ file }) => !file.startsWith("src/schemas/"))).toEqual([])
  })
})
