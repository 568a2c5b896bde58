// Receives pages that were fetched; gives them back for a quarter of an hour.
// Invariant: it holds few pages and little text, for as long as the session stays in memory, and none that is older.

/** A page as a model reads it. */
export interface Page {
  /** The HTTP status and its text. */
  readonly code: number
  readonly codeText: string
  /** Bytes that came over the wire. */
  readonly bytes: number
  readonly text: string
}

const KEPT_MS = 15 * 60_000
const MAX_PAGES = 16
/** Characters of all pages together. */
const MAX_TEXT = 4_000_000

export class PageCache {
  readonly #pages = new Map<string, { readonly page: Page; readonly at: number }>()
  readonly #now: () => number
  #size = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get(url: string): Page | undefined {
    const held = this.#pages.get(url)
    if (held === undefined) return undefined
    if (this.#now() - held.at < KEPT_MS) return held.page
    this.#drop(url)
    return undefined
  }

  set(url: string, page: Page): void {
    this.#drop(url)
    if (page.text.length > MAX_TEXT) return
    this.#pages.set(url, { page, at: this.#now() })
    this.#size += page.text.length
    // A map gives its keys in the order in which they came: the oldest goes first.
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES && this.#size <= MAX_TEXT) return
      this.#drop(oldest)
    }
  }

  #drop(url: string): void {
    this.#size -= this.#pages.get(url)?.page.text.length ?? 0
    this.#pages.delete(url)
  }
}
