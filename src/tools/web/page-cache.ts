// Caches fetched pages for 15 minutes, as long as the session is in memory.
// Invariant: the number of pages and the size of their text are bounded, and an older page is never returned.

/** A page as a model reads it. */
export interface Page {
  /** The HTTP status and its text. */
  readonly code: number
  readonly codeText: string
  /** The number of bytes that were received. */
  readonly bytes: number
  readonly text: string
}

const KEPT_MS = 15 * 60_000
const MAX_PAGES = 16
/** The most characters of all pages together. */
const MAX_TEXT = 4_000_000

export class PageCache {
  readonly #pages = new Map<string, { readonly page: Page; readonly at: number }>()
  readonly #now: () => number
  #size = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get(url: string): Page | undefined {
    const cached = this.#pages.get(url)
    if (cached === undefined) return undefined
    if (this.#now() - cached.at < KEPT_MS) return cached.page
    this.#drop(url)
    return undefined
  }

  set(url: string, page: Page): void {
    this.#drop(url)
    if (page.text.length > MAX_TEXT) return
    this.#pages.set(url, { page, at: this.#now() })
    this.#size += page.text.length
    // A Map iterates in the order of insertion, so the oldest pages are dropped first.
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
