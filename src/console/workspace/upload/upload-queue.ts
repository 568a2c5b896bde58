// Uploads files to the workspace, a few at a time, and tracks the state of each.
// Invariant: each path ends up with the complete file that was added last, even if another upload for it is running.
import { signal } from "@preact/signals"
import type { SessionFiles } from "../../../client/api/session-files.ts"
import { type Item, jobRunner, summaryOf, targetOf } from "./uploads.ts"

export interface Chosen {
  readonly size: number
  /** Rejects if the browser can't read it. */
  readonly read: () => Promise<Blob>
  /** Its path relative to the target folder. */
  readonly relative: string
}

const AT_ONCE = 3

export class Uploads {
  readonly items = signal<ReadonlyArray<Item>>([])
  readonly #files: Pick<SessionFiles, "write">
  readonly #onDone: () => void
  readonly #messageOf: (error: unknown) => string
  readonly #run = jobRunner(AT_ONCE)
  /** The file for each path that is not written yet. */
  readonly #chosen = new Map<string, Chosen>()
  /** The running requests, by path. */
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
    const added = chosen.map((file): Item => {
      const path = targetOf(folder, file.relative)
      this.#chosen.set(path, file)
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
    this.#chosen.clear()
  }

  async #send(paths: ReadonlyArray<string>): Promise<void> {
    await this.#run(paths, async (path) => {
      // Waits for an earlier upload to the same path.
      for (let earlier = this.#sending.get(path); earlier !== undefined; earlier = this.#sending.get(path))
        await earlier
      const file = this.#chosen.get(path)
      // The content was already written by another upload to this path.
      if (file === undefined) return
      const sending = this.#write(path, file)
      this.#sending.set(path, sending)
      await sending
    })
    this.#onDone()
  }

  async #write(path: string, file: Chosen): Promise<void> {
    this.#set(path, { state: "sending" })
    const failed = (reason: string) => ({ state: "failed", reason }) as const
    const result = await file.read().then(
      (content) =>
        this.#files.write(path, content).then(
          () => ({ state: "done" }) as const,
          (error: unknown) => failed(this.#messageOf(error)),
        ),
      (error: unknown) => failed(`The browser could not read it. ${this.#messageOf(error)}`),
    )
    this.#sending.delete(path)
    // Another file was added for this path, so this result is outdated.
    if (this.#chosen.get(path) !== file) return
    if (result.state === "done") this.#chosen.delete(path)
    this.#set(path, result)
  }

  #set(path: string, change: Pick<Item, "state"> & { readonly reason?: string }): void {
    this.items.value = this.items.value.map((item) =>
      item.path === path ? { path, size: item.size, ...change } : item,
    )
  }
}
