// Builds the docs site: the repository's Markdown, the event formats from the golden views, the API reference and the search index.
// Receives the repository's root and the folder to write (public/docs); returns what was written.
// Invariant: a link or an anchor that leads nowhere ends the build with an error that names it.
import fs from "node:fs"
import path from "node:path"
import { apiPage, copyRenderer } from "./api-page.mjs"
import { formatPages } from "./formats/format-pages.mjs"
import { layout } from "./layout.mjs"
import { linkResolver } from "./links.mjs"
import { renderMarkdown } from "./markdown.mjs"
import { missingPage } from "./missing-page.mjs"
import { GROUPS, outputOf, slugOf } from "./navigation.mjs"
import { searchIndex } from "./search-index.mjs"
import { sourcePages } from "./source-pages.mjs"

const HERE = import.meta.dirname

const markdownBelow = (root, folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.posix.join(folder, name.split(path.sep).join("/")))
    .toSorted()

/** The files of the site in groups; files that the navigation does not name are at the end of its catch-all group. */
const filesByGroup = (root) => {
  const all = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", ...markdownBelow(root, "docs")]
  const named = new Set(GROUPS.flatMap(({ pages }) => pages))
  const decisions = all.filter((file) => file.startsWith("docs/decisions/") && !named.has(file))
  const rest = all.filter((file) => !named.has(file) && !decisions.includes(file))
  return GROUPS.map((group) => ({
    ...group,
    pages: [
      ...group.pages.filter((page) => typeof page === "object" || all.includes(page)),
      ...(group.rest ? rest : []),
      ...(group.decisions ? decisions : []),
    ],
  }))
}

/** The title of a Markdown file: its first heading. */
const titleOf = (root, file) =>
  file === "README.md" ? "Start" : (/^# (.*)$/m.exec(fs.readFileSync(path.join(root, file), "utf8"))?.[1] ?? file)

const firstSentence = (sections) => (sections.find(({ text }) => text !== "")?.text ?? "").slice(0, 160)

const withGroup = (group) => (page) => ({
  ...page,
  group: group.title,
  description: page.description ?? firstSentence(page.sections),
})

/** @param {{ root: string, out: string }} input */
export const buildDocs = ({ root, out }) => {
  const groups = filesByGroup(root)
  const files = groups.flatMap(({ pages }) => pages.filter((page) => typeof page === "string"))
  const links = linkResolver({
    pages: new Map(files.map((file) => [file, { slug: slugOf(file), title: titleOf(root, file).replaceAll("`", "") }])),
    hasFile: (file) => fs.existsSync(path.join(root, file)),
  })
  const resolve = (from) => (href) => links.resolve(from, href)
  const fromMarkdown = (file) => {
    const rendered = renderMarkdown(fs.readFileSync(path.join(root, file), "utf8"), resolve(file))
    return { ...rendered, slug: slugOf(file), title: file === "README.md" ? "Start" : rendered.title }
  }
  const generated = { api: () => [apiPage(root)], "formats/": () => formatPages(root, resolve("docs/streams.md")) }
  const made = groups.map((group) => ({
    title: group.title,
    pages: group.pages
      .flatMap((page) => (typeof page === "string" ? [fromMarkdown(page)] : generated[page.generated]()))
      .map(withGroup(group)),
  }))
  const ordered = made.flatMap(({ pages }) => pages)
  const pages = [...ordered, ...sourcePages(root, links), missingPage()]

  fs.rmSync(out, { recursive: true, force: true })
  for (const page of pages) {
    const at = ordered.indexOf(page)
    const place = at === -1 ? {} : { previous: ordered[at - 1], next: ordered[at + 1] }
    const file = path.join(out, outputOf(page.slug))
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, layout(page, { groups: made, ...place }))
  }
  for (const image of links.images) fs.cpSync(path.join(root, image), path.join(out, "images", image))
  const assets = path.join(out, "assets")
  fs.cpSync(path.join(HERE, "assets"), assets, { recursive: true })
  fs.copyFileSync(path.join(root, "node_modules/minisearch/dist/es/index.js"), path.join(assets, "minisearch.js"))
  copyRenderer(root, assets)
  fs.writeFileSync(path.join(assets, "search-index.json"), searchIndex(ordered))
  return { pages: pages.length }
}
