// Receives the analysis of a shell script and the workspace; returns the analysis with all names of every path: the targets of
// links, the matches of globs, and guarded paths below the ones that it removes or copies.
// Invariant: paths are only added, never removed; too many matches are replaced with the root, which means an unknown path.
import { isGuarded } from "../../permissions/places.ts"
import type { ShellAnalysis, ShellStep } from "../../permissions/shell-analysis.ts"
import { compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import { childOf } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { namesOf } from "../../workspace/touched-path.ts"

/** Maximum number of names that are compared with the globs of one script. */
const MAX_COMPARED = 5000

const GLOB = /[*?[]/
const UNKNOWN = ["/"]

class Files {
  readonly #workspace: Workspace
  readonly #links: boolean
  #left = MAX_COMPARED

  constructor(workspace: Workspace) {
    this.#workspace = workspace
    this.#links = workspace.totals().links > 0
  }

  /** The paths or globs, all other names of each, and the links among the globs' matches. */
  named(words: ReadonlyArray<string>): ReadonlyArray<string> {
    if (!this.#links) return words
    const names = words.flatMap((word) => [...namesOf(this.#workspace, word), ...this.links(this.matches(word))])
    return Array.from(new Set(names))
  }

  /** All names of those paths that are links or are below one. */
  links(paths: ReadonlyArray<string>): ReadonlyArray<string> {
    if (!this.#links) return []
    return paths.flatMap((path) => {
      const names = namesOf(this.#workspace, path)
      return names.length === 1 && path !== "/" ? [] : names
    })
  }

  /** The matches of a glob; empty for a word that is not a glob. */
  matches(word: string): ReadonlyArray<string> {
    if (!GLOB.test(word)) return []
    let found = ["/"]
    for (const segment of word.split("/").slice(1)) {
      found = GLOB.test(segment)
        ? found.flatMap((directory) => this.#among(directory, segment))
        : found.map((directory) => childOf(directory, segment))
      if (this.#left < 0) return UNKNOWN
    }
    return found
  }

  #among(directory: string, segment: string): Array<string> {
    if (!this.#workspace.isDirectory(directory)) return []
    const matches = testOf(segment)
    const entries = this.#workspace.readdir(directory)
    this.#left -= entries.length
    return entries.filter(({ name }) => matches(name)).map(({ name }) => childOf(directory, name))
  }
}

/** Returns a function that tests names. Names that start with a dot match like all others. */
const testOf = (segment: string): ((name: string) => boolean) => {
  try {
    return compileGlob(segment)
  } catch (error) {
    if (error instanceof GlobError) return () => true
    throw error
  }
}

/** The first guarded path at or below the paths that a command removes, moves or copies. */
const guardedBelow = (workspace: Workspace, { kind, removes, copies }: ShellStep): ReadonlyArray<string> => {
  if (kind !== "edit") return []
  for (const path of [...removes, ...copies]) {
    const [real] = namesOf(workspace, path).slice(-1)
    if (real === undefined || !workspace.isDirectory(real)) continue
    const found = workspace.nodes.below(real).find(([below]) => isGuarded(below))
    if (found !== undefined) return [found[0]]
  }
  return []
}

export const withNames = (analysis: ShellAnalysis, workspace: Workspace): ShellAnalysis => {
  const files = new Files(workspace)
  const steps = analysis.steps.map((step): ShellStep => {
    const { paths, changes, removes, erases, mentions, from, to } = step
    const guarded = guardedBelow(workspace, step)
    // `mentions` contains globs unchanged; the other lists have the directory before the glob instead.
    const matches = mentions.flatMap((word) => files.matches(word))
    const links = files.links(matches)
    return {
      ...step,
      paths: [...files.named(paths), ...links],
      changes: [...files.named(changes), ...(changes.length === 0 ? [] : [...matches, ...links]), ...guarded],
      removes: files.named(removes),
      erases: files.named(erases),
      mentions: [...files.named(mentions), ...matches, ...links],
      from: files.named(from),
      to: files.named(to),
    }
  })
  return { ...analysis, steps }
}
