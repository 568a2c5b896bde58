// Receives a page's HTML; returns the tree that turndown walks: the nodes and members that it uses, and no others.
// Invariant: time and memory depend only on the length of the page, however it is nested or malformed. Elements deeper than
// MAX_DEPTH become siblings of their parent, and those that are never read as text (scripts, styles, drawings) are left out.
import { ownValue } from "../../schemas/own-value.ts"
import { decodeEntities } from "./html-entities.ts"

const MAX_DEPTH = 48

const ELEMENT = 1
const TEXT = 3

/** A node as turndown sees it: an element, or a text whose `data` is set. */
export class HtmlNode {
  readonly nodeType: typeof ELEMENT | typeof TEXT
  readonly nodeName: string
  data: string
  parentNode: HtmlNode | null = null
  firstChild: HtmlNode | null = null
  lastChild: HtmlNode | null = null
  previousSibling: HtmlNode | null = null
  nextSibling: HtmlNode | null = null
  readonly #attributes: ReadonlyMap<string, string>
  #text: string | null = null
  #names: ReadonlySet<string> | null = null

  constructor(name: string | null, data = "", attributes: ReadonlyMap<string, string> = new Map()) {
    this.nodeType = name === null ? TEXT : ELEMENT
    this.nodeName = name?.toUpperCase() ?? "#text"
    this.data = data
    this.#attributes = attributes
  }

  get nodeValue(): string {
    return this.data
  }

  get childNodes(): Array<HtmlNode> {
    const found: Array<HtmlNode> = []
    for (let child = this.firstChild; child !== null; child = child.nextSibling) found.push(child)
    return found
  }

  get lastElementChild(): HtmlNode | null {
    let child = this.lastChild
    while (child !== null && child.nodeType !== ELEMENT) child = child.previousSibling
    return child
  }

  /** Computed once, because turndown reads it at every level, when the tree no longer changes. */
  get textContent(): string {
    if (this.nodeType === TEXT) return this.data
    this.#text ??= this.childNodes.map((child) => child.textContent).join("")
    return this.#text
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null
  }

  /** Not empty when an element below has this name, which is all that turndown checks. */
  getElementsByTagName(name: string): ReadonlyArray<string> {
    return this.#below.has(name.toUpperCase()) ? [name] : []
  }

  get #below(): ReadonlySet<string> {
    this.#names ??= new Set(this.childNodes.flatMap((child) => [child.nodeName, ...child.#below]))
    return this.#names
  }

  append(child: HtmlNode): void {
    child.parentNode = this
    child.previousSibling = this.lastChild
    if (this.lastChild === null) this.firstChild = child
    else this.lastChild.nextSibling = child
    this.lastChild = child
  }

  removeChild(child: HtmlNode): void {
    const { previousSibling: before, nextSibling: after } = child
    if (before === null) this.firstChild = after
    else before.nextSibling = after
    if (after === null) this.lastChild = before
    else after.previousSibling = before
    child.parentNode = null
  }

  /** Returns the node itself: the tree is used only once, so turndown needs no copy. */
  cloneNode(): HtmlNode {
    return this
  }
}

/** Elements whose content is not part of the page's text. */
const UNREAD: ReadonlySet<string> = new Set(
  "script style noscript template iframe svg math canvas object audio video textarea select head".split(" "),
)
const VOID: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta param source track wbr".split(" "),
)
const LISTS = ["ul", "ol", "dl", "table"] as const
/** Elements whose start tag closes open elements of these names, unless a boundary (LISTS) was opened in between. */
const ENDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  li: ["li"],
  dt: ["dt", "dd"],
  dd: ["dt", "dd"],
  tr: ["tr", "td", "th"],
  td: ["td", "th"],
  th: ["td", "th"],
}
const BLOCKS: ReadonlySet<string> = new Set(
  "p div section article aside header footer main nav ul ol dl table pre blockquote h1 h2 h3 h4 h5 h6 hr form figure".split(
    " ",
  ),
)

interface Page {
  readonly title: string
  readonly root: HtmlNode
}

const NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y

export const htmlTree = (html: string): Page => {
  const builder = new Builder()
  let at = 0
  while (at < html.length) {
    const open = html.indexOf("<", at)
    if (open === -1) break
    builder.text(html.slice(at, open))
    at = markup(html, open, builder)
  }
  builder.text(html.slice(at))
  return { title: builder.title.replace(/\s+/g, " ").trim(), root: builder.finish() }
}

/** Parses the markup that starts with the "<" at `open`; returns the index of its end. */
const markup = (html: string, open: number, builder: Builder): number => {
  const next = html[open + 1]
  if (next === "!" || next === "?") {
    const comment = html.startsWith("<!--", open)
    return after(html, comment ? "-->" : ">", open + (comment ? 4 : 2))
  }
  const closes = next === "/"
  NAME.lastIndex = open + (closes ? 2 : 1)
  const name = NAME.exec(html)?.[0].toLowerCase()
  if (name === undefined) {
    builder.text("<")
    return open + 1
  }
  let at = NAME.lastIndex
  const attributes = new Map<string, string>()
  for (ATTRIBUTE.lastIndex = at; ;) {
    const found = ATTRIBUTE.exec(html)
    if (found === null) break
    at = ATTRIBUTE.lastIndex
    const key = found[1]?.toLowerCase() ?? ""
    if (KEPT.has(key) && !attributes.has(key))
      attributes.set(key, decodeEntities(found[2] ?? found[3] ?? found[4] ?? ""))
  }
  at = after(html, ">", at)
  if (closes) builder.end(name)
  else if (name === "title") {
    const end = skip(html, name, at)
    builder.title ||= decodeEntities(html.slice(at, end.from))
    return end.to
  } else if (UNREAD.has(name)) {
    // The head is not skipped, because it contains the title.
    if (name !== "head") return skip(html, name, at).to
  } else builder.start(name, attributes)
  return at
}

/** The attributes that Markdown can show. */
const KEPT: ReadonlySet<string> = new Set(["href", "src", "alt", "title", "class", "start"])

const after = (html: string, mark: string, from: number): number => {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

/** The index at which the content of a skipped element ends, and the index at which the element ends. */
const skip = (html: string, name: string, from: number): { readonly from: number; readonly to: number } => {
  const end = new RegExp(`</${name}`, "gi")
  end.lastIndex = from
  const found = end.exec(html)
  if (found === null) return { from: html.length, to: html.length }
  return { from: found.index, to: after(html, ">", found.index) }
}

class Builder {
  title = ""
  readonly #root = new HtmlNode("body")
  #open: ReadonlyArray<{ readonly name: string; readonly node: HtmlNode }> = []
  /** The open `pre` element, of which only the text is kept. */
  #pre: { text: string; depth: number; language: string } | null = null

  text(html: string): void {
    if (html === "") return
    const text = decodeEntities(html)
    if (this.#pre !== null) {
      this.#pre.text += text
      return
    }
    // turndown keeps other kinds of white space, and long runs of them make it slow.
    const plain = text.replace(/\s/g, " ")
    const last = this.#here.lastChild
    if (last?.nodeType === TEXT) last.data += plain
    else this.#here.append(new HtmlNode(null, plain))
  }

  start(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#pre !== null) {
      if (name === "br") this.#pre.text += "\n"
      if (name === "pre") this.#pre.depth += 1
      this.#pre.language ||= attributes.get("class") ?? ""
      return
    }
    if (BLOCKS.has(name)) this.#endOpen(["p"], ["button"])
    const ends = ownValue(ENDS, name)
    if (ends !== undefined) this.#endOpen(ends, LISTS)
    if (name === "pre") {
      this.#pre = { text: "", depth: 1, language: attributes.get("class") ?? "" }
      return
    }
    const node = new HtmlNode(name, "", attributes)
    this.#here.append(node)
    if (!VOID.has(name) && this.#open.length < MAX_DEPTH) this.#open = [...this.#open, { name, node }]
  }

  end(name: string): void {
    if (this.#pre !== null) {
      if (name === "pre") this.#pre.depth -= 1
      if (this.#pre.depth === 0) this.#endPre()
      return
    }
    const at = this.#open.findLastIndex((one) => one.name === name)
    if (at !== -1) this.#open = this.#open.slice(0, at)
  }

  finish(): HtmlNode {
    if (this.#pre !== null) this.#endPre()
    return this.#root
  }

  get #here(): HtmlNode {
    return this.#open.at(-1)?.node ?? this.#root
  }

  /** Closes open elements of these names, with all inside them, up to the nearest boundary. */
  #endOpen(names: ReadonlyArray<string>, boundaries: ReadonlyArray<string>): void {
    const from = this.#open.findLastIndex(({ name }) => boundaries.includes(name)) + 1
    const at = this.#open.findIndex(({ name }, index) => index >= from && names.includes(name))
    if (at !== -1) this.#open = this.#open.slice(0, at)
  }

  #endPre(): void {
    const { text, language } = this.#pre ?? { text: "", language: "" }
    this.#pre = null
    const pre = new HtmlNode("pre")
    const code = new HtmlNode("code", "", new Map([["class", language]]))
    // Longer runs of white space would make turndown slow.
    code.append(
      new HtmlNode(
        null,
        text.replace(/\s{200,}/g, (run) => run.slice(0, 200)),
      ),
    )
    pre.append(code)
    this.#here.append(pre)
  }
}
