// Sends files into the workspace, a few at a time, and shows the state of each.
// Invariant: a path gets the file that was added for it last, whole, also when one for it is on its way already.
import { signal } from "@preact/signals"
import type { SessionFiles } from "../../../client/api/session-files.ts"
import { type Item, runAll, summaryOf, targetOf } from "./uploads.ts"

export interface Chosen {
  readonly file: File
  /** Its path below the folder that it is uploaded to. */
  readonly relative: string
}

const AT_ONCE = 3

export class Uploads {
  readonly items = signal<ReadonlyArray<Item>>([])
  readonly #files: Pick<SessionFiles, "write">
  readonly #onDone: () => void
  readonly #messageOf: (error: unknown) => string
  /** What is to be written to each path and has not been yet. */
  readonly #blobs = new Map<string, Blob>()
  /** The requests that are under way, by their paths. */
  readonly #sending = new Map<string, Promise<void>>()

  constructor(files: Pick<SessionFiles, "write">, onDone: () => void, messageOf: (error: unknown) => string) {
    this.#files = files
    this.#onDone = onDone
    this.#messageOf = messageOf
  }

  /** Whether every file has been written. */
  get isDone(): boolean {
    return this.items.peek().every(({ state }) => state === "done")
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
      // A file for this path that was added before.
      for (let earlier = this.#sending.get(path); earlier !== undefined; earlier = this.#sending.get(path))
        await earlier
      const blob = this.#blobs.get(path)
      // It was written meanwhile, in place of one that was added before.
      if (blob === undefined) return
      const sending = this.#write(path, blob)
      this.#sending.set(path, sending)
      await sending
    })
    this.#onDone()
  }

  async #write(path: string, blob: Blob): Promise<void> {
    this.#set(path, { state: "sending" })
    const result = await this.#files.write(path, blob).then(
      () => ({ state: "done" }) as const,
      (error: unknown) => ({ state: "failed", reason: this.#messageOf(error) }) as const,
    )
    this.#sending.delete(path)
    // Another file was added for this path: its state counts.
    if (this.#blobs.get(path) !== blob) return
    if (result.state === "done") this.#blobs.delete(path)
    this.#set(path, result)
  }

  #set(path: string, change: Pick<Item, "state"> & { readonly reason?: string }): void {
    this.items.value = this.items.value.map((item) =>
      item.path === path ? { path, size: item.size, ...change } : item,
    )
  }
}
