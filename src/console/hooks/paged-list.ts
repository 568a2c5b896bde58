// A list that is read by pages, the newest first.
// Invariants: an item is in the list once; an error leaves what was read and the place of the next page; an answer to an older
// question than the last `open` changes nothing.
import { batch, signal } from "@preact/signals"
import type { Page } from "../../client/api/session-shapes.ts"

type ReadPage<A> = (cursor: string | undefined) => Promise<Page<A>>

export class PagedList<A extends { readonly id: string }> {
  readonly rows = signal<ReadonlyArray<A>>([])
  readonly isLoading = signal(false)
  readonly error = signal<string | null>(null)
  /** Undefined before the first page, null behind the last one. */
  readonly cursor = signal<string | null | undefined>(undefined)
  readonly #messageOf: (error: unknown) => string
  #read: ReadPage<A> | null = null

  constructor(messageOf: (error: unknown) => string) {
    this.#messageOf = messageOf
  }

  /** Reads the first page of another question. */
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

  /** Reads the next page; also the way to try again after an error. */
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

  /** Reads the newest page again; older ones that were read stay. What the page should have and has not is gone from the list. */
  async refresh(): Promise<void> {
    if (this.isLoading.value) return
    if (this.cursor.value === undefined) return this.more()
    this.isLoading.value = true
    this.error.value = null
    await this.#page(undefined, ({ data, next_cursor }) => {
      const fresh = new Set(data.map(({ id }) => id))
      const last = this.rows.value.findIndex(({ id }) => id === data.at(-1)?.id)
      const older = next_cursor === null ? [] : this.rows.value.slice(last + 1).filter(({ id }) => !fresh.has(id))
      this.rows.value = [...data, ...older]
      if (next_cursor === null) this.cursor.value = null
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
