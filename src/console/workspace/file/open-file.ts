// The state of an open file: a draft of its text, an image, binary data, or a part of a large file.
// Invariant: an edited draft is only discarded after it was saved, or by its author's choice.
import { signal } from "@preact/signals"
import { NotFoundError, PerchError, PreconditionFailedError } from "../../../client/api/perch-error.ts"
import type { SessionFiles, WorkspaceFile } from "../../../client/api/session-files.ts"
import { messageOf } from "../../app/server.ts"
import { conditionOf, type Draft, draftOf, found, isDirty, resolve, saved, type Version } from "./draft.ts"
import { EDIT_LIMIT, imageType, partText, PART, sizeOfRange, textOf } from "./file-content.ts"

export type Content =
  | { readonly kind: "loading" | "missing" }
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly url: string; readonly size: number; readonly bytes: Uint8Array }
  | { readonly kind: "binary"; readonly head: Uint8Array; readonly size: number }
  | {
      readonly kind: "part"
      readonly text: string
      readonly start: number
      readonly end: number
      readonly size: number
    }

/** The entity tag of a file in the list. */
export const etagOf = ({ sha256, size }: Pick<WorkspaceFile, "sha256" | "size">): string =>
  `"${size === 0 ? "empty" : (sha256 ?? "")}"`

export class OpenFile {
  readonly path: string
  readonly content = signal<Content>({ kind: "loading" })
  /** Only used for text. */
  readonly draft = signal<Draft>(draftOf({ text: "", etag: null }))
  readonly error = signal<string | null>(null)
  readonly isSaving = signal(false)
  /** Whether the text of an image was chosen over the image. */
  readonly isSource = signal(false)
  /** Counts replacements of the shown text that did not come from the editor. */
  readonly replaced = signal(0)
  readonly #files: SessionFiles
  readonly #stop = new AbortController()
  #etag: string | null = null
  /** Number of the last read or write: an answer to an earlier read is outdated. */
  #latest = 0

  constructor(files: SessionFiles, path: string) {
    this.#files = files
    this.path = path
  }

  get isDirty(): boolean {
    return this.content.value.kind === "text" && isDirty(this.draft.value)
  }

  close(): void {
    this.#stop.abort()
    this.#show({ kind: "loading" })
  }

  /** Reads the file. Called again, it keeps an edited draft, and reports a different version as a conflict. */
  async load(): Promise<void> {
    this.error.value = null
    const number = this.#begin()
    try {
      const image = imageType(this.path, 0)
      const first = await this.#part(0, image === undefined ? EDIT_LIMIT : undefined)
      if (number !== this.#latest) return
      this.#etag = first.etag
      const { bytes, size } = first
      const text = bytes.length === size ? textOf(bytes) : null
      const type = imageType(this.path, size)
      if (type !== undefined && !this.isDirty && !(this.isSource.value && text !== null)) {
        this.#showImage(bytes, type)
      } else if (text !== null) {
        this.#found({ text, etag: first.etag })
      } else if (bytes.length < size && size <= EDIT_LIMIT) {
        // The file was changed while it was read.
        await this.load()
      } else if (this.isDirty) {
        this.#found({ text: null, etag: first.etag })
      } else if (bytes.length < size && partText(bytes) !== null) {
        await this.loadPart(this.#partIn(size))
      } else {
        this.#show({ kind: "binary", head: bytes.subarray(0, 1024), size })
      }
    } catch (error) {
      this.#failed(error, number)
    }
  }

  #begin(): number {
    this.#latest += 1
    return this.#latest
  }

  /** Shows the part of a large file that starts at the byte `start`. */
  async loadPart(start: number): Promise<void> {
    this.error.value = null
    const number = this.#begin()
    try {
      const { bytes, size } = await this.#part(start, PART)
      if (number !== this.#latest) return
      // The file has become shorter.
      if (start > 0 && start >= size) return await this.load()
      this.replaced.value += 1
      this.#show({ kind: "part", text: partText(bytes) ?? "", start, end: start + bytes.length, size })
    } catch (error) {
      this.#failed(error, number)
    }
  }

  /** Where the part that is shown starts; in a file that has become shorter, where its last part starts. */
  #partIn(size: number): number {
    const { value: content } = this.content
    if (content.kind !== "part") return 0
    return content.start < size ? content.start : Math.floor((size - 1) / PART) * PART
  }

  /** Call it when the workspace may have changed: reads the file again if its entity tag differs. */
  async check(etag: string | null): Promise<void> {
    const shown = this.content.value.kind === "text" ? this.draft.value.base.etag : this.#etag
    if (this.isSaving.value || (etag !== null && etag === shown)) return
    await this.load()
  }

  /** Call it when the browser could not decode the image: shows what the file contains instead. */
  showUndecoded(): void {
    const { value: content } = this.content
    if (content.kind !== "image") return
    const text = textOf(content.bytes)
    if (text === null) this.#show({ kind: "binary", head: content.bytes.subarray(0, 1024), size: content.size })
    else this.#found({ text, etag: this.#etag })
  }

  /** Whether the image that is shown can be edited as text, as an SVG can. */
  get hasSource(): boolean {
    const { value: content } = this.content
    return content.kind === "image" && content.size <= EDIT_LIMIT && textOf(content.bytes) !== null
  }

  /** Switches between an image and its text, which has no unsaved changes. */
  showSource(isShown: boolean): void {
    this.isSource.value = isShown
    if (isShown) return this.showUndecoded()
    const { text, etag } = this.draft.value.base
    const bytes = new TextEncoder().encode(text ?? "")
    this.#etag = etag
    this.#showImage(bytes, imageType(this.path, bytes.length))
  }

  #showImage(bytes: Uint8Array<ArrayBuffer>, type = ""): void {
    this.#show({ kind: "image", url: URL.createObjectURL(new Blob([bytes], { type })), size: bytes.length, bytes })
  }

  edit(text: string): void {
    this.draft.value = { ...this.draft.value, text }
  }

  choose(choice: "mine" | "theirs"): void {
    const { theirs } = this.draft.value
    this.draft.value = resolve(this.draft.value, choice)
    this.replaced.value += 1
    if (choice === "mine") void this.save()
    else if (theirs?.etag === null) this.#show({ kind: "missing" })
    else if (theirs?.text === null) {
      this.#show({ kind: "loading" })
      void this.load()
    }
  }

  async save(): Promise<void> {
    if (this.isSaving.value || !this.isDirty) return
    const draft = this.draft.value
    this.isSaving.value = true
    this.error.value = null
    try {
      const file = await this.#files.write(this.path, draft.text, conditionOf(draft))
      // A read that was sent before may have the previous text.
      this.#begin()
      this.draft.value = saved(this.draft.value, draft.text, etagOf(file))
      this.isSaving.value = false
    } catch (error) {
      this.isSaving.value = false
      if (!(error instanceof PreconditionFailedError)) this.error.value = messageOf(error)
      // A version was chosen while the request ran.
      else if (this.draft.value.base !== draft.base) await this.save()
      else await this.load()
    }
  }

  /** Reads at most `length` bytes from `start` on; the whole file without a length. */
  async #part(start: number, length: number | undefined) {
    const range = length === undefined ? undefined : `bytes=${start}-${start + length - 1}`
    const { signal } = this.#stop
    const whole = () => this.#files.open(this.path, { signal })
    const response = await (range === undefined
      ? whole()
      : this.#files.open(this.path, { signal, range }).catch((error: unknown) => {
          // For an empty file, no range can be satisfied.
          if (error instanceof PerchError && error.status === 416) return whole()
          throw error
        }))
    const bytes = new Uint8Array(await response.arrayBuffer())
    const size = sizeOfRange(response.headers.get("content-range")) ?? bytes.length
    return { bytes, size, etag: response.headers.get("etag") }
  }

  #found(version: Version): void {
    const draft = this.content.value.kind === "text" ? this.draft.value : draftOf(version)
    this.draft.value = found(draft, version)
    if (this.draft.value.text !== draft.text || this.content.value.kind !== "text") this.replaced.value += 1
    this.#show({ kind: "text" })
  }

  #failed(error: unknown, number: number): void {
    if (this.#stop.signal.aborted || number !== this.#latest) return
    if (!(error instanceof NotFoundError)) {
      this.error.value = messageOf(error)
    } else if (this.isDirty) {
      this.draft.value = found(this.draft.value, { text: null, etag: null })
    } else {
      this.#show({ kind: "missing" })
    }
  }

  #show(content: Content): void {
    const before = this.content.value
    if (before.kind === "image") URL.revokeObjectURL(before.url)
    this.content.value = content
  }
}
