// A list that is read in pages, the newest item first.
// Invariants: an item is in the list once; no item is missing between two pages; an error keeps the loaded items and the
// position of the next page; a response to a request from before the last `open` is ignored.
import { batch, signal } from "@preact/signals"
import type { Page } from "../../client/api/session-shapes.ts"

type ReadPage<A> = (cursor: string | undefined) => Promise<Page<A>>

export class PagedList<A extends { readonly id: string }> {
  readonly rows = signal<ReadonlyArray<A>>([])
  readonly isLoading = signal(false)
  readonly error = signal<string | null>(null)
  /** Undefined before the first page, null after the last one. */
  readonly cursor = signal<string | null | undefined>(undefined)
  readonly #messageOf: (error: unknown) => string
  #read: ReadPage<A> | null = null

  constructor(messageOf: (error: unknown) => string) {
    this.#messageOf = messageOf
  }

  /** Clears the list, and reads the first page with another reader. */
  open(read: ReadPage<A>): Promise<void> {
    this.#read = read
    batch(() => {
      this.rows.value = []
      this.cursor.value = undefined
      this.isLoading.value = false
    })
    return this.more()
  }

  close(): void {
    this.#read = null
  }

  /** Reads the next page; call it again to retry after an error. */
  async more(): Promise<void> {
    if (this.isLoading.value || this.cursor.value === null) return
    this.isLoading.value = true
    this.error.value = null
    await this.#page(this.cursor.value, (page) => {
      const known = new Set(this.rows.value.map(({ id }) => id))
      this.rows.value = [...this.rows.value, ...page.data.filter(({ id }) => !known.has(id))]
      this.cursor.value = page.next_cursor
    })
  }

  /**
   * Reads the newest page again. Items that should be in it but are not are removed. Older pages stay if they continue it;
   * otherwise items between them are unknown, and the next page is the one after the newest.
   */
  async refresh(): Promise<void> {
    if (this.isLoading.value) return
    if (this.cursor.value === undefined) return this.more()
    this.isLoading.value = true
    this.error.value = null
    await this.#page(undefined, ({ data, next_cursor }) => {
      const fresh = new Set(data.map(({ id }) => id))
      const last = this.rows.value.findIndex(({ id }) => id === data.at(-1)?.id)
      const isEnd = next_cursor === null || last === -1
      const older = isEnd ? [] : this.rows.value.slice(last + 1).filter(({ id }) => !fresh.has(id))
      this.rows.value = [...data, ...older]
      if (isEnd) this.cursor.value = next_cursor
    })
  }

  replace(item: A): void {
    this.rows.value = this.rows.value.map((known) => (known.id === item.id ? item : known))
  }

  async #page(cursor: string | undefined, take: (page: Page<A>) => void): Promise<void> {
    const read = this.#read
    if (read === null) return
    try {
      const page = await read(cursor)
      if (this.#read === read) batch(() => take(page))
    } catch (cause) {
      if (this.#read === read) this.error.value = this.#messageOf(cause)
    } finally {
      if (this.#read === read) this.isLoading.value = false
    }
  }
}
