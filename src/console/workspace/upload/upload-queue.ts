// Sends files into the workspace, a few at a time, and shows the state of each.
import { signal } from "@preact/signals"
import type { SessionFiles } from "../../../client/api/session-files.ts"
import { messageOf } from "../../app/server.ts"
import { type Item, runAll, summaryOf, targetOf } from "./uploads.ts"

export interface Chosen {
  readonly file: File
  /** Its path below the folder that it is uploaded to. */
  readonly relative: string
}

const AT_ONCE = 3

export class Uploads {
  readonly items = signal<ReadonlyArray<Item>>([])
  readonly #files: SessionFiles
  readonly #onDone: () => void
  readonly #blobs = new Map<string, Blob>()

  constructor(files: SessionFiles, onDone: () => void) {
    this.#files = files
    this.#onDone = onDone
  }

  async add(chosen: ReadonlyArray<Chosen>, folder: string): Promise<void> {
    const added = chosen.map(({ file, relative }): Item => {
      const path = targetOf(folder, relative)
      this.#blobs.set(path, file)
      return { path, size: file.size, state: "waiting" }
    })
    const paths = new Set(added.map(({ path }) => path))
    this.items.value = [...this.items.value.filter(({ path }) => !paths.has(path)), ...added]
    await this.#send([...paths])
  }

  async retry(): Promise<void> {
    await this.#send(this.items.value.filter(({ state }) => state === "failed").map(({ path }) => path))
  }

  clear(): void {
    if (!summaryOf(this.items.value).isOver) return
    this.items.value = []
    this.#blobs.clear()
  }

  async #send(paths: ReadonlyArray<string>): Promise<void> {
    await runAll(paths, AT_ONCE, async (path) => {
      this.#set(path, { state: "sending" })
      try {
        await this.#files.write(path, this.#blobs.get(path) ?? new Blob())
        this.#set(path, { state: "done" })
        this.#blobs.delete(path)
      } catch (error) {
        this.#set(path, { state: "failed", reason: messageOf(error) })
      }
    })
    this.#onDone()
  }

  #set(path: string, change: Pick<Item, "state"> & { readonly reason?: string }): void {
    this.items.value = this.items.value.map((item) =>
      item.path === path ? { path, size: item.size, ...change } : item,
    )
  }
}
