// What find walks through: a path and all below it, each judged by a test.
// Invariant: a directory is visited before what is in it (after it under -depth and -delete), in the order of names.
import type { Found, Test } from "./find-tests.ts"
import type { Context } from "./program.ts"

export interface Walk {
  readonly out: { text: string; errors: string; exitCode: number }
  stopped: boolean
  pruned: boolean
  readonly batches: Array<{ readonly words: ReadonlyArray<string>; readonly names: Array<string> }>
}

export interface Settings {
  minDepth: number
  maxDepth: number
  depthFirst: boolean
  follow: boolean
  acts: boolean
  extended: boolean
}

/** What the walk finds at a path; a link is followed where the settings say so. */
const foundAt = async (context: Context, follow: boolean, at: Pick<Found, "shown" | "path" | "depth" | "start">) => {
  const { fs } = context
  const own = await fs.lstat(at.path)
  const stat = own.isSymbolicLink && follow && (await fs.exists(at.path)) ? await fs.stat(at.path) : own
  const kind = stat.isSymbolicLink ? "l" : stat.isDirectory ? "d" : "f"
  // A link that leads back up is gone into once at most.
  const loops = own.isSymbolicLink && at.path.startsWith(`${await fs.realpath(at.path).catch(() => at.path)}/`)
  const found: Found = { ...at, kind, mode: stat.mode, size: stat.size, mtime: stat.mtime.getTime() }
  return { found, loops }
}

/** Visits a path and all below it, and asks the test about each. */
export class Visitor {
  readonly #context: Context
  readonly #walk: Walk
  readonly #settings: Settings
  readonly #test: Test

  constructor(context: Context, walk: Walk, settings: Settings, test: Test) {
    this.#context = context
    this.#walk = walk
    this.#settings = settings
    this.#test = test
  }

  async visit(shown: string, path: string, depth: number, start: string): Promise<void> {
    if (this.#walk.stopped) return
    const { executionScope, fs, limits } = this.#context
    const { depthFirst, follow, maxDepth } = this.#settings
    executionScope?.consumeLimited("find", 1, limits.maxTraversalEntries, "find")
    const { found, loops } = await foundAt(this.#context, follow, { shown, path, depth, start })
    this.#walk.pruned = false
    if (!depthFirst) await this.#judge(found)
    const skipped = this.#walk.pruned || depth >= maxDepth
    if (found.kind === "d" && !skipped && !loops) {
      const names = await fs.readdir(path)
      const tooDeep = names.length > 0 && depth >= limits.maxTraversalDepth
      if (tooDeep) this.#leaveOut(shown, limits.maxTraversalDepth)
      for (const name of tooDeep ? [] : names) {
        const inner = shown.endsWith("/") ? `${shown}${name}` : `${shown}/${name}`
        await this.visit(inner, `${path === "/" ? "" : path}/${name}`, depth + 1, start)
      }
    }
    if (depthFirst) await this.#judge(found)
  }

  /** What is too deep to be visited is named, so that what was found is not taken for all that there is. */
  #leaveOut(shown: string, most: number): void {
    this.#walk.out.errors += `find: '${shown}': what is below is more than ${most} directories deep and was left out\n`
    this.#walk.out.exitCode = 1
  }

  async #judge(found: Found): Promise<void> {
    if (found.depth < this.#settings.minDepth || this.#walk.stopped) return
    if ((await this.#test(found)) && !this.#settings.acts) this.#walk.out.text += `${found.shown}\n`
  }
}
