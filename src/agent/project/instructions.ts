// Receives a project's files; returns its instructions for the model: CLAUDE.md with its imports, rules, local instructions.
// Invariant: a file is included once, however often it is imported, in the official CLI's order; reading is bounded by
// number of files, characters and depth.
import type { SettingSource } from "../../schemas/sdk/options/setting-sources.ts"
import type { LoadedInstructions } from "../../schemas/log/project-events.ts"
import { namesIn, readFrontmatter } from "../../workspace/frontmatter.ts"
import { childOf, normalizePath, parentOf } from "../../workspace/paths.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { importsOf, withoutComments } from "./instruction-markdown.ts"
import type { ProjectFile, ProjectReader } from "./project-reader.ts"

/** The deepest level of imports; a file that is not imported is at depth 0. */
const MAX_DEPTH = 4
const MAX_FILES = 100
const MAX_TOTAL = 256 * 1024
const RULES = ".claude/rules"
const MAX_RULE_FOLDERS = 50

type Loaded = LoadedInstructions
type Why = Omit<Loaded, "path" | "hash" | "text">

/** Gathers files until a bound is reached. */
class Gathering {
  readonly files: Array<Loaded> = []
  readonly #reader: ProjectReader
  readonly #seen: Set<string>
  #total = 0

  constructor(reader: ProjectReader, known: Iterable<string> = []) {
    this.#reader = reader
    this.#seen = new Set(known)
  }

  /** Adds the file and its imports, unless it was added before. */
  add(path: string, why: Why, depth = 0): void {
    const file = this.#take(path)
    if (file === null) return
    const body = withoutComments(readFrontmatter(file.text).body)
    this.#keep(file, body, why)
    if (depth >= MAX_DEPTH) return
    for (const written of importsOf(body)) {
      const imported = absolute(written, parentOf(path))
      if (imported === null) continue
      // As in the official CLI: an import, too, has the file that caused it to be loaded.
      const { globs: _, ...same } = why
      this.add(imported, { ...same, load_reason: "include", parent_file_path: path }, depth + 1)
    }
  }

  #take(path: string): ProjectFile | null {
    if (this.#seen.has(path) || this.files.length >= MAX_FILES || this.#total >= MAX_TOTAL) return null
    const file = this.#reader.read(path)
    if (file !== null) this.#seen.add(path)
    return file
  }

  #keep(file: ProjectFile, body: string, why: Why): void {
    const room = MAX_TOTAL - this.#total
    const cut = file.cut || body.length > room
    const text = `${body.slice(0, room).trim()}${cut ? "\n[The rest of this file is too long and was left out.]" : ""}`
    this.#total += text.length
    this.files.push({ path: file.path, hash: file.hash, text, ...why })
  }
}

const absolute = (path: string, base: string): string | null => {
  try {
    return normalizePath(path, base)
  } catch (error) {
    if (error instanceof WorkspaceError) return null
    throw error
  }
}

/** Instructions that apply from the start: those of the session's working directory. */
export const readInstructions = (
  reader: ProjectReader,
  sources: ReadonlyArray<SettingSource>,
): ReadonlyArray<Loaded> => {
  const gathering = new Gathering(reader)
  const begin = { load_reason: "session_start" } as const
  if (sources.includes("project")) {
    gathering.add(reader.at("CLAUDE.md"), { memory_type: "Project", ...begin })
    gathering.add(reader.at(".claude/CLAUDE.md"), { memory_type: "Project", ...begin })
    for (const { path, globs } of rulesOf(reader)) {
      if (globs === undefined) gathering.add(path, { memory_type: "Project", ...begin })
    }
  }
  if (sources.includes("local")) gathering.add(reader.at("CLAUDE.local.md"), { memory_type: "Local", ...begin })
  return gathering.files
}

/**
 * Instructions that apply to a file which a call used: those of the folders above it, with their rules, and rules whose globs
 * match it. As in the official SDK, globs are relative to the folder with `.claude/rules`.
 */
export const instructionsFor = (
  reader: ProjectReader,
  sources: ReadonlyArray<SettingSource>,
  trigger: string,
  known: Iterable<string>,
  matches: (glob: string, path: string) => boolean | null,
): ReadonlyArray<Loaded> => {
  const gathering = new Gathering(reader, known)
  const why = { load_reason: "nested_traversal", trigger_file_path: trigger } as const
  const addRules = (folder: string) => {
    for (const { path, globs } of rulesOf(reader, folder)) {
      if (globs === undefined) {
        // Those of the working directory apply from the start.
        if (folder !== reader.root) gathering.add(path, { memory_type: "Project", ...why })
      } else if (globs.some((glob) => matches(childOf(folder, glob.replace(/^\.?\//, "")), trigger) === true)) {
        const matched = { load_reason: "path_glob_match", globs, trigger_file_path: trigger } as const
        gathering.add(path, { memory_type: "Project", ...matched })
      }
    }
  }
  for (const folder of foldersBetween(reader.root, trigger)) {
    if (sources.includes("project")) {
      gathering.add(`${folder}/CLAUDE.md`, { memory_type: "Project", ...why })
      gathering.add(`${folder}/.claude/CLAUDE.md`, { memory_type: "Project", ...why })
      addRules(folder)
    }
    if (sources.includes("local")) gathering.add(`${folder}/CLAUDE.local.md`, { memory_type: "Local", ...why })
  }
  if (sources.includes("project")) addRules(reader.root)
  return gathering.files
}

/** The folders between the root and a file, the outermost first; none for a file outside the root. */
const foldersBetween = (root: string, path: string): ReadonlyArray<string> => {
  const prefix = root === "/" ? "/" : `${root}/`
  if (!path.startsWith(prefix)) return []
  const names = path.slice(prefix.length).split("/").slice(0, -1)
  return names.map((_, at) => `${prefix}${names.slice(0, at + 1).join("/")}`)
}

/** The files of a folder's `.claude/rules`, folders below it included. */
const rulesOf = (
  reader: ProjectReader,
  base: string = reader.root,
): ReadonlyArray<{ readonly path: string; readonly globs?: ReadonlyArray<string> }> => {
  const found: Array<{ readonly path: string; readonly globs?: ReadonlyArray<string> }> = []
  const folders = [childOf(base, RULES)]
  // The loop also visits the folders that it adds.
  for (const [at, folder] of folders.entries()) {
    if (at === MAX_RULE_FOLDERS) break
    for (const { name, type } of reader.list(folder)) {
      if (type === "directory") folders.push(`${folder}/${name}`)
      if (type !== "file" || !name.endsWith(".md") || found.length >= MAX_FILES) continue
      const path = `${folder}/${name}`
      const file = reader.read(path)
      if (file === null) continue
      const globs = namesIn(readFrontmatter(file.text).fields["paths"]) ?? []
      // As the official SDK: without a pattern, or with one that matches everything, the rules are always in effect.
      found.push(globs.every((glob) => glob === "**") ? { path } : { path, globs })
    }
  }
  return found
}
