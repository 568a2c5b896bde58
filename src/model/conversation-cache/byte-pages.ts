// An append-only sequence of bytes, in pages: appending does not copy full pages, and a page can be stored by itself.
// Invariant: every page but the last is full.

/** Size of a full page, in bytes. */
export const BYTES_PER_PAGE = 256 * 1024
const FIRST_BYTES = 2048

export class BytePages {
  readonly #full: Array<Uint8Array> = []
  #last: Uint8Array = new Uint8Array(0)
  #used = 0

  /** Restores the sequence from pages that `pages` returned. */
  static of(pages: ReadonlyArray<Uint8Array>): BytePages {
    const made = new BytePages()
    const last = pages.at(-1)
    if (last === undefined) return made
    if (last.length < BYTES_PER_PAGE) {
      made.#full.push(...pages.slice(0, -1))
      made.#last = last
      made.#used = last.length
    } else made.#full.push(...pages)
    return made
  }

  get length(): number {
    return this.#full.length * BYTES_PER_PAGE + this.#used
  }

  /** Bytes of memory that the pages take. */
  get size(): number {
    return this.#full.length * BYTES_PER_PAGE + this.#last.length
  }

  /** The pages from index `first` on. */
  pages(first = 0): ReadonlyArray<Uint8Array> {
    const full = this.#full.slice(first)
    return this.#used > 0 && first <= this.#full.length ? [...full, this.#last.subarray(0, this.#used)] : full
  }

  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const taken = Math.min(bytes.length - from, BYTES_PER_PAGE - this.#used)
      this.#makeRoom(this.#used + taken)
      this.#last.set(bytes.subarray(from, from + taken), this.#used)
      this.#used += taken
      from += taken
      if (this.#used === BYTES_PER_PAGE) this.#turnPage()
    }
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#last.length) return
    const larger = new Uint8Array(Math.min(BYTES_PER_PAGE, Math.max(FIRST_BYTES, Math.ceil(needed * 1.25))))
    larger.set(this.#last.subarray(0, this.#used))
    this.#last = larger
  }

  #turnPage(): void {
    this.#full.push(this.#last)
    this.#last = new Uint8Array(0)
    this.#used = 0
  }

  /** The bytes from `from` up to `to`, as one piece for each page. */
  between(from: number, to: number): ReadonlyArray<Uint8Array> {
    const pieces: Array<Uint8Array> = []
    for (let at = from; at < to;) {
      const page = Math.floor(at / BYTES_PER_PAGE)
      const start = page * BYTES_PER_PAGE
      const end = Math.min(to, start + BYTES_PER_PAGE)
      pieces.push((this.#full[page] ?? this.#last).subarray(at - start, end - start))
      at = end
    }
    return pieces
  }
}
