// File name expansions that the interpreter gets wrong: those that match only directories (`*/`), those with `!(…)`, and those with
// `**`, which it takes for `*` at the end of a word and which never match a directory (`src/**`, `**/lib`).
// Receives a command or a `for` whose children are already rewritten; returns it with an array in place of each such word, which
// is filled directly before it.
// Invariant: as in bash, a word that matches nothing stays as it is, or is removed with `nullglob`.
import type { Command } from "just-bash/browser"
import { type Context, program } from "../../programs/program.ts"
import {
  type Filled,
  type Node,
  quoted,
  simple,
  statement,
  text,
  variable,
  withWords,
  wordOf,
} from "../../syntax/nodes.ts"
import type { Reading } from "../arithmetic/arithmetic.ts"
import { partsOf } from "../../syntax/node-fields.ts"
import { globMatcher } from "../../syntax/patterns.ts"

/** True for a word that matches only directories: it ends with a glob and a slash. */
const namesDirectories = (word: unknown): boolean => {
  const parts = partsOf(word)
  const last = parts.at(-1)
  return parts.at(-2)?.["type"] === "Glob" && last?.["type"] === "Literal" && last["value"] === "/"
}

const EXTENDED = /[?*+@!]\(/

/** A pattern that is one `!(…)`. */
const EXCLUSION = /^!\([^()/]*\)$/

/** True for a word with `**`, or with any pattern if `every`. In words with braces or `@(…)`, the interpreter evaluates it. */
const isDeep = (word: unknown, every: boolean): boolean => {
  const globs = partsOf(word).filter(({ type }) => type === "Glob")
  return (
    globs.some(({ pattern }) => every || String(pattern).includes("**")) &&
    !globs.some(({ pattern }) => EXTENDED.test(String(pattern))) &&
    !partsOf(word).some(({ type }) => type === "BraceExpansion")
  )
}

const DIRECTORIES = "perch-directories"
const DEEP = "perch-deep"
/** `perch-deep` receives each part of a word as two arguments: first whether it is a pattern or a plain text, then the part. */
const PATTERN = "pattern"
const TEXT = "text"

const argumentsOf = (part: Node): ReadonlyArray<Node> => {
  const pattern = part["type"] === "Glob" ? part["pattern"] : part["type"] === "Literal" ? part["value"] : null
  if (pattern !== null) return [wordOf(text(PATTERN)), wordOf({ type: "SingleQuoted", value: String(pattern) })]
  const isTilde = part["type"] === "TildeExpansion" || part["type"] === "DoubleQuoted"
  return [wordOf(text(TEXT)), isTilde ? wordOf(part) : quoted(part)]
}

class Globs {
  readonly before: Array<Node> = []
  readonly #reading: Reading

  constructor(reading: Reading) {
    this.#reading = reading
  }

  readonly word = (word: unknown): unknown => {
    const { ignoresCase, refuse } = this.#reading
    const globs = partsOf(word).filter(({ type }) => /^(?:Glob|BraceExpansion)$/.test(String(type)))
    const excludes = globs.some(({ pattern }) => String(pattern).includes("!("))
    if (excludes && !(globs.length === 1 && EXCLUSION.test(String(globs[0]?.["pattern"]))))
      refuse("!(…) next to other patterns in a file name")
    const deep = excludes || isDeep(word, ignoresCase)
    if (!deep && !namesDirectories(word)) return word
    const name = `__perch_directories_${this.before.length}`
    const parts = partsOf(word)
    const words = deep ? parts.flatMap(argumentsOf) : [wordOf(...parts.slice(0, -1))]
    this.before.push(
      statement(simple(null, [], [{ type: "Assignment", name, value: null, append: false, array: [] }])),
      statement(simple(deep ? DEEP : DIRECTORIES, [wordOf(text(name)), ...words])),
    )
    return quoted(variable(`${name}[@]`))
  }
}

/**
 * The command or loop with arrays in place of such words, and the statements that fill them. If `reading` ignores case, these are
 * all words with patterns: the interpreter has no `nocaseglob`.
 */
export const withGlobs = ({ before, node }: Filled, reading: Reading): Filled => {
  const globs = new Globs(reading)
  const copy = withWords(node, globs.word)
  return { before: [...before, ...globs.before], node: copy }
}

export const assignAll = async (context: Context, name: string, values: Iterable<string>) => {
  let at = 0
  for (const value of values) await context.assignShellVariable?.(name, value, String(at++))
  return { stdout: "", stderr: "", exitCode: 0 }
}

const directories = program(DIRECTORIES, async ([name = "", ...found], context) => {
  const kept: Array<string> = []
  for (const path of found) {
    const at = context.fs.resolvePath(context.cwd, path)
    if ((await context.fs.exists(at)) && (await context.fs.stat(at)).isDirectory) kept.push(path)
  }
  const shown = kept.length === 0 ? found : kept
  return assignAll(
    context,
    name,
    shown.map((path) => `${path}/`),
  )
})

/** Matches a character that is special in a pattern. */
const SPECIAL = /(?<!\\)(?:\\\\)*(?:[*?[]|!\()/

const matcherOf = (segment: string, ignoreCase: boolean): ((name: string) => boolean) => {
  const [, before = "", excluded, after = ""] = /^([\s\S]*?)(?<!\\)!\(([^()]*)\)([\s\S]*)$/.exec(segment) ?? []
  if (excluded === undefined) return globMatcher(segment.replace(/\*\*+/g, "*"), ignoreCase)
  // The text around it has no patterns, so that a name has one part that may not match.
  const around = globMatcher(`${before}*${after}`, ignoreCase)
  const others = excluded.split("|").map((one) => globMatcher(before + one + after, ignoreCase))
  return (name) => around(name) && !others.some((matches) => matches(name))
}

/** Expands the segments of a pattern: each has backslashes before the characters that are not special. */
class DeepGlob {
  readonly found = new Set<string>()
  readonly #context: Context
  readonly #segments: ReadonlyArray<string>
  readonly #hidden: boolean
  readonly #recursive: boolean
  readonly #ignoreCase: boolean

  constructor(context: Context, segments: ReadonlyArray<string>) {
    const options = (context.env.get("BASHOPTS") ?? "").split(":")
    this.#context = context
    this.#segments = segments
    this.#hidden = options.includes("dotglob")
    this.#recursive = options.includes("globstar")
    this.#ignoreCase = options.includes("nocaseglob")
  }

  async expand(base: string, at: number): Promise<void> {
    const segment = this.#segments[at] ?? ""
    const isLast = at === this.#segments.length - 1
    if (!SPECIAL.test(segment)) {
      const path = base + segment.replace(/\\([\s\S])/g, "$1")
      if (!isLast) return this.expand(`${path}/`, at + 1)
      if (path !== "" && (segment === "" ? await this.#isDirectory(path) : await this.#exists(path)))
        this.found.add(path)
    } else if (segment === "**" && this.#recursive) {
      // As in bash, `src/**` begins with `src/`, and `s*/**` with `src`.
      const own = this.#segments.slice(0, at).some((before) => SPECIAL.test(before)) ? base.slice(0, -1) : base
      if (isLast && own !== "" && (await this.#isDirectory(own))) this.found.add(own)
      await this.#below(base, at, isLast)
    } else {
      const matches = matcherOf(segment, this.#ignoreCase)
      const names = await this.#names(base, segment.startsWith("."))
      for (const name of names.filter(matches)) await this.#enter(base + name, at, isLast)
    }
  }

  async #enter(path: string, at: number, isLast: boolean): Promise<void> {
    if (isLast) this.found.add(path)
    else if (await this.#isDirectory(path)) await this.expand(`${path}/`, at + 1)
  }

  /** Everything below a directory, but not below the links in it. */
  async #below(base: string, at: number, isLast: boolean): Promise<void> {
    if (!isLast) await this.expand(base, at + 1)
    for (const name of await this.#names(base, false)) {
      if (isLast) this.found.add(base + name)
      const { fs, cwd } = this.#context
      if ((await fs.lstat(fs.resolvePath(cwd, base + name))).isDirectory)
        await this.#below(`${base}${name}/`, at, isLast)
    }
  }

  async #names(base: string, hidden: boolean): Promise<ReadonlyArray<string>> {
    if (!(await this.#isDirectory(base))) return []
    const { fs, cwd } = this.#context
    const names = await fs.readdir(fs.resolvePath(cwd, base === "" ? "." : base))
    return hidden || this.#hidden ? names : names.filter((name) => !name.startsWith("."))
  }

  async #exists(path: string): Promise<boolean> {
    const { fs, cwd } = this.#context
    return fs.lstat(fs.resolvePath(cwd, path)).then(
      () => true,
      () => false,
    )
  }

  async #isDirectory(path: string): Promise<boolean> {
    const { fs, cwd } = this.#context
    const at = fs.resolvePath(cwd, path === "" ? "." : path)
    return (await fs.exists(at)) && (await fs.stat(at)).isDirectory
  }
}

/** The text as a pattern that matches only itself. */
export const escaped = (text: string): string => text.replace(/[*?[\]\\!]/g, "\\$&")

/** The file names that a pattern matches; `plain` if there is none and with `set -f`, or nothing with `nullglob`. */
export const expandedGlob = async (
  pattern: string,
  plain: string,
  context: Context,
): Promise<ReadonlyArray<string>> => {
  if (!SPECIAL.test(pattern) || (context.env.get("SHELLOPTS") ?? "").split(":").includes("noglob")) return [plain]
  const isNull = (context.env.get("BASHOPTS") ?? "").split(":").includes("nullglob")
  const globs = new DeepGlob(context, pattern.split("/"))
  await globs.expand("", 0)
  const found = Array.from(globs.found).sort((a, b) => (a < b ? -1 : 1))
  return found.length > 0 || isNull ? found : [plain]
}

const deep = program(DEEP, async ([name = "", ...words], context) => {
  let [pattern, plain] = ["", ""]
  for (let at = 0; at < words.length; at += 2) {
    const part = words[at + 1] ?? ""
    pattern += words[at] === PATTERN ? part : escaped(part)
    plain += part
  }
  return assignAll(context, name, await expandedGlob(pattern, plain, context))
})

export const GLOB_PROGRAMS: ReadonlyArray<Command> = [directories, deep]
