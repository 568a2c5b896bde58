// grep, egrep and fgrep as in GNU: searches files, folders and standard input for matching lines.
// Receives options, patterns and names; prints lines, names or counts.
// Invariant: names are printed as given; the paths of files in a folder start with the folder's name.
import type { Command, ExecResult } from "just-bash/browser"
import { globMatcher } from "../syntax/patterns.ts"
import { decode, type Search, searchIn } from "./grep-lines.ts"
import { finderOf, type Meaning } from "./grep-pattern.ts"
import {
  bytes,
  type Context,
  linesOf,
  type Options,
  program,
  type Reading,
  readInput,
  readOptions,
  spendLines,
  spendsReads,
  UsageError,
  why,
} from "./program.ts"

const GREP = {
  flags: "EFGPivywxcloqsnHhrRLbaIzZUT0123456789",
  values: "efmABCdD",
  long: {
    "extended-regexp": "E",
    "fixed-strings": "F",
    "basic-regexp": "G",
    "perl-regexp": "P",
    "ignore-case": "i",
    "no-ignore-case": "cased",
    "invert-match": "v",
    "word-regexp": "w",
    "line-regexp": "x",
    count: "c",
    "files-with-matches": "l",
    "files-without-match": "L",
    "only-matching": "o",
    quiet: "q",
    silent: "q",
    "no-messages": "s",
    "line-number": "n",
    "with-filename": "H",
    "no-filename": "h",
    recursive: "r",
    "dereference-recursive": "R",
    "byte-offset": "b",
    text: "a",
    null: "Z",
    "null-data": "z",
    "line-buffered": "buffered",
    "initial-tab": "T",
    color: "color=",
    colour: "color=",
    regexp: "e=",
    file: "f=",
    "max-count": "m=",
    "after-context": "A=",
    "before-context": "B=",
    context: "C=",
    directories: "d=",
    devices: "D=",
    "binary-files": "binary=",
    label: "label=",
    include: "include=",
    exclude: "exclude=",
    "exclude-dir": "excludeDir=",
  },
}

const countOf = (text: string | undefined, fallback: number, what: string): number => {
  if (text === undefined) return fallback
  if (!/^-?\d+$/.test(text)) throw new UsageError(`${text}: invalid ${what}`)
  return Number(text) < 0 ? Number.POSITIVE_INFINITY : Number(text)
}

/** The files below a folder, in order, with their printed names. */
const below = async (
  folder: string,
  options: Options,
  context: Context,
  seen: (name: string) => Promise<void>,
  depth = 0,
): Promise<void> => {
  const path = context.fs.resolvePath(context.cwd, folder === "" ? "." : folder)
  if (depth > 100) return
  for (const inner of (await context.fs.readdir(path)).toSorted()) {
    context.executionScope?.consumeWork(1, "grep")
    const name = folder === "" || folder.endsWith("/") ? folder + inner : `${folder}/${inner}`
    const place = `${path === "/" ? "" : path}/${inner}`
    const stat = options.has("R")
      ? await context.fs.stat(place).catch(() => null)
      : await context.fs.lstat(place).catch(() => null)
    if (stat?.isDirectory === true) {
      const left = options.all("excludeDir").some((glob) => globMatcher(glob.replace(/\/+$/, ""), false)(inner))
      if (!left) await below(name, options, context, seen, depth + 1)
    } else if (stat?.isFile === true) await seen(name)
  }
}

/** The last matching `--include` or `--exclude` decides; if none matches, a file is skipped if the first option is `--include`. */
const isWanted = (name: string, options: Options): boolean => {
  const base = name.slice(name.lastIndexOf("/") + 1)
  const globs = options.given.filter(([kind]) => kind === "include" || kind === "exclude")
  const fits = globs.findLast(([, glob]) => {
    const matches = globMatcher(glob ?? "", false)
    return matches(base) || matches(name)
  })
  return fits === undefined ? globs[0]?.[0] !== "include" : fits[0] === "include"
}

/** The patterns of `-e` and `-f`; without these options, the first operand, which is then removed from `operands`. */
const patternsOf = async (
  options: Options,
  operands: Array<string>,
  context: Context,
): Promise<ReadonlyArray<string>> => {
  const patterns: Array<string> = options.all("e").flatMap((text) => text.split("\n"))
  for (const name of options.all("f")) {
    try {
      patterns.push(...linesOf(decode(await readInput(context, name))))
    } catch (error) {
      throw new UsageError(`${name}: ${why(error)}`)
    }
  }
  if (options.given.some(([name]) => name === "e" || name === "f")) return patterns
  const first = operands.shift()
  if (first === undefined) throw new UsageError("no pattern was given\nUsage: grep [OPTION]... PATTERNS [FILE]...")
  return first.split("\n")
}

/** How each file is searched and its lines are shown, without what depends on the patterns and operands. */
const searchOf = (options: Options, context: Context): Omit<Search, "find" | "named"> => {
  const digits = options.given.map(([name]) => (/^\d$/.test(name) ? name : "")).join("")
  const around = options.value("C") ?? (digits === "" ? undefined : digits)
  const near = countOf(around, 0, "context length argument")
  return {
    options,
    end: options.has("z") ? "\0" : "\n",
    before: countOf(options.value("B"), near, "context length argument"),
    after: countOf(options.value("A"), near, "context length argument"),
    most: countOf(options.value("m"), Number.POSITIVE_INFINITY, "max count"),
    spendLines: (lines) => spendLines(context, "grep", lines),
  }
}

/** How the patterns are read, from the options. */
const meaningOf = (options: Options, dialect: Meaning["dialect"]): Meaning => {
  const cased = options.given.findLast(([name]) => /^(?:i|y|cased)$/.test(name))?.[0]
  return {
    dialect,
    ignoreCase: cased === "i" || cased === "y",
    whole: options.has("x") ? "line" : options.has("w") ? "word" : null,
  }
}

const run = async (options: Options, dialect: Meaning["dialect"], context: Context): Promise<ExecResult> => {
  const operands = [...options.operands]
  const patterns = await patternsOf(options, operands, context)
  const directories = options.value("d")
  const deep = options.has("r") || options.has("R") || directories === "recurse"
  const isFolder = async (name: string): Promise<boolean> => {
    const path = context.fs.resolvePath(context.cwd, name === "" && operands.length === 0 ? "." : name)
    return name !== "-" && (await context.fs.stat(path).catch(() => null))?.isDirectory === true
  }
  const naming = options.given.findLast(([name]) => name === "H" || name === "h")?.[0]
  const search: Search = {
    ...searchOf(options, context),
    find: finderOf(patterns, meaningOf(options, dialect), spendsReads(context, "grep")),
    named: naming === undefined ? operands.length > 1 || (deep && (await isFolder(operands[0] ?? ""))) : naming === "H",
  }
  let [stderr, selected, size] = ["", false, 0]
  let read: Pick<Reading, "internalStdinConsumed"> = {}
  const shown: Array<string> = []
  const apart = search.before + search.after > 0 && !options.given.some(([name]) => "clLoq".includes(name))
  const failed = (name: string, reason: string): void => {
    stderr += `grep: ${name}: ${reason}\n`
  }
  const inFile = async (name: string): Promise<void> => {
    if (options.has("q") && selected) return
    try {
      const label = name === "-" ? (options.value("label") ?? "(standard input)") : Buffer.from(name).toString("latin1")
      const found = searchIn(await readInput(context, name), label, search)
      const { text } = found
      if (name === "-" && found.read !== undefined) read = { internalStdinConsumed: found.read }
      if (apart && text !== "" && shown.length > 0)
        shown.push(options.value("color") === "always" ? "\x1b[36m\x1b[K--\x1b[m\x1b[K\n" : "--\n")
      if (text !== "") shown.push(text)
      size += text.length
      if (size > context.limits.maxOutputSize) throw new UsageError("the output is too long")
      selected ||= found.selected
    } catch (error) {
      if (error instanceof UsageError) throw error
      failed(name, why(error))
    }
  }
  const names = operands.length > 0 ? operands : deep ? [""] : ["-"]
  for (const name of names) {
    const folder = await isFolder(name)
    if (folder && deep) {
      const wanted = async (file: string) => (isWanted(file, options) ? inFile(file) : undefined)
      await below(name.replace(/\/+$/, "/"), options, context, wanted)
    } else if (folder && directories !== "skip") failed(name, "Is a directory")
    else if (!folder && isWanted(name, options)) await inFile(name)
  }
  const exitCode = stderr !== "" && !(options.has("q") && selected) ? 2 : selected ? 0 : 1
  return { ...bytes(shown.join(""), options.has("s") ? "" : stderr, exitCode), ...read }
}

const DIALECTS = { E: "extended", F: "fixed", G: "basic", P: "perl" } as const

const grep = (name: string, dialect: Meaning["dialect"]): Command =>
  program(
    name,
    async (args, context) => {
      const options = readOptions(
        args.map((arg) => (/^--colou?r$/.test(arg) ? `${arg}=auto` : arg)),
        GREP,
      )
      const color = options.value("color")
      if (color !== undefined && !/^(?:always|auto|never)$/.test(color))
        throw new UsageError(`invalid argument '${color}' for '--color': always, auto or never`)
      const chosen = options.given.findLast(([letter]) => Object.hasOwn(DIALECTS, letter))?.[0]
      // `chosen` is one of the four names of dialects.
      return run(options, chosen === undefined ? dialect : DIALECTS[chosen as keyof typeof DIALECTS], context)
    },
    2,
  )

export const GREP_PROGRAMS: ReadonlyArray<Command> = [
  grep("grep", "basic"),
  grep("egrep", "extended"),
  grep("fgrep", "fixed"),
]
