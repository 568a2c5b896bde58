// Receives the bytes of a tar archive in pieces; finds entries whose content is not the file's own bytes: sparse files of GNU
// tar, and parts of a file that continues in another archive. The decoder returns these as ordinary files.
// Invariant: at most one header is buffered. Content is never read as a header, unless an attribute record gives another size.

const BLOCK = 512
const TYPE_AT = 156
const SIZE_AT = 124
const SIZE_END = 136
const NAME_END = 100

/** Entries of these types have no content, whatever size they declare. */
const BODYLESS = new Set(["1", "2", "3", "4", "5", "6"])

const REASONS: Readonly<Record<string, string>> = {
  S: "is stored as a sparse file, which can't be extracted. Create the archive without --sparse.",
  M: "is the continuation of a file of another archive. Create the archive without --multi-volume.",
}

/** Why a file whose attributes describe it as sparse (GNU tar's POSIX format) can't be extracted; undefined for any other. */
export const sparseReason = (attributes: Readonly<Record<string, string>> | undefined): string | undefined =>
  Object.keys(attributes ?? {}).some((name) => name.startsWith("GNU.sparse.")) ? REASONS["S"] : undefined

export class PartialEntries {
  readonly #block = new Uint8Array(BLOCK)
  #filled = 0
  /** The bytes of content and padding before the next header. */
  #skip = 0

  /** Receives the next bytes; returns the name of the first entry in them that can't be extracted, and why; or undefined. */
  find(piece: Uint8Array): { readonly name: string; readonly reason: string } | undefined {
    for (let at = 0; at < piece.length;) {
      if (this.#skip > 0) {
        const passed = Math.min(this.#skip, piece.length - at)
        this.#skip -= passed
        at += passed
        continue
      }
      const part = piece.subarray(at, at + BLOCK - this.#filled)
      this.#block.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled < BLOCK) return undefined
      this.#filled = 0
      const type = String.fromCharCode(this.#block[TYPE_AT] ?? 0)
      const reason = REASONS[type]
      if (reason !== undefined) return { name: textOf(this.#block.subarray(0, NAME_END)), reason }
      const size = BODYLESS.has(type) ? 0 : Number.parseInt(textOf(this.#block.subarray(SIZE_AT, SIZE_END)), 8) || 0
      this.#skip = Math.ceil(size / BLOCK) * BLOCK
    }
    return undefined
  }
}

const textOf = (field: Uint8Array): string => {
  const end = field.indexOf(0)
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end)).trim()
}
