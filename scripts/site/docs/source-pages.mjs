// Receives the files that guides link to and that are not guides; returns a page for each that shows the file.
import fs from "node:fs"
import path from "node:path"
import { escapeHtml } from "./highlight.mjs"
import { codeBlock } from "./markdown.mjs"

const LANGUAGES = {
  ".html": "xml",
  ".js": "javascript",
  ".json": "json",
  ".mjs": "javascript",
  ".ts": "typescript",
  ".yml": "yaml",
}

/** A folder is shown as the list of its files, each with its own page. */
const bodyOf = (root, file, resolve) => {
  const absolute = path.join(root, file)
  if (!fs.statSync(absolute).isDirectory()) {
    return codeBlock(fs.readFileSync(absolute, "utf8"), LANGUAGES[path.extname(file)], path.basename(file))
  }
  const items = fs.readdirSync(absolute).map((name) => {
    const { href } = resolve("README.md", `${file}/${name}`)
    return `<li><a href="${escapeHtml(href)}"><code>${escapeHtml(name)}</code></a></li>`
  })
  return `<ul>${items.join("")}</ul>`
}

/** @param {{ resolve: (from: string, href: string) => { href: string }, sources: Set<string> }} links */
export const sourcePages = (root, links) => {
  const pages = []
  // A folder's page links to files, which are appended to the set during the iteration.
  for (const file of links.sources) {
    pages.push({
      slug: `source/${file.toLowerCase()}`,
      title: file,
      html: `<h1 id="file"><code>${escapeHtml(file)}</code></h1>\n<p>A file of the repository, as this site was built from it.</p>\n${bodyOf(root, file, links.resolve)}`,
      headings: [],
      sections: [],
    })
  }
  return pages
}
