// Reads the files of a project for the session itself: instructions, skills, agents and settings in its workspace.
// Invariant: a file that a rule denies to the model is not read for it either, and no file outside the session's directories
// is read, not even through links.
import { deniedPath } from "../../permissions/decide.ts"
import { isInside } from "../../permissions/places.ts"
import type { Policy } from "../../permissions/policy.ts"
import { namesOf } from "../../workspace/touched-path.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import { WorkspaceError } from "../../workspace/workspace-error.ts"
import { matchesGlob } from "../calls/judged-call.ts"

/** A file as it is now; `hash` names its content. */
export interface ProjectFile {
  readonly path: string
  readonly hash: string
  readonly text: string
  /** True when the file is longer than what was read of it. */
  readonly cut: boolean
}

/** Files are read up to this size. */
export const MAX_FILE_BYTES = 64 * 1024

const decoder = new TextDecoder()

const MAX_DEPTH = 5
/** The most files and folders that are visited below a folder; the rest is ignored. */
const MAX_LOOKED = 2000

export class ProjectReader {
  readonly #tree: Workspace
  readonly #policy: () => Policy
  readonly root: string

  constructor(tree: Workspace, root: string, policy: () => Policy) {
    this.#tree = tree
    this.#policy = policy
    this.root = root
  }

  /** The absolute path of a path below the session's directory. */
  at(relative: string): string {
    return `${this.root === "/" ? "" : this.root}/${relative}`
  }

  /** Null when there is no such file, or it may not be read. */
  read(path: string): ProjectFile | null {
    const size = this.#sizeOf(path)
    if (size === null || !this.mayRead(path)) return null
    const bytes = this.#tree.readSlice(path, 0, Math.min(size, MAX_FILE_BYTES))
    return { path, hash: this.#tree.hashOf(path), text: decoder.decode(bytes), cut: size > MAX_FILE_BYTES }
  }

  /** The hash of a file's content; null when there is no such file. */
  hashOf(path: string): string | null {
    return this.#sizeOf(path) === null ? null : this.#tree.hashOf(path)
  }

  /** The entries of a directory; none when there is no such directory. */
  list(directory: string): ReadonlyArray<{ readonly name: string; readonly type: string }> {
    try {
      return this.#tree.readdir(directory)
    } catch (error) {
      if (error instanceof WorkspaceError) return []
      throw error
    }
  }

  /** The paths of the Markdown files below a folder, those in folders inside it included, sorted. */
  markdownBelow(folder: string): ReadonlyArray<string> {
    const paths: Array<string> = []
    let looked = 0
    const visit = (below: string, depth: number) => {
      for (const { name, type } of this.list(below === "" ? folder : `${folder}/${below}`)) {
        looked += 1
        if (looked > MAX_LOOKED) return
        const path = below === "" ? name : `${below}/${name}`
        if (type === "directory" && depth < MAX_DEPTH) visit(path, depth + 1)
        else if (name.endsWith(".md")) paths.push(path)
      }
    }
    visit("", 1)
    return paths.toSorted()
  }

  #sizeOf(path: string): number | null {
    try {
      const { type, size } = this.#tree.stat(path)
      return type === "file" ? size : null
    } catch (error) {
      if (error instanceof WorkspaceError) return null
      throw error
    }
  }

  /** True for a path that, with its links resolved, stays in the session's directories, unless a rule denies it to Read. */
  mayRead(path: string): boolean {
    const policy = this.#policy()
    const names = this.#namesOf(path)
    if (names.some((name) => !isInside(name, this.root, policy))) return false
    const realPath = (of: string) => this.#namesOf(of).at(-1) ?? of
    const call = { toolName: "Read", paths: names, cwd: this.root, matchesGlob, realPath }
    return deniedPath({ ...call, readOnly: true, edits: false, internal: false }, policy) === null
  }

  #namesOf(path: string): ReadonlyArray<string> {
    return namesOf(this.#tree, path)
  }
}
