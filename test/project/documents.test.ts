// The documents name only what exists: their links resolve, and the project paths in backticks exist.
import fs from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { documents } from "./document-files.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")

const textOf = (document: string): string => fs.readFileSync(path.join(ROOT, document), "utf8")

/** Text without its fenced blocks, which may show the reader's own files. */
const proseOf = (document: string): string => textOf(document).replace(/^```[\s\S]*?^```$/gm, "")

interface Named {
  readonly document: string
  readonly name: string
}

const named = (pattern: RegExp): ReadonlyArray<Named> =>
  documents.flatMap((document) =>
    Array.from(proseOf(document).matchAll(pattern), ([, name = ""]) => ({ document, name })),
  )

/** Creates the anchor of a heading as GitHub does. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

/** A repeated heading has a number after its anchor. */
const anchorsOf = (document: string): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return Array.from(proseOf(document).matchAll(/^#+ (.*)$/gm), ([, heading = ""]) => {
    const anchor = anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

const TOP_FOLDERS = "src|test|scripts|docs|examples|migrations|public|\\.ci|\\.github"

/** `{a,b}` means several paths; a text in capitals is a placeholder. */
const pathsOf = (name: string): ReadonlyArray<string> => {
  const braces = /^(.*)\{([^}]*)\}(.*)$/.exec(name)
  if (braces === null) return [name]
  const [, before = "", choices = "", after = ""] = braces
  return choices.split(",").flatMap((choice) => pathsOf(`${before}${choice}${after}`))
}

const isPlaceholder = (name: string): boolean => /(^|\/)[A-Z]{2,}([/.]|$)/.test(name) || name.includes("*")

/** A file may be named without its extension. */
const exists = (name: string): boolean =>
  ["", ".ts", ".mjs"].some((ending) => fs.existsSync(path.join(ROOT, name.replace(/\/$/, "") + ending)))

interface Link extends Named {
  /** The target file as a path relative to the project. */
  readonly target: string
  readonly anchor: string | undefined
}

const links: ReadonlyArray<Link> = named(/\]\((?!https?:|mailto:)([^)\s]+)\)/g).map(({ document, name }) => {
  const [file = "", anchor] = name.split("#")
  const target = file === "" ? document : path.posix.join(path.posix.dirname(document), file)
  return { document, name, target, anchor }
})

/** Addresses of other hosts, wherever they are in the prose of a page; `…` leaves one out. */
const addresses = named(/(https?:\/\/[^\s<>"'`|]*[^\s<>"'`|).,;:*])/g).filter(
  ({ document, name }) => document.endsWith(".md") && !name.includes("…"),
)

/** Hosts that the test does not reach: local ones, and placeholders for the reader's own. */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost|HOST|[\w.-]*example(?:\.\w+)*)(?::\d+)?$/

describe("a document", () => {
  it("has tables with one row of dashes, below their heading", () => {
    const twice = documents.filter((document) => /^\| ?-+[ |-]*\n\| ?-+[ |-]*$/m.test(proseOf(document)))
    expect(twice).toEqual([])
  })

  it("has well-formed addresses of other hosts, over https", () => {
    expect(addresses.length).toBeGreaterThan(10)
    const wrong = addresses.filter(({ name }) => {
      if (!URL.canParse(name)) return true
      const { protocol, host, username } = new URL(name)
      return username !== "" || (protocol !== "https:" && !OWN_HOST.test(host))
    })
    expect(wrong).toEqual([])
  })

  it("writes its links in the one form that is checked here", () => {
    const others = named(/^( {0,3}\[[^\]]+\]: \S+|.*<(?:a|img)\s[^>]*>.*|.*<https?:[^>]+>.*)$/gm)
    expect(others.filter(({ document }) => document.endsWith(".md"))).toEqual([])
  })

  it("links to no file outside of the project", () => {
    expect(links.filter(({ target }) => target.startsWith(".."))).toEqual([])
  })

  it("links to no missing page, and to no missing heading", () => {
    expect(links.length).toBeGreaterThan(40)
    const broken = links.filter(({ target, anchor }) => {
      if (!fs.existsSync(path.join(ROOT, target))) return true
      if (anchor === undefined) return false
      // A line of a source, or a heading of a page.
      const line = /^L(\d+)$/.exec(anchor)?.[1]
      if (line !== undefined) return textOf(target).split("\n").length < Number(line)
      return !target.endsWith(".md") || !anchorsOf(target).includes(anchor)
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

  it("lists every folder of test/behaviour/ and test/e2e/ with what it covers, in CONTRIBUTING.md", () => {
    const rows = textOf("CONTRIBUTING.md").match(/^\| .*$/gm) ?? []
    const listed = rows.flatMap((row) => Array.from(row.matchAll(/`(test\/[^`]*)`/g), ([, name = ""]) => pathsOf(name)))
    const folders = ["test/behaviour", "test/e2e"].flatMap((kind) =>
      fs.readdirSync(path.join(ROOT, kind)).map((name) => `${kind}/${name}`),
    )
    const inFolder = (name: string, folder: string) => name === folder || name.startsWith(`${folder}/`)
    expect(folders.filter((folder) => !listed.flat().some((name) => inFolder(name, folder)))).toEqual([])
  })
})
