// The items of an upload and their states; a few are uploaded at a time.
// Invariant: a failed file is listed with its reason and can be retried; the others continue.

export interface Item {
  /** The absolute target path. */
  readonly path: string
  readonly size: number
  readonly state: "waiting" | "sending" | "done" | "failed"
  readonly reason?: string
}

export interface Summary {
  readonly files: number
  readonly done: number
  readonly failed: number
  readonly bytes: number
  readonly doneBytes: number
  readonly isOver: boolean
}

export const summaryOf = (items: ReadonlyArray<Item>): Summary => {
  const done = items.filter(({ state }) => state === "done")
  const failed = items.filter(({ state }) => state === "failed").length
  const sizeOf = (list: ReadonlyArray<Item>) => list.reduce((sum, { size }) => sum + size, 0)
  return {
    files: items.length,
    done: done.length,
    failed,
    bytes: sizeOf(items),
    doneBytes: sizeOf(done),
    isOver: done.length + failed === items.length,
  }
}

/** The target path of a dropped or chosen file: below `folder`, including the folders of its relative path. */
export const targetOf = (folder: string, relative: string): string =>
  `${folder === "/" ? "" : folder}/${relative
    .split(/[/\\]/)
    .filter((name) => name !== "" && name !== "." && name !== "..")
    .join("/")}`

/** Returns a function that runs jobs in the order of its calls, at most `atOnce` at the same time over all calls. */
export const jobRunner = (atOnce: number) => {
  const waiting: Array<() => Promise<void>> = []
  let workers = 0
  const work = async () => {
    workers += 1
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await job()
    workers -= 1
  }
  /** Resolves when these jobs have ended; rejects with the error of the first one that fails. */
  return async <A>(jobs: ReadonlyArray<A>, run: (job: A) => Promise<void>): Promise<void> => {
    const ended = jobs.map((job) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.push(() => run(job).then(resolve, reject))
      return promise
    })
    while (workers < atOnce && waiting.length > 0) void work()
    await Promise.all(ended)
  }
}
