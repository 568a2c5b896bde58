// du as in GNU: the sizes of directories, in blocks of 4 KiB or in bytes.
// Invariant: a directory is printed after its content, and its size includes all of it; links are not followed.
import type { Command } from "just-bash/browser"
import { globMatcher } from "../../syntax/patterns.ts"
import { bytes, type Context, type Options, program, readOptions, UsageError, why } from "../program.ts"

const OPTIONS = {
  flags: "abchkmsSlLPx0",
  values: "dB",
  long: {
    all: "a",
    bytes: "b",
    total: "c",
    "human-readable": "h",
    summarize: "s",
    "max-depth": "d=",
    "block-size": "B=",
    "apparent-size": "apparent",
    null: "0",
    exclude: "exclude=",
  },
}
const BLOCK = 4096
const UNITS: Readonly<Record<string, number>> = { K: 1024, M: 1024 ** 2, G: 1024 ** 3, KB: 1e3, MB: 1e6, GB: 1e9 }

const human = (size: number): string => {
  let [rest, unit] = [size, ""]
  for (const next of ["K", "M", "G"]) {
    if (rest < 1024) break
    ;[rest, unit] = [rest / 1024, next]
  }
  return unit !== "" && rest < 10 ? `${(Math.ceil(rest * 10) / 10).toFixed(1)}${unit}` : `${Math.ceil(rest)}${unit}`
}

/** The number of bytes in one unit of the output. */
const unitOf = (options: Options): number => {
  const size = options.value("B")
  if (size === undefined) return options.has("b") ? 1 : options.has("m") ? (UNITS["M"] ?? 1) : 1024
  const [, count = "", unit = ""] = /^(\d*)(K|M|G|KB|MB|GB|)$/.exec(size) ?? []
  if (size === "" || (count === "" && unit === "")) throw new UsageError(`invalid -B argument '${size}'`)
  return Number(count === "" ? 1 : count) * (UNITS[unit] ?? 1)
}

const depthOf = (options: Options): number => {
  if (options.has("s")) return 0
  const depth = options.value("d")
  if (depth === undefined) return Number.POSITIVE_INFINITY
  if (!/^\d+$/.test(depth)) throw new UsageError(`invalid maximum depth '${depth}'`)
  return Number(depth)
}

class Usage {
  readonly #context: Context
  readonly #options: Options
  readonly #unit: number
  readonly #depth: number
  readonly #excluded: ReadonlyArray<(name: string) => boolean>
  readonly #apparent: boolean
  readonly lines: Array<string> = []

  constructor(context: Context, options: Options) {
    this.#context = context
    this.#options = options
    this.#unit = unitOf(options)
    this.#depth = depthOf(options)
    this.#apparent = options.has("b") || options.has("apparent")
    this.#excluded = options.all("exclude").map((pattern) => globMatcher(pattern, false))
  }

  line(size: number, name: string): void {
    const shown = this.#options.has("h") ? human(size) : String(Math.ceil(size / this.#unit))
    this.lines.push(`${shown}\t${name}${this.#options.has("0") ? "\0" : "\n"}`)
  }

  async size(shown: string, path: string, depth: number): Promise<number> {
    const { executionScope, fs, limits } = this.#context
    executionScope?.consumeLimited("du", 1, limits.maxTraversalEntries, "du")
    if (depth > limits.maxTraversalDepth) throw new UsageError(`${shown} is too deep`)
    const found = await fs.lstat(path)
    const own = found.isDirectory ? BLOCK : found.isSymbolicLink ? 0 : found.size
    let size = this.#apparent ? (found.isDirectory ? BLOCK : found.size) : Math.ceil(own / BLOCK) * BLOCK
    if (found.isDirectory)
      for (const name of await fs.readdir(path)) {
        const inner = shown.endsWith("/") ? `${shown}${name}` : `${shown}/${name}`
        if (this.#excluded.some((matches) => matches(name) || matches(inner))) continue
        size += await this.size(inner, `${path === "/" ? "" : path}/${name}`, depth + 1)
      }
    if (depth <= this.#depth && (found.isDirectory || depth === 0 || this.#options.has("a"))) this.line(size, shown)
    return size
  }
}

export const duProgram: Command = program("du", async (args, context) => {
  const options = readOptions(args, OPTIONS)
  if (options.has("s") && options.has("a")) throw new UsageError("cannot both summarize and show all entries")
  const usage = new Usage(context, options)
  let [stderr, total] = ["", 0]
  for (const name of options.operands.length === 0 ? ["."] : options.operands) {
    try {
      total += await usage.size(name, context.fs.resolvePath(context.cwd, name), 0)
    } catch (error) {
      if (error instanceof UsageError || !/ENOENT|EACCES|ENOTDIR/.test(String(error))) throw error
      stderr += `du: cannot access '${name}': ${why(error)}\n`
    }
  }
  if (options.has("c")) usage.line(total, "total")
  return { ...bytes(usage.lines.join(""), stderr, stderr === "" ? 0 : 1), stdoutKind: "text" as const }
})
