// Receives what is known of a shell script and the workspace; returns the same with every path under each of its names:
// links followed, the links among the matches of a glob too, and what is guarded below what it takes away or copies.
// Invariant: nothing is left out, only added; what is too much to look through counts as the root, a path that can't be known.
import { isGuarded } from "../permissions/places.ts"
import type { ShellAnalysis, ShellStep } from "../permissions/shell-analysis.ts"
import { compileGlob, GlobError } from "../workspace/glob-pattern.ts"
import { childOf } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { namesOf } from "./file-access.ts"

/** Names that the globs of one script are compared with. */
const MAX_COMPARED = 5000

const GLOB = /[*?[]/
const UNKNOWN = ["/"]

class Links {
  readonly #workspace: Workspace
  #left = MAX_COMPARED

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** The paths, or globs, with every other name of each, and the links among what the globs match. */
  all(words: ReadonlyArray<string>): ReadonlyArray<string> {
    return Array.from(new Set(words.flatMap((word) => [...namesOf(this.#workspace, word), ...this.matched(word)])))
  }

  /** The names of the links among what a glob matches; none for what is no glob. */
  matched(word: string): ReadonlyArray<string> {
    if (!GLOB.test(word)) return []
    let found = ["/"]
    const segments = word.split("/").slice(1)
    for (const segment of segments) {
      found = GLOB.test(segment)
        ? found.flatMap((directory) => this.#among(directory, segment))
        : found.map((directory) => childOf(directory, segment))
      if (this.#left < 0) return UNKNOWN
    }
    return found.flatMap((path) => {
      const names = namesOf(this.#workspace, path)
      return names.length === 1 ? [] : names
    })
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
  const links = workspace.totals().links === 0 ? null : new Links(workspace)
  const all = (words: ReadonlyArray<string>) => links?.all(words) ?? words
  const steps = analysis.steps.map((step): ShellStep => {
    const guarded = guardedBelow(workspace, step)
    if (links === null && guarded.length === 0) return step
    const { paths, changes, removes, mentions, from, to } = step
    // A glob stands in `mentions` as it is, and in the other lists as the directory that it begins in.
    const matched = links === null ? [] : mentions.flatMap((word) => links.matched(word))
    return {
      ...step,
      paths: [...all(paths), ...matched],
      changes: [...all(changes), ...(changes.length === 0 ? [] : matched), ...guarded],
      removes: Array.from(new Set(removes.flatMap((path) => [path, placeOf(workspace, path)]))),
      mentions: all(mentions),
      from: all(from),
      to: all(to),
    }
  })
  return { ...analysis, steps }
}

/** Where a path lies itself: what is removed is a link, and not what it leads to. */
const placeOf = (workspace: Workspace, path: string): string =>
  namesOf(workspace, path.slice(0, path.lastIndexOf("/")) || "/")
    .slice(-1)
    .map((directory) => childOf(directory, path.slice(path.lastIndexOf("/") + 1)))[0] ?? path
