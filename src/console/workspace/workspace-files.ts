// The state of a session's file screen: the list of files, the expanded folders, and the open file.
// Invariant: refreshing the list keeps the expanded folders, the active row, the open file and an edited draft.
import { computed, signal } from "@preact/signals"
import { NotFoundError, PreconditionFailedError } from "../../client/api/perch-error.ts"
import type { FilePage, SessionFiles, WorkspaceFile } from "../../client/api/session-files.ts"
import { messageOf } from "../app/server.ts"
import { visibleText } from "../kit/text/visible-text.ts"
import { folderArchive } from "./upload/folder-archive.ts"
import { etagOf, OpenFile } from "./file/open-file.ts"
import { foldersTo, parentOf, rowsOf, treeOf } from "./tree/tree-model.ts"
import { Uploads } from "./upload/upload-queue.ts"

export class WorkspaceFiles {
  readonly files: SessionFiles
  readonly uploads: Uploads
  readonly list = signal<ReadonlyArray<WorkspaceFile>>([])
  readonly page = signal<Pick<FilePage, "limits" | "used"> | null>(null)
  readonly isLoading = signal(false)
  readonly error = signal<string | null>(null)
  readonly expanded = signal<ReadonlySet<string>>(new Set())
  readonly active = signal<string | null>(null)
  readonly opened = signal<OpenFile | null>(null)
  readonly tree = computed(() => treeOf(this.list.value))
  readonly rows = computed(() => rowsOf(this.tree.value, this.expanded.value))
  readonly cwd: string
  #again = false

  constructor(files: SessionFiles, cwd: string) {
    this.files = files
    this.cwd = cwd
    this.expanded.value = new Set(foldersTo(cwd))
    this.uploads = new Uploads(files, () => void this.load(), messageOf)
  }

  /** Whether closing it would lose an edited draft, or files that are not uploaded yet. */
  get isUnfinished(): boolean {
    return this.opened.peek()?.isDirty === true || !this.uploads.isDone
  }

  close(): void {
    this.opened.value?.close()
  }

  /** Reads the whole list. If it is called again in the meantime, the list is read once more afterwards. */
  async load(): Promise<void> {
    if (this.isLoading.value) {
      this.#again = true
      return
    }
    this.isLoading.value = true
    this.error.value = null
    try {
      do {
        this.#again = false
        await this.#read()
        this.#checkOpened()
      } while (this.#again)
    } catch (error) {
      this.error.value = messageOf(error)
    } finally {
      this.isLoading.value = false
    }
  }

  async #read(): Promise<void> {
    const files: Array<WorkspaceFile> = []
    let cursor: string | null = null
    do {
      const page: FilePage = await this.files.list({ limit: 1000, ...(cursor === null ? {} : { cursor }) })
      files.push(...page.files)
      cursor = page.next_cursor
      this.page.value = page
      // The first pages are shown while the others are loading; a refreshed list replaces the old one when it is complete.
      if (this.list.value.length < files.length) this.list.value = [...files]
    } while (cursor !== null)
    this.list.value = files
  }

  /** Reads the open file again if it has changed. The list does not wait for it. */
  #checkOpened(): void {
    const { value: file } = this.opened
    const listed = this.list.value.find(({ path }) => path === file?.path)
    if (file !== null) void file.check(listed === undefined ? null : etagOf(listed))
  }

  toggle(path: string): void {
    const next = new Set(this.expanded.value)
    if (!next.delete(path)) next.add(path)
    this.expanded.value = next
  }

  /** Expands the folders above a path and makes it active. */
  reveal(path: string): void {
    this.expanded.value = new Set([...this.expanded.value, ...foldersTo(parentOf(path))])
    this.active.value = path
  }

  /** Opens a file. Returns false, without opening it, if the open file has unsaved edits. */
  open(path: string): boolean {
    const before = this.opened.value
    if (before?.path === path) return true
    if (before?.isDirty === true) return false
    this.leave()
    const file = new OpenFile(this.files, path)
    this.opened.value = file
    void file.load()
    return true
  }

  /** Closes the open file, even if it has unsaved edits. */
  leave(): void {
    this.opened.value?.close()
    this.opened.value = null
  }

  /** The folder for new files: the active folder, or that of the active file. */
  folder(): string {
    const { value: active } = this.active
    const row = this.rows.value.find(({ path }) => path === active)
    if (row === undefined) return this.cwd
    return row.type === "directory" ? row.path : parentOf(row.path)
  }

  /** Writes a new file. One with this entity tag was written by an earlier attempt; rejects when there is another one. */
  async #create(path: string, content: string | Blob, etag: string | null): Promise<void> {
    try {
      await this.files.write(path, content, { ifNoneMatch: "*" })
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      const { files } = await this.files.list({ prefix: path, limit: 1 })
      const isSame = files.some((file) => file.path === path && etagOf(file) === etag)
      if (!isSame) throw new Error(`${visibleText(path)} exists. Choose another name.`)
    }
  }

  /** Creates an empty file. Rejects when a file with content exists. */
  async createFile(path: string): Promise<void> {
    await this.#create(path, "", etagOf({ size: 0 }))
    await this.load()
    this.reveal(path)
    this.open(path)
  }

  async createFolder(path: string): Promise<void> {
    const archive = folderArchive(path)
    if (archive === null) throw new Error("The folder's path is longer than 99 bytes. Choose a shorter name.")
    await this.files.upload(archive, { gzip: false })
    await this.load()
    this.reveal(path)
  }

  async remove(path: string): Promise<void> {
    await this.files.remove(path).catch((error: unknown) => {
      // The file was already removed.
      if (!(error instanceof NotFoundError)) throw error
    })
    const { value: file } = this.opened
    if (file !== null && (file.path === path || file.path.startsWith(`${path}/`))) this.leave()
    this.active.value = parentOf(path)
    await this.load()
  }

  /** Writes the file under a new name, unless that exists, and removes the old file, unless that has changed in the meantime. */
  async rename(path: string, to: string): Promise<void> {
    if (to === path) return
    const response = await this.files.open(path)
    const etag = response.headers.get("etag")
    await this.#create(to, await response.blob(), etag)
    await this.files.remove(path, etag === null ? {} : { ifMatch: etag })
    if (this.opened.value?.path === path) this.leave()
    await this.load()
    this.reveal(to)
    this.open(to)
  }
}
