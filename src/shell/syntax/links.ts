// Receives what is known of a shell script and the workspace; returns the same with every path under each of its names:
// links followed, with what its globs match, and what is guarded below what it takes away or copies.
// Invariant: nothing is left out, only added; what is too much to look through counts as the root, a path that can't be known.
import { isGuarded } from "../../permissions/places.ts"
import type { ShellAnalysis, ShellStep } from "../../permissions/shell-analysis.ts"
import { compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import { childOf } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { namesOf } from "../../workspace/touched-path.ts"

/** Names that the globs of one script are compared with. */
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

  /** The paths, or globs, with every other name of each, and the links among what the globs match. */
  named(words: ReadonlyArray<string>): ReadonlyArray<string> {
    if (!this.#links) return words
    const names = words.flatMap((word) => [...namesOf(this.#workspace, word), ...this.links(this.matches(word))])
    return Array.from(new Set(names))
  }

  /** The names of those of the paths that are links, or lie behind one. */
  links(paths: ReadonlyArray<string>): ReadonlyArray<string> {
    if (!this.#links) return []
    return paths.flatMap((path) => {
      const names = namesOf(this.#workspace, path)
      return names.length === 1 && path !== "/" ? [] : names
    })
  }

  /** What a glob matches; nothing for what is no glob. */
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

/** Names with a dot before them match like any other. */
const testOf = (segment: string): ((name: string) => boolean) => {
  try {
    return compileGlob(segment)
  } catch (error) {
    if (error instanceof GlobError) return () => true
    throw error
  }
}

/** The first guarded path at or below what a command removes, moves or copies. */
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
    const { paths, changes, removes, mentions, from, to } = step
    const guarded = guardedBelow(workspace, step)
    // `mentions` holds a glob as it is, the other lists the directory that it begins in.
    const matches = mentions.flatMap((word) => files.matches(word))
    const links = files.links(matches)
    return {
      ...step,
      paths: [...files.named(paths), ...links],
      changes: [...files.named(changes), ...(changes.length === 0 ? [] : [...matches, ...links]), ...guarded],
      removes: files.named(removes),
      mentions: [...files.named(mentions), ...matches, ...links],
      from: files.named(from),
      to: files.named(to),
    }
  })
  return { ...analysis, steps }
}
