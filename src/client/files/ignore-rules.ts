// Decides which paths of a folder are not sent: `.gitignore` files as git reads them, and patterns of the caller.
// Invariant: as in git, the deepest `.gitignore` with a rule that matches the path decides, by the last such rule; nothing below
// an ignored folder is read.
import ignore, { type Ignore } from "ignore"

/** Selects the paths of a folder that are sent. */
export interface Selection {
  /** Sends only files that match one of these patterns (in the syntax of `.gitignore`); all files by default. */
  readonly include?: ReadonlyArray<string>
  /** Additional patterns, which override `.gitignore`; one that starts with `!` includes paths again. */
  readonly ignore?: ReadonlyArray<string>
  /** Whether `.gitignore` files apply (true by default). */
  readonly gitignore?: boolean
}

/** The library's internal check of a single path: its public one also checks all folders above, which the caller already did. */
interface OwnRules {
  readonly _rules: {
    test(path: string, checkUnignored: boolean, mode: "checkRegex"): { ignored: boolean; unignored: boolean }
  }
}

interface Level {
  /** The folder of the `.gitignore`, relative to the root, with a slash at its end; "" is the root. */
  readonly base: string
  /** For a `.gitignore` above the root: the path from its folder down to the root, such as "packages/app/". */
  readonly above: string
  readonly rules: Ignore & OwnRules
}

const levelOf = (base: string, patterns: string | ReadonlyArray<string>, above = ""): Level => {
  // Case-sensitive, as git on Linux, so that rules do not depend on the platform of the app.
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
   * Adds the text of a `.gitignore`. `base` is its folder relative to the root: "" or "a/b/". For one above the root, `above`
   * is the path from its folder down to the root. A file must be added before those in deeper folders.
   */
  add(base: string, text: string, above = ""): void {
    this.#levels.push(levelOf(base, text, above))
  }

  /** Whether the rules ignore this path itself; the caller knows that no folder above it is ignored. */
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

  /** Whether the path or any folder above it is ignored. */
  ignoresWhole(path: string, directory: boolean): boolean {
    const names = path.split("/")
    return names.some((_, index) => {
      const last = index === names.length - 1
      return this.ignores(names.slice(0, index + 1).join("/"), last ? directory : true)
    })
  }

  /** Whether the caller's `include` patterns select a file. */
  includes(path: string): boolean {
    return this.#included === undefined || this.#included.ignores(path)
  }
}
