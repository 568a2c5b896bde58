// The built docs site: its links and anchors resolve, its pages run nothing of their own, and its search finds what is in it.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import MiniSearch from "minisearch"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SEARCH_OPTIONS } from "../../../../scripts/site/docs/assets/search-options.js"
import { buildDocs } from "../../../../scripts/site/docs/build-docs.mjs"
import { FORMATS } from "../../../../scripts/site/docs/formats/format-texts.mjs"
import { framesByKind, KIND_OF, readGolden } from "../../../../scripts/site/docs/formats/read-golden.mjs"

const ROOT = path.resolve(import.meta.dirname, "../../../..")
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-docs-"))
const out = path.join(folder, "docs")
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const pages = new Map<string, string>()

beforeAll(() => {
  buildDocs({ root: ROOT, out })
  for (const name of fs.readdirSync(out, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".html")) pages.set(name, fs.readFileSync(path.join(out, name), "utf8"))
  }
})

const inAll = (pattern: RegExp): ReadonlyArray<readonly [page: string, found: string]> =>
  [...pages].flatMap(([page, html]) =>
    Array.from(html.matchAll(pattern), (match) => [page, match[1] ?? match[0]] as const),
  )

/** The file that Cloudflare's assets answer an address with. */
const fileOf = (address: string): string | undefined => {
  const name = address.replace(/^\/docs\/?/, "")
  return [name, `${name}.html`, path.posix.join(name, "index.html")].find((file) => {
    const absolute = path.join(out, file)
    return fs.existsSync(absolute) && fs.statSync(absolute).isFile()
  })
}

const openapi = JSON.parse(fs.readFileSync(path.join(ROOT, "public/openapi.json"), "utf8")) as {
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
}
const operations = Object.values(openapi.paths).flatMap((methods) =>
  Object.values(methods).flatMap(({ operationId }) => operationId ?? []),
)

/** True for `?tag=TAG` and `?tag=TAG#/TAG/OPERATION` of what is in openapi.json. */
const isOperation = (link: string): boolean => {
  const [, tag, operation] = /^\/docs\/api\?tag=([^#]+)(?:#\/\1\/(.+))?$/.exec(link) ?? []
  return openapi.tags.some(({ name }) => name === tag) && (operation === undefined || operations.includes(operation))
}

const OTHER_PAGES = ["/", "/openapi.json"]

describe("a page of the docs site", () => {
  it("links to no page and to no heading that does not exist", () => {
    const links = inAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src)="([^"]*)"/g)
    expect(links.length).toBeGreaterThan(5_000)
    const broken = links.filter(([page, link]) => {
      if (/^(https?:|mailto:)/.test(link) || OTHER_PAGES.includes(link)) return false
      if (link.startsWith("/docs/api?tag=")) return !isOperation(link)
      const [address = "", anchor] = link.split("#")
      const file = address === "" ? page : address.startsWith("/docs/") ? fileOf(address) : undefined
      if (file === undefined) return true
      return anchor !== undefined && !pages.get(file)?.includes(` id="${anchor}"`)
    })
    expect(broken).toEqual([])
  })

  it("has no script, style or handler of its own, and loads nothing from another host", () => {
    expect(inAll(/<script(?![^>]* src="\/docs\/)[^>]*>/g)).toEqual([])
    expect(inAll(/<style\b/g)).toEqual([])
    expect(inAll(/<[a-z][^>]*? (?:style|on[a-z]+)="/g)).toEqual([])
    expect(inAll(/<(?:img|iframe|link|script)\b[^>]*? (?:href|src)="((?:https?:)?\/\/[^"]*)"/g)).toEqual([])
  })

  it("has a language, a title of its own, one first heading and ids that are there once", () => {
    const titles = new Set<string>()
    for (const [page, html] of pages) {
      expect(html, page).toContain('<html lang="en">')
      titles.add(/<title>([^<]+)<\/title>/.exec(html)?.[1] ?? "")
      expect(html.match(/<h1\b/g), page).toHaveLength(1)
      const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
      expect(ids, page).toEqual([...new Set(ids)])
    }
    expect(titles.size).toBe(pages.size)
  })

  it("is there for every Markdown file of docs/", () => {
    const files = fs.readdirSync(path.join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    const guides = files.filter((name) => name.endsWith(".md")).map((name) => name.replace(/(README)?\.md$/, ""))
    expect(guides.filter((name) => fileOf(`/docs/${name}`) === undefined)).toEqual([])
  })

  it("is in the navigation of every other page when it is a guide", () => {
    for (const page of ["index.html", "api.html", "formats/parts.html", "decisions/index.html"]) {
      const navigation = /<nav id="navigation"[\s\S]*?<\/nav>/.exec(pages.get(page) ?? "")?.[0] ?? ""
      expect(navigation, page).toContain('href="/docs/streams"')
      expect(navigation.match(/aria-current="page"/g), page).toHaveLength(1)
    }
  })
})

describe("the API reference", () => {
  it("lists every operation of openapi.json, and loads its renderer only for those of a tag", () => {
    const html = pages.get("api.html") ?? ""
    const listed = Array.from(html.matchAll(/href="\/docs\/api\?tag=[^"#]+#\/[^/"]+\/([^"]+)"/g), ([, one]) => one)
    expect(operations.length).toBeGreaterThan(90)
    expect([...listed].toSorted()).toEqual([...operations].toSorted())
    expect(html).not.toContain("swagger-ui-bundle.js")
  })
})

describe("the search of the docs site", () => {
  const first = (query: string): ReadonlyArray<string> => {
    const json = fs.readFileSync(path.join(out, "assets/search-index.json"), "utf8")
    const found = MiniSearch.loadJSON(json, SEARCH_OPTIONS).search(query)
    return found.slice(0, 5).map(({ id }) => String(id))
  }

  it("finds headings, texts, options and kinds of frames", () => {
    expect(first("reconnect without a gap")[0]).toBe("/docs/streams#reconnect-without-a-gap")
    expect(first("Last-Event-ID")).toContain("/docs/streams#reconnect-without-a-gap")
    expect(first("PERCH_ROOT_KEY").length).toBeGreaterThan(0)
    expect(first("compact_boundary").some((id) => id.startsWith("/docs/formats/"))).toBe(true)
    expect(first("Create a session and run one prompt")[0]).toBe("/docs/api?tag=query#/query/query")
    expect(first("permisions").some((id) => id.includes("permissions"))).toBe(true)
  })

  it("finds nothing for what is not there", () => {
    expect(first("zzqqxx")).toEqual([])
  })
})

describe("the pages of event formats", () => {
  it("show each kind of frame of the golden files, with a sentence about it", () => {
    for (const { slug, golden, kinds } of FORMATS) {
      const html = pages.get(`formats/${slug}.html`) ?? ""
      const found = framesByKind(readGolden(ROOT, golden), KIND_OF[golden] ?? (() => "a format without kinds")).map(
        ({ kind }) => kind,
      )
      const shown = Array.from(html.matchAll(/<h3 id="frame-[^"]*"><code>([^<]*)<\/code>/g), ([, kind]) => kind)
      expect(shown, slug).toEqual(found)
      expect(Object.keys(kinds).toSorted(), slug).toEqual([...found].toSorted())
    }
  })

  it("are there for every golden file", () => {
    const files = fs.readdirSync(path.join(ROOT, "test/views/golden")).filter((name) => name.endsWith(".jsonl"))
    expect(files.map((name) => name.replace(".jsonl", "")).toSorted()).toEqual(
      FORMATS.map(({ golden }) => golden).toSorted(),
    )
  })
})
