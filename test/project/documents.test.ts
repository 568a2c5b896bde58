// The documents name what exists: their links resolve, and the paths of the project that they name in backticks are there.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"

const ROOT = path.resolve(import.meta.dirname, "../..")

const filesBelow = (folder: string, ends: RegExp): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name).split(path.sep).join("/"))
    .filter((name) => ends.test(name) && !name.includes("node_modules/"))

const documents = [
  ...fs.readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...filesBelow("docs", /\.md$/),
  ...filesBelow("examples", /\.(md|mjs|js|ts|html)$/),
]

const textOf = (document: string): string => fs.readFileSync(path.join(ROOT, document), "utf8")

/** Text without its fenced blocks: what they show may be the reader's own. */
const proseOf = (document: string): string => textOf(document).replace(/^```[\s\S]*?^```$/gm, "")

interface Named {
  readonly document: string
  readonly name: string
}

const named = (pattern: RegExp): ReadonlyArray<Named> =>
  documents.flatMap((document) =>
    Array.from(proseOf(document).matchAll(pattern), ([, name = ""]) => ({ document, name })),
  )

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const anchorsOf = (document: string): ReadonlyArray<string> =>
  Array.from(proseOf(document).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => anchorOf(heading))

const TOP_FOLDERS = "src|test|scripts|docs|examples|migrations|public|\\.ci|\\.github"

/** `{a,b}` means several paths; a text in capitals is a placeholder. */
const pathsOf = (name: string): ReadonlyArray<string> => {
  const braces = /^(.*)\{([^}]*)\}(.*)$/.exec(name)
  if (braces === null) return [name]
  const [, before = "", choices = "", after = ""] = braces
  return choices.split(",").flatMap((choice) => pathsOf(`${before}${choice}${after}`))
}

const isPlaceholder = (name: string): boolean => /(^|\/)[A-Z]{2,}([/.]|$)/.test(name) || name.includes("*")

/** A file may be named without its ending. */
const exists = (name: string): boolean =>
  ["", ".ts", ".mjs"].some((ending) => fs.existsSync(path.join(ROOT, name.replace(/\/$/, "") + ending)))

interface Link extends Named {
  /** The file that it leads to, as a path of the project. */
  readonly target: string
  readonly anchor: string | undefined
}

const links: ReadonlyArray<Link> = named(/\]\((?!https?:|mailto:)([^)\s]+)\)/g).map(({ document, name }) => {
  const [file = "", anchor] = name.split("#")
  const target = file === "" ? document : path.posix.join(path.posix.dirname(document), file)
  return { document, name, target, anchor }
})

describe("a document", () => {
  it("links to no page that does not exist, and to no heading that a page does not have", () => {
    expect(links.length).toBeGreaterThan(40)
    const broken = links.filter(({ target, anchor }) => {
      if (!fs.existsSync(path.join(ROOT, target))) return true
      return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it("below docs/ is linked from another one", () => {
    const linked = new Set(links.flatMap(({ document, target }) => (document === target ? [] : [target])))
    expect(documents.filter((document) => document.startsWith("docs/") && !linked.has(document))).toEqual([])
  })

  it("names no path of the project that does not exist", () => {
    const paths = named(new RegExp(`\`((?:${TOP_FOLDERS})/[^\`\\s]*)\``, "g"))
    expect(paths.length).toBeGreaterThan(40)
    const wrong = paths.filter(({ name }) => !pathsOf(name).every((one) => isPlaceholder(one) || exists(one)))
    expect(wrong).toEqual([])
  })

  it("lists every folder of src/, and no other: the first level in the README, all of them in the architecture page", () => {
    const listed = Array.from(textOf("docs/architecture.md").matchAll(/^\| `src\/([^`]*)\/` +\|/gm), ([, name]) => name)
    const folders = fs
      .readdirSync(path.join(ROOT, "src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.relative(path.join(ROOT, "src"), path.join(entry.parentPath, entry.name)))
    expect([...listed].toSorted()).toEqual(folders.toSorted())
    const first = Array.from(textOf("README.md").matchAll(/^\| `src\/([^`]*)\/` +\|/gm), ([, name]) => name)
    expect([...first].toSorted()).toEqual(folders.filter((name) => !name.includes("/")).toSorted())
  })
})
