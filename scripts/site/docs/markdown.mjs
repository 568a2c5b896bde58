// Receives the Markdown of one page; returns its HTML, its headings, and its sections as plain text for the search.
// Invariant: the HTML has no script, no style, and no tag that the Markdown wrote as HTML.
import { Marked } from "marked"
import { escapeHtml, highlight } from "./highlight.mjs"

/** Creates the anchor of a heading as GitHub does. */
const anchorOf = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" }

const plain = (html) =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity])
    .replace(/\s+/g, " ")
    .trim()

/** A block of code with its name, if it has one, and a placeholder for the copy button. */
export const codeBlock = (text, language, name) => {
  const caption = name === undefined ? "" : `<figcaption>${escapeHtml(name)}</figcaption>`
  const label =
    name === undefined ? `Code${language === undefined ? "" : `, ${escapeHtml(language)}`}` : escapeHtml(name)
  const code = `<pre tabindex="0" role="group" aria-label="${label}"><code>${highlight(text, language)}</code></pre>`
  return `<figure class="code" data-copy>${caption}${code}</figure>\n`
}

const MARKDOWN_FILE = /^[\w./-]+\.md$/
const FILE_NAME = /^[\w.-]+\.[a-z]+$/

/**
 * @param {string} source
 * @param {(href: string) => { href: string, title?: string }} resolve
 */
export const renderMarkdown = (source, resolve) => {
  const outline = new Outline()
  const marked = new Marked({ gfm: true })
  marked.use({ renderer: rendererOf(outline, resolve) })
  const html = marked.parse(source)
  return {
    html,
    headings: outline.headings,
    title: outline.headings.find(({ depth }) => depth === 1)?.text ?? "",
    sections: outline.sections.map(({ anchor, heading, text }) => ({ anchor, heading, text: text.join(" ") })),
  }
}

/** The headings of a page and the text below each, collected while the page is rendered. */
class Outline {
  headings = []
  sections = [{ anchor: "", heading: "", text: [] }]
  #used = new Map()

  /** Adds a heading and returns its anchor; a repeated one has a number. */
  addHeading(text, depth) {
    const plainAnchor = anchorOf(text)
    const count = this.#used.get(plainAnchor) ?? 0
    this.#used.set(plainAnchor, count + 1)
    const anchor = count === 0 ? plainAnchor : `${plainAnchor}-${count}`
    this.headings.push({ depth, text, anchor })
    if (depth > 1) this.sections.push({ anchor, heading: text, text: [] })
    return anchor
  }

  /** Adds rendered text to the section of the last heading. */
  addText(html) {
    this.sections.at(-1).text.push(plain(html))
  }
}

/** The functions that render a page's tokens; Marked calls them with its own `this`. */
const rendererOf = (outline, resolve) => ({
  heading({ tokens, depth }) {
    const inner = this.parser.parseInline(tokens)
    const text = plain(inner)
    const anchor = outline.addHeading(text, depth)
    if (depth === 1) return `<h1 id="${escapeHtml(anchor)}">${inner}</h1>\n`
    const link = `<a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to “${escapeHtml(text)}”"></a>`
    return `<h${depth} id="${escapeHtml(anchor)}">${inner}${link}</h${depth}>\n`
  },
  paragraph({ tokens }) {
    const inner = this.parser.parseInline(tokens)
    outline.addText(inner)
    return `<p>${inner}</p>\n`
  },
  listitem(item) {
    const inner = this.parser.parse(item.tokens)
    if (!item.loose) outline.addText(inner)
    return `<li>${inner}</li>\n`
  },
  table(token) {
    const cell = ({ tokens }, tag) => {
      const inner = this.parser.parseInline(tokens)
      outline.addText(inner)
      // A cell without a text is no heading.
      return tag === "th" && inner !== "" ? `<th scope="col">${inner}</th>` : `<td>${inner}</td>`
    }
    const head = token.header.map((one) => cell(one, "th")).join("")
    const rows = token.rows.map((row) => `<tr>${row.map((one) => cell(one, "td")).join("")}</tr>`).join("\n")
    return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>\n`
  },
  code({ text, lang }) {
    const [language, name] = (lang ?? "").split(/\s+/)
    outline.addText(escapeHtml(text))
    return codeBlock(text, language || undefined, name !== undefined && FILE_NAME.test(name) ? name : undefined)
  },
  link({ href, text, tokens }) {
    const target = resolve(href)
    const away = /^https?:/.test(target.href) ? ' rel="noopener noreferrer"' : ""
    // A reader of the site looks for a page, and not for its source file.
    const named = MARKDOWN_FILE.test(text) && target.title !== undefined
    const inner = named ? escapeHtml(target.title) : this.parser.parseInline(tokens)
    return `<a href="${escapeHtml(target.href)}"${away}>${inner}</a>`
  },
  image({ href, text }) {
    // Nothing is loaded from another host: such an image is replaced by its text.
    if (/^https?:/.test(href)) return escapeHtml(text === "" ? href : text)
    return `<img src="${escapeHtml(resolve(href).href)}" alt="${escapeHtml(text)}" loading="lazy">`
  },
  html({ text }) {
    return text.startsWith("<!--") ? "" : escapeHtml(text)
  },
})
