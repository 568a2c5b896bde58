// Receives the content of a rule `Edit(…)` or `Read(…)`; returns tests of whether it covers an absolute path.
// Invariant: as in a .gitignore, what covers a directory covers all below it; for a pattern that can't be used the result is
// null.

export type MatchesGlob = (glob: string, path: string) => boolean | null

/** Where an absolute path leads once every link on it is followed; without links, the path itself. */
export type RealPath = (path: string) => string

export interface PathPattern {
  /** True when the pattern covers the path; null when it can't be used. */
  readonly covers: (path: string, matchesGlob: MatchesGlob) => boolean | null
  /** True when a path, or a shell glob, may match what the pattern covers or something below it; true in doubt. */
  readonly mayTouch: (word: string, matchesGlob: MatchesGlob) => boolean
}

const WILD = /[*?[\]{}\\]/
const quoted = (path: string): string => path.replace(/[*?[\]{}\\]/g, "\\$&")

/** The absolute path without `.`, `..` and redundant slashes, as paths of calls are: both are compared as texts. */
export const normalPath = (path: string): string => {
  const out: Array<string> = []
  for (const segment of path.split("/")) {
    if (segment === "..") out.pop()
    else if (segment !== "" && segment !== ".") out.push(segment)
  }
  return `/${out.join("/")}`
}

/** `//x` is the path `/x`; `~/x`, `/x` and `./x` are in the working directory; a name without a slash is anywhere below it. */
const absolute = (content: string, cwd: string): string => {
  if (content.startsWith("//")) return normalPath(content)
  const base = cwd === "/" ? "" : quoted(cwd)
  if (content.startsWith("~/")) return normalPath(`${base}/${content.slice(2)}`)
  const anchored = content.replace(/\/$/, "").includes("/")
  return normalPath(`${base}/${anchored ? content : `**/${content}`}`)
}

export const isAtOrBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`)

/** Whether a segment of a shell glob can match a name. */
const segmentMay = (segment: string, name: string): boolean => {
  if (/[?[]/.test(segment)) return true
  const [first = "", ...rest] = segment.split("*")
  const last = rest.at(-1)
  return last === undefined ? segment === name : name.startsWith(first) && name.endsWith(last)
}

/** Whether a path, or a glob of the shell, may match a directory or one above it. */
export const mayHold = (word: string, directory: string): boolean => {
  if (word === "/") return true
  const parts = word.split("/")
  const names = directory.split("/")
  return parts.length <= names.length && parts.every((part, index) => segmentMay(part, names[index] ?? ""))
}

interface Compiled extends PathPattern {
  /** The path before the first wildcard, and the glob that follows it. */
  readonly fixed: string
  readonly rest: string
}

const compile = (glob: string): Compiled => {
  const all = glob.endsWith("/**")
  const body = all ? glob.slice(0, -3) : glob
  // Escaped characters are plain ones, provided that no unescaped wildcard is left.
  const plain = body.replace(/\\(.)/g, "$1")
  const isPlain = quoted(plain) === body
  const segments = glob.split("/")
  const wild = segments.findIndex((segment) => WILD.test(segment))
  const fixed = isPlain ? plain : segments.slice(0, wild).join("/") || "/"
  const rest = isPlain ? glob.slice(body.length) : `/${segments.slice(wild).join("/")}`

  const covers = (path: string, matchesGlob: MatchesGlob): boolean | null => {
    // As the official SDK: `dir/**` covers the directory, too.
    if (isPlain) return isAtOrBelow(path, plain)
    if (!isAtOrBelow(path, fixed)) return false
    const exact = matchesGlob(glob, path)
    if (exact !== false || all) return exact
    return matchesGlob(`${glob}/**`, path)
  }
  const mayTouch = (word: string, matchesGlob: MatchesGlob): boolean => {
    if (covers(word, matchesGlob) !== false || (all && matchesGlob(body, word) !== false)) return true
    if (!isPlain || !/[*?[]/.test(word)) return false
    const target = fixed.split("/")
    const parts = word.split("/")
    return parts.length > target.length && target.every((name, index) => segmentMay(parts[index] ?? "", name))
  }
  return { covers, mayTouch, fixed, rest }
}

/** The pattern for one working directory, and the same pattern with the links in its own path resolved. */
class Placed {
  readonly own: Compiled
  #moved: { readonly to: string; readonly pattern: Compiled } | undefined

  constructor(content: string, cwd: string) {
    this.own = compile(absolute(content, cwd))
  }

  all(realPath: RealPath | undefined): ReadonlyArray<PathPattern> {
    const { own } = this
    const to = realPath?.(own.fixed) ?? own.fixed
    if (to === own.fixed) return [own]
    if (this.#moved?.to !== to) {
      const base = to === "/" ? "" : quoted(to)
      this.#moved = { to, pattern: compile(`${base}${own.rest}` || "/") }
    }
    return [own, this.#moved.pattern]
  }
}

/** A rule's content as a test of paths, for any working directory; compiled again only when that directory changes. */
export interface PathRule {
  /** The pattern as written. */
  readonly at: (cwd: string) => PathPattern
  /** The pattern as written, and with the links in its path resolved: deny and ask rules apply to both. */
  readonly everywhere: (cwd: string, realPath?: RealPath) => ReadonlyArray<PathPattern>
}

export const pathPattern = (content: string): PathRule => {
  let last: { readonly cwd: string; readonly placed: Placed } | undefined
  const placed = (cwd: string): Placed => {
    if (last?.cwd !== cwd) last = { cwd, placed: new Placed(content, cwd) }
    return last.placed
  }
  return { at: (cwd) => placed(cwd).own, everywhere: (cwd, realPath) => placed(cwd).all(realPath) }
}
