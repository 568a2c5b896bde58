// Receives a link in a Markdown file; returns its target on the site, and the page's title. Links to pages lead to pages;
// openapi.json leads to itself; any other file of the repository leads to a page that shows it.
// Invariant: a link to a missing file is an error, so that the site can't be built with a dead link.
import path from "node:path"

/** The part of a title before its colon: "Sessions" of "Sessions: prompt, wait, queue". */
export const shortTitle = (title) => title.split(": ")[0]

/**
 * @param {{
 *   pages: ReadonlyMap<string, { slug: string, title: string }>,
 *   hasFile: (file: string) => boolean,
 * }} site the pages by their file
 */
export const linkResolver = (site) => {
  /** Files that are not pages and that a page links to: each gets a page. */
  const sources = new Set()
  /** Images of the repository, which are copied. */
  const images = new Set()

  const resolve = (from, href) => {
    if (/^(https?:|mailto:)/.test(href)) return { href }
    const [name, anchor] = href.split("#")
    const hash = anchor === undefined ? "" : `#${anchor}`
    if (name === "") return { href: hash }
    const file = path.posix.join(path.posix.dirname(from), decodeURIComponent(name)).replace(/\/$/, "")
    if (file === "public/openapi.json") return { href: "/openapi.json" }
    const page = site.pages.get(file) ?? site.pages.get(`${file}/README.md`)
    if (page !== undefined) return { href: `/docs/${page.slug}${hash}`, title: shortTitle(page.title) }
    if (!site.hasFile(file)) throw new Error(`${from} links to ${href}, which does not exist.`)
    if (/\.(png|jpe?g|svg|webp)$/.test(file)) {
      images.add(file)
      return { href: `/docs/images/${file}` }
    }
    sources.add(file)
    return { href: `/docs/source/${file.toLowerCase()}` }
  }

  return { resolve, sources, images }
}
