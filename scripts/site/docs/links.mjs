// Receives a link as a Markdown file has it; returns where the same leads on the site, and the page's title.
// Pages lead to pages; openapi.json leads to itself; any other file of the repository leads to a page that shows it.
// Invariant: a link to a file that is not there is an error, so that the site cannot be built with a dead link.
import path from "node:path"

export class BrokenLink extends Error {}

/** What is before the colon of a title: "Sessions" of "Sessions: prompt, wait, queue". */
export const shortTitle = (title) => title.split(": ")[0]

/**
 * @param {{
 *   pages: ReadonlyMap<string, { slug: string, title: string }>,
 *   hasFile: (file: string) => boolean,
 * }} site the pages by their file
 */
export const linkResolver = (site) => {
  /** Files that some page links to and that are no pages: each gets one. */
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
    if (!site.hasFile(file)) throw new BrokenLink(`${from} links to ${href}, which does not exist.`)
    if (/\.(png|jpe?g|svg|webp)$/.test(file)) {
      images.add(file)
      return { href: `/docs/images/${file}` }
    }
    sources.add(file)
    return { href: `/docs/source/${file.toLowerCase()}` }
  }

  return { resolve, sources, images }
}
