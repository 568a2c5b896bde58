// The traversal of find: visits a path and everything below it, and evaluates the expression for each entry.
// Invariant: a directory is visited before its content (with -depth and -delete after it), in the order of names.
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

/** The entry at a path; links are followed if the settings require it, and in a starting point that ends with a slash. */
const foundAt = async (context: Context, follow: boolean, at: Pick<Found, "shown" | "path" | "depth" | "start">) => {
  const { fs } = context
  const own = await fs.lstat(at.path)
  const stat =
    own.isSymbolicLink && (follow || /\/$/.test(at.shown)) && (await fs.exists(at.path)) ? await fs.stat(at.path) : own
  const kind = stat.isSymbolicLink ? "l" : stat.isDirectory ? "d" : "f"
  // A link to one of its own ancestors is not followed, so that the walk ends.
  const loops = own.isSymbolicLink && at.path.startsWith(`${await fs.realpath(at.path).catch(() => at.path)}/`)
  const found: Found = { ...at, kind, mode: stat.mode, size: stat.size, mtime: stat.mtime.getTime() }
  return { found, loops }
}

/** Visits a path and everything below it, and evaluates the expression for each entry. */
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

  /** Reports a directory that is too deep to be visited, so that the result is not mistaken for complete. */
  #leaveOut(shown: string, most: number): void {
    this.#walk.out.errors += `find: '${shown}': what is below is more than ${most} directories deep and was left out\n`
    this.#walk.out.exitCode = 1
  }

  async #judge(found: Found): Promise<void> {
    if (found.depth < this.#settings.minDepth || this.#walk.stopped) return
    if ((await this.#test(found)) && !this.#settings.acts) this.#walk.out.text += `${found.shown}\n`
  }
}
