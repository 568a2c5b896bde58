// Decides which paths of a folder are not sent: `.gitignore` files as git reads them, and patterns of the caller.
// Invariant: of the rules that match a path itself the last one of the deepest file wins, as in git; nothing
// below an ignored folder is read.
import ignore, { type Ignore } from "ignore"

/** Which paths of a folder are sent. */
export interface Selection {
  /** Only what matches one of these patterns (in the syntax of `.gitignore`); everything otherwise. */
  readonly include?: ReadonlyArray<string>
  /** More patterns, which win over `.gitignore`; one that begins with `!` takes something back in. */
  readonly ignore?: ReadonlyArray<string>
  /** Whether `.gitignore` files count (true). */
  readonly gitignore?: boolean
}

/** The library asks about all folders above a path too; folders are asked about here on the way down. */
interface OwnRules {
  readonly _rules: {
    test(path: string, checkUnignored: boolean, mode: "checkRegex"): { ignored: boolean; unignored: boolean }
  }
}

interface Level {
  /** Where the file is, relative to the root, with a slash at its end; "" is the root. */
  readonly base: string
  /** Of a file above the root: the way from its folder down to the root, such as "packages/app/". */
  readonly above: string
  readonly rules: Ignore & OwnRules
}

const levelOf = (base: string, patterns: string | ReadonlyArray<string>, above = ""): Level => {
  // git on Linux minds the case; the rules of a name are not to depend on where the app runs.
  const rules = ignore({ ignorecase: false }).add(patterns) as Ignore & OwnRules // the version is pinned
  return { base, above, rules }
}

const verdict = ({ base, above, rules }: Level, path: string): boolean | undefined => {
  if (!path.startsWith(base)) return undefined
  const { ignored, unignored } = rules._rules.test(above + path.slice(base.length), true, "checkRegex")
  return ignored ? true : unignored ? false : undefined
}

export class IgnoreRules {
  readonly #own: Level | undefined
  readonly #included: Ignore | undefined
  readonly #levels: Array<Level> = []

  constructor({ include, ignore: patterns }: Selection) {
    if (patterns !== undefined && patterns.length > 0) this.#own = levelOf("", patterns)
    if (include !== undefined && include.length > 0) this.#included = ignore({ ignorecase: false }).add(include)
  }

  /**
   * Adds a `.gitignore`. `base` is its folder relative to the root: "" or "a/b/"; for one above the root it is the way down
   * from it, as `above`. Those nearer to the root of the disk come first.
   */
  add(base: string, text: string, above = ""): void {
    this.#levels.push(levelOf(base, text, above))
  }

  /** Whether a folder or file itself is ignored; the folders above it are known not to be. */
  ignores(path: string, directory: boolean): boolean {
    const asked = directory ? `${path}/` : path
    const own = this.#own === undefined ? undefined : verdict(this.#own, asked)
    if (own !== undefined) return own
    for (const level of this.#levels.toReversed()) {
      const found = verdict(level, asked)
      if (found !== undefined) return found
    }
    return false
  }

  /** Whether a path with all the folders above it is ignored. */
  ignoresWhole(path: string, directory: boolean): boolean {
    const names = path.split("/")
    return names.some((_, index) => {
      const last = index === names.length - 1
      return this.ignores(names.slice(0, index + 1).join("/"), last ? directory : true)
    })
  }

  /** Whether the caller's `include` takes a file. */
  includes(path: string): boolean {
    return this.#included === undefined || this.#included.ignores(path)
  }
}
