// Files on their way into the workspace: a few at a time, each with its own outcome.
// Invariant: a file that fails is listed with its reason and can be sent again; the others go on.

export interface Item {
  /** Where it goes, absolute. */
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

/** Where a dropped or chosen file goes: below the folder, with the folders that it came in. */
export const targetOf = (folder: string, relative: string): string =>
  `${folder === "/" ? "" : folder}/${relative
    .split(/[/\\]/)
    .filter((name) => name !== "" && name !== "." && name !== "..")
    .join("/")}`

/** Runs the jobs, at most so many at once, to their ends. */
export const runAll = async <A>(jobs: ReadonlyArray<A>, atOnce: number, run: (job: A) => Promise<void>) => {
  const waiting = [...jobs]
  const worker = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await run(job)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, worker))
}
