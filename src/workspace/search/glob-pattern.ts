// Receives a glob as ripgrep takes it; returns a test of relative paths.
// Invariant: matching takes linear time whatever the pattern, so globs become RE2 expressions and never a RegExp.
import { RE2JS } from "re2js"

const MAX_PATTERN = 1024
const MAX_BRACES = 200

/** A glob that can't be used; `message` has the reason. */
export class GlobError extends Error {
  override readonly name = "GlobError"
}

/** The character class `[…]` at `start`, as RE2 source, and the index of its end; null when it is not closed. */
const classAt = (glob: string, start: number): readonly [source: string, end: number] | null => {
  let index = start + 1
  const negated = glob[index] === "!" || glob[index] === "^"
  if (negated) index += 1
  let body = ""
  for (let first = true; index < glob.length; first = false, index += 1) {
    const character = glob[index]!
    if (character === "]" && !first) return [negated ? `[^/${body}]` : `[${body}]`, index]
    if (character === "/") return null
    if (character === "\\" && index + 1 < glob.length) {
      index += 1
      body += glob[index] === "-" ? "\\-" : RE2JS.quote(glob[index]!)
    } else body += RE2JS.quote(character)
  }
  return null
}

/** Index of the brace that closes the one at `start`, or -1. */
const closing = (glob: string, start: number): number => {
  let depth = 0
  for (let index = start; index < glob.length; index += 1) {
    if (glob[index] === "\\") index += 1
    else if (glob[index] === "{") depth += 1
    else if (glob[index] === "}") depth -= 1
    if (depth === 0) return index
  }
  return -1
}

/** Throws GlobError for a glob with an unbalanced bracket or brace, as ripgrep does: it would not match what was meant. */
export const checkGlob = (glob: string): void => {
  let depth = 0
  for (let index = 0; index < glob.length; index += 1) {
    const character = glob[index]
    if (character === "\\") index += 1
    else if (character === "[") {
      index = classEnd(glob, index)
      if (index === -1) throw unpaired(glob, "[", "]")
    } else if (character === "{") depth += 1
    else if (character === "}") depth -= 1
    if (depth < 0) throw unpaired(glob, "}", "{")
  }
  if (depth > 0) throw unpaired(glob, "{", "}")
}

const unpaired = (glob: string, one: string, other: string): GlobError =>
  new GlobError(
    `glob ${JSON.stringify(glob)} has a ${one} without its ${other}; to find a name with it, write \\${one}`,
  )

/** Index of the bracket that closes the class at `start`, or -1. */
const classEnd = (glob: string, start: number): number => {
  const first = start + (glob[start + 1] === "!" || glob[start + 1] === "^" ? 2 : 1)
  for (let index = first; index < glob.length; index += 1) {
    if (glob[index] === "\\") index += 1
    else if (glob[index] === "]" && index > first) return index
  }
  return -1
}

const translate = (glob: string): string => {
  let source = ""
  const open: Array<number> = []
  let braces = 0
  for (let index = 0; index < glob.length; index += 1) {
    const character = glob[index]!
    if (character === "*") {
      const before = index === 0 || glob[index - 1] === "/"
      let end = index
      while (glob[end + 1] === "*") end += 1
      if (end > index && before && glob[end + 1] === "/") {
        source += "(?:[^/]+/)*"
        index = end + 1
      } else {
        source += end > index && before && end + 1 === glob.length ? ".*" : "[^/]*"
        index = end
      }
    } else if (character === "?") source += "[^/]"
    else if (character === "[") {
      const found = classAt(glob, index)
      if (found === null) source += "\\["
      else [source, index] = [source + found[0], found[1]]
    } else if (character === "{" && closing(glob, index) !== -1) {
      braces += 1
      if (braces > MAX_BRACES) throw new GlobError(`glob has more than ${MAX_BRACES} braces`)
      open.push(closing(glob, index))
      source += "(?:"
    } else if (character === "}" && open.at(-1) === index) {
      open.pop()
      source += ")"
    } else if (character === "," && open.length > 0) source += "|"
    else if (character === "\\" && index + 1 < glob.length) {
      index += 1
      source += RE2JS.quote(glob[index]!)
    } else source += RE2JS.quote(character)
  }
  return source
}

const MAX_KEPT = 200

/** Recently compiled globs: permission rules use the same ones for every call. */
const kept = new Map<string, (path: string) => boolean>()

/**
 * Compiles a glob for paths relative to the searched directory. As ripgrep: without a slash it matches names at any
 * depth, with one it is anchored; `*` stops at "/", `**` does not; names that begin with a dot match like any other.
 */
export const compileGlob = (glob: string): ((path: string) => boolean) => {
  const known = kept.get(glob)
  if (known !== undefined) return known
  const [oldest] = kept.keys()
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest)
  const matches = compile(glob)
  kept.set(glob, matches)
  return matches
}

const compile = (glob: string): ((path: string) => boolean) => {
  if (glob.length > MAX_PATTERN) throw new GlobError(`glob is longer than ${MAX_PATTERN} characters`)
  let pattern = glob
  while (pattern.startsWith("./")) pattern = pattern.slice(2)
  const anchored = pattern.replace(/\/$/, "").includes("/")
  if (pattern.startsWith("/")) pattern = pattern.slice(1)
  if (pattern.endsWith("/")) pattern += "**"
  try {
    const compiled = RE2JS.compile(`^${anchored ? "" : "(?:.*/)?"}${translate(pattern)}$`, RE2JS.DOTALL)
    return (path) => compiled.test(path)
  } catch (error) {
    if (error instanceof GlobError) throw error
    throw new GlobError("glob is not valid")
  }
}

/** Several globs, as repeated `--glob` options: `!` excludes, and the last glob that matches decides. */
export const compileGlobs = (globs: ReadonlyArray<string>): ((path: string) => boolean) => {
  const tests = globs.map((glob) => ({
    include: !glob.startsWith("!"),
    matches: compileGlob(glob.startsWith("!") ? glob.slice(1) : glob),
  }))
  const otherwise = tests.every((test) => !test.include)
  return (path) => tests.findLast((test) => test.matches(path))?.include ?? otherwise
}
