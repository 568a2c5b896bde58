// cp and mv as in GNU: adds options that the shell's own programs lack, and corrects their differences.
// Invariant: nothing is copied into a directory that does not exist.
import { bytes, type Context, readInput } from "../programs/program.ts"
import type { Correct } from "./correction.ts"

const isDirectory = async (name: string, { fs, cwd }: Context): Promise<boolean> =>
  (await fs.stat(fs.resolvePath(cwd, name)).catch(() => null))?.isDirectory === true

const parentOf = (name: string): string => {
  const trimmed = name.replace(/\/+$/, "")
  return trimmed.includes("/") ? trimmed.slice(0, trimmed.lastIndexOf("/")) || "/" : "."
}

interface Named {
  readonly options: ReadonlyArray<string>
  readonly operands: ReadonlyArray<string>
  readonly target: string | undefined
}

/** Separates options and operands. `-t DIRECTORY` becomes the last operand; `-f` is dropped, since files are always replaced. */
const named = (args: ReadonlyArray<string>): Named => {
  const options: Array<string> = []
  const operands: Array<string> = []
  let target: string | undefined
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    const directory = /^--target-directory=([\s\S]+)$/.exec(arg)?.[1]
    if (arg === "--") {
      operands.push(...args.slice(at + 1))
      break
    }
    if (directory !== undefined) target = directory
    else if (arg === "--target-directory") target = args[(at += 1)]
    else if (arg === "--force") continue
    else if (arg === "--no-target-directory") options.push("-T")
    else if (!arg.startsWith("-") || arg === "-") operands.push(arg)
    else if (arg.startsWith("--")) options.push(arg)
    else {
      const [, before = "", inline] = /^(-[a-zA-Z]*?)t([\s\S]*)$/.exec(arg) ?? []
      if (inline !== undefined) target = inline === "" ? args[(at += 1)] : inline
      const rest = (inline === undefined ? arg : before).replaceAll("f", "")
      if (rest !== "-" && rest !== "") options.push(rest)
    }
  }
  return { options, operands: target === undefined ? operands : [...operands, target], target }
}

const baseOf = (name: string): string => {
  const trimmed = name.replace(/\/+$/, "")
  return trimmed.slice(trimmed.lastIndexOf("/") + 1)
}

/** The sources that `-u` copies: those that are newer than their targets, or have no target. */
const newer = async (sources: ReadonlyArray<string>, target: string, into: boolean, { fs, cwd }: Context) => {
  const kept: Array<string> = []
  for (const source of sources) {
    const place = into ? `${target}/${baseOf(source)}` : target
    const [from, to] = await Promise.all(
      [source, place].map((name) => fs.stat(fs.resolvePath(cwd, name)).catch(() => null)),
    )
    if (from === null || from === undefined || !from.isFile || to === null || to === undefined) kept.push(source)
    else if (from.mtime.getTime() > to.mtime.getTime()) kept.push(source)
  }
  return kept
}

const has = (options: ReadonlyArray<string>, letter: string, long: string): boolean =>
  options.some((option) => option === long || (!option.startsWith("--") && option.includes(letter)))

const without = (options: ReadonlyArray<string>, letters: RegExp): ReadonlyArray<string> =>
  options.flatMap((option) => {
    if (option.startsWith("--")) return option === "--update" ? [] : [option]
    const rest = option.replace(letters, "")
    return rest === "-" ? [] : [rest]
  })

const DEVICE = /^\/dev\/(?:null|stdin|fd\/\d+)$/

/** `cp /dev/null f`, `cp /dev/stdin f`: writes what these devices contain to the target; returns the sources that are files. */
const withoutDevices = async (
  sources: ReadonlyArray<string>,
  target: string,
  into: boolean,
  context: Context,
): Promise<ReadonlyArray<string>> => {
  const { fs, cwd } = context
  for (const device of sources.filter((source) => DEVICE.test(source))) {
    const content = Buffer.from(await readInput(context, device), "latin1")
    await fs.writeFile(fs.resolvePath(cwd, into ? `${target}/${baseOf(device)}` : target), content)
  }
  return sources.filter((source) => !DEVICE.test(source))
}

/** The error if the last operand can't be a target; null if it can. */
const refusal = async (name: string, { operands, target }: Named, into: boolean, context: Context) => {
  const last = operands.at(-1) ?? ""
  const fs = context.fs
  if (into) return null
  if (target !== undefined || operands.length > 2) {
    const exists = await fs.exists(fs.resolvePath(context.cwd, last))
    return `${name}: target '${last}': ${exists ? "Not a directory" : "No such file or directory"}\n`
  }
  const verb = name === "cp" ? "create regular file" : "move to"
  const source = operands[0] ?? ""
  if (last.endsWith("/") && !(await isDirectory(source, context)))
    return `${name}: cannot ${verb} '${last}': Not a directory\n`
  if (await isDirectory(parentOf(last), context)) return null
  return `${name}: cannot ${verb} '${last}': No such file or directory\n`
}

/** Corrects the options and targets of cp or mv; `correct` then applies the program's other corrections. */
export const placed =
  (name: "cp" | "mv", correct: Correct): Correct =>
  async (args, original, context) => {
    const given = named(args)
    const { options, operands } = given
    const last = operands.at(-1)
    if (last === undefined || operands.length < 2) return original([...args])
    const into = !has(options, "T", "-T") && (await isDirectory(last, context))
    const refused = await refusal(name, given, into, context)
    if (refused !== null) return bytes("", refused, 1)
    const sources = operands.slice(0, -1)
    const newest = has(options, "u", "--update") ? await newer(sources, last, into, context) : sources
    const kept = name === "cp" ? await withoutDevices(newest, last, into, context) : newest
    if (kept.length === 0) return bytes("")
    const letters = without(options, name === "cp" ? /u/g : /[uT]/g)
    // With `-T`, a directory is copied to an existing one instead of into it.
    const merges = name === "cp" && has(options, "T", "-T") && (await isDirectory(last, context))
    const copied = merges ? kept.map((source) => `${source}/.`) : kept
    const names = [...copied, last].map((one) => (one.startsWith("-") ? `./${one}` : one))
    const result = await correct([...letters, ...names], original, context)
    const { fs, cwd } = context
    if (name === "cp" && result.exitCode === 0 && options.some((option) => KEEPS_TIMES.test(option)))
      for (const source of kept)
        await keepTimes(
          fs.resolvePath(cwd, source),
          fs.resolvePath(cwd, into ? `${last}/${baseOf(source)}` : last),
          context,
        )
    return has(letters, "v", "--verbose") ? shown(result, context) : result
  }

const KEEPS_TIMES = /^-[a-zA-Z]*[pa]|^--(?:archive|preserve)$|^--preserve=.*\b(?:timestamps|all)/

/** Gives a copy, and everything below it, the times of its original. */
const keepTimes = async (from: string, to: string, context: Context): Promise<void> => {
  const { fs, executionScope } = context
  executionScope?.consumeWork(1, "cp")
  if ((await fs.lstat(to)).isSymbolicLink) return
  const { isDirectory, mtime } = await fs.stat(from)
  if (isDirectory)
    for (const name of await fs.readdir(from)) await keepTimes(`${from}/${name}`, `${to}/${name}`, context)
  await fs.utimes(to, mtime, mtime)
}

/** With `-v`, prints names as they were given. */
const shown = <Result extends { readonly stdout: string }>(result: Result, { cwd }: Context): Result => ({
  ...result,
  stdout: result.stdout.replaceAll(`'${cwd === "/" ? "" : cwd}/`, "'"),
})
