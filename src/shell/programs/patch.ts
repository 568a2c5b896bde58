// patch as in GNU: applies unified patches of one or more files, reverses them, or only tests them (--dry-run).
// Receives a patch from a file or from standard input; changes the files that it names, or the given file.
// Invariant: if a hunk does not apply, its file is not changed.
import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from "diff"
import {
  bytes,
  type Context,
  type Options,
  program,
  readInput,
  readOptions,
  spendLines,
  UsageError,
  why,
} from "./program.ts"

const OPTIONS = {
  flags: "uRsNEftbl",
  values: "pidFo",
  long: {
    strip: "p=",
    input: "i=",
    directory: "d=",
    fuzz: "F=",
    output: "o=",
    unified: "u",
    reverse: "R",
    silent: "s",
    quiet: "s",
    forward: "N",
    force: "f",
    batch: "t",
    backup: "b",
    "remove-empty-files": "E",
    "dry-run": "dry",
    "no-backup-if-mismatch": "f",
  },
}

const MAX_FUZZ = 2
const NOTHING = "/dev/null"

const stripped = (name: string, count: number | null): string => {
  const parts = name.replace(/\t.*$/, "").split("/")
  return count === null ? (parts.at(-1) ?? "") : parts.slice(Math.min(count, parts.length - 1)).join("/")
}

const reversed = (patch: StructuredPatch): StructuredPatch => reversePatch(patch)

/** The text of a file that a hunk creates. */
const added = (lines: ReadonlyArray<string>): string => {
  const text = lines.flatMap((line) => (line.startsWith("+") ? [`${line.slice(1)}\n`] : [])).join("")
  return lines.at(-1)?.startsWith("\\") === true ? text.slice(0, -1) : text
}

class Patching {
  readonly #context: Context
  readonly #options: Options
  readonly #cwd: string
  stdout = ""
  exitCode = 0

  constructor(context: Context, options: Options) {
    this.#context = context
    this.#options = options
    const directory = options.value("d")
    this.#cwd = directory === undefined ? context.cwd : context.fs.resolvePath(context.cwd, directory)
  }

  #path(name: string): string {
    return this.#context.fs.resolvePath(this.#cwd, name)
  }

  /** The name of the file that a patch changes. */
  async #target({ oldFileName = "", newFileName = "" }: StructuredPatch): Promise<string> {
    const [given] = this.#options.operands
    if (given !== undefined) return given
    const text = this.#options.value("p")
    const count = text === undefined ? null : Number(text)
    if (count !== null && !(count >= 0)) throw new UsageError(`strip count ${text} is not a number`)
    const names = [oldFileName, newFileName].filter((name) => name !== "" && !name.startsWith(NOTHING))
    const found = names.map((name) => stripped(name, count))
    // As in GNU: a patch must not reach outside of the directory where it is applied.
    const inside = found.filter((name) => !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(name))
    if (inside.length === 0 && found[0] !== undefined)
      throw new UsageError(`**** the file name ${found[0]} leaves the directory: name the file instead`)
    for (const name of inside) if (await this.#context.fs.exists(this.#path(name))) return name
    return inside.at(-1) ?? ""
  }

  async apply(given: StructuredPatch): Promise<void> {
    const { fs } = this.#context
    const patch = this.#options.has("R") ? reversed(given) : given
    const name = await this.#target(given)
    if (name === "") throw new UsageError("**** the patch names no file")
    const path = this.#path(name)
    const [only, more] = patch.hunks
    const whole = more === undefined
    const creates = (patch.oldFileName ?? "").startsWith(NOTHING) || (whole && only?.oldLines === 0)
    const removes = (patch.newFileName ?? "").startsWith(NOTHING) || (whole && only?.newLines === 0)
    const exists = await fs.exists(path)
    const dry = this.#options.has("dry")
    if (!exists && !creates) return this.#fail(`can't find file to patch: ${name}`)
    const before = exists ? Buffer.from(await fs.readFileBuffer(path)).toString("latin1") : ""
    if (creates && before !== "")
      return this.#fail(`the patch would create ${name}, which exists already: it is left as it is`)
    spendLines(this.#context, "patch", before.split("\n").length * Math.max(1, Math.ceil(patch.hunks.length / 100)))
    if (!this.#options.has("s")) this.stdout += `${dry ? "checking" : "patching"} file ${name}\n`
    const fuzzFactor = Math.min(Number(this.#options.value("F") ?? MAX_FUZZ), MAX_FUZZ)
    const after =
      before === "" && only?.oldLines === 0
        ? added(only.lines)
        : applyPatch(before, patch, { fuzzFactor, autoConvertLineEndings: false })
    if (after === false) {
      const done = applyPatch(before, reversed(patch), { autoConvertLineEndings: false }) !== false
      const reason = done ? "Reversed (or previously applied) patch detected" : "a hunk FAILED"
      return this.#fail(`${reason}: ${name} is left as it is`)
    }
    if (dry) return
    const output = this.#options.value("o")
    if (this.#options.has("b") && exists) await fs.writeFile(`${path}.orig`, Buffer.from(before, "latin1"))
    const empties = after === "" && (removes || this.#options.has("E")) && output === undefined
    if (empties) await this.#remove(path)
    else await this.#write(output === undefined ? path : this.#path(output), after)
  }

  /** Removes a file, and the directories that are empty without it. */
  async #remove(path: string): Promise<void> {
    const { fs } = this.#context
    await fs.rm(path, { force: true })
    const parent = path.slice(0, path.lastIndexOf("/"))
    if (parent.startsWith(`${this.#cwd}/`) && (await fs.readdir(parent)).length === 0) await this.#remove(parent)
  }

  async #write(path: string, text: string): Promise<void> {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/"
    if (!(await this.#context.fs.exists(parent))) await this.#context.fs.mkdir(parent, { recursive: true })
    await this.#context.fs.writeFile(path, Buffer.from(text, "latin1"))
  }

  #fail(message: string): void {
    this.stdout += `patch: ${message}\n`
    this.exitCode = 1
  }
}

const patchesIn = (text: string): ReadonlyArray<StructuredPatch> => {
  try {
    return parsePatch(text).filter(({ hunks }) => hunks.length > 0)
  } catch (error) {
    throw new UsageError(`**** malformed patch: ${why(error)}`)
  }
}

export const patchProgram = program(
  "patch",
  async (args, context) => {
    const options = readOptions(args, OPTIONS)
    const input = options.value("i") ?? options.operands[1] ?? "-"
    const text = await readInput(context, input).catch((error: unknown) => {
      throw new UsageError(`**** Can't open patch file ${input} : ${why(error)}`)
    })
    const patches = patchesIn(text)
    if (patches.length === 0) throw new UsageError("**** Only garbage was found in the patch input.")
    const patching = new Patching(context, options)
    for (const patch of patches) await patching.apply(patch)
    return bytes(patching.stdout, "", patching.exitCode)
  },
  2,
)
