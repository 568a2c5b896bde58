// Lists a folder of this machine: the files, folders and links that can be sent to a session, and what is left out and why.
// Invariant: nothing outside of the folder is read, and links are never followed.
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import fs from "node:fs/promises"
import path from "node:path"
import { IgnoreRules, type Selection } from "./ignore-rules.ts"
import { isReserved, linkPlace, nameProblem, type TreeEntry } from "./tree-entry.ts"

/** Whether this platform has permission bits; Windows has none. */
export const HAS_MODES = process.platform !== "win32"

/** A path that is not sent, and why; `why` is the end of a sentence that starts with the path. */
export interface LeftOut {
  readonly path: string
  readonly why: string
}

/** A file, folder or link that was found; the content is not read yet. */
export interface Found {
  readonly path: string
  readonly type: "file" | "directory" | "symlink"
  readonly size: number
  readonly mode: number
  readonly mtimeMs: number
  readonly target?: string
  /** Whether a folder has no entry that is sent. */
  readonly empty?: boolean
}

export interface LocalFolder {
  /** The folder's real path. */
  readonly root: string
  readonly found: ReadonlyArray<Found>
  /** Paths ignored by `.gitignore` or the caller; for an ignored folder only its own path. */
  readonly ignored: ReadonlyArray<string>
  /** Paths that a session can't store. */
  readonly leftOut: ReadonlyArray<LeftOut>
  readonly rules: IgnoreRules
}

/** More entries than any session can have; stops the reading of a folder such as a home directory. */
const MAX_FOUND = 50_000

/** Throws when there is no such folder, or it has more than MAX_FOUND entries that are not ignored. */
export const readFolder = async (folder: string, selection: Selection): Promise<LocalFolder> => {
  const root = await fs.realpath(folder).catch((error: unknown) => {
    throw isMissing(error) ? new Error(`There is no folder ${folder}.`) : error
  })
  if (!(await fs.stat(root)).isDirectory()) throw new Error(`${folder} is not a folder.`)
  const rules = new IgnoreRules(selection)
  const reader = new FolderReader(root, rules, selection.gitignore !== false)
  if (selection.gitignore !== false) await reader.readAbove()
  await reader.read("")
  return { root, rules, found: reader.found, ignored: reader.ignored, leftOut: reader.leftOut }
}

class FolderReader {
  readonly found: Array<Found> = []
  readonly ignored: Array<string> = []
  readonly leftOut: Array<LeftOut> = []
  readonly #root: string
  readonly #rules: IgnoreRules
  readonly #gitignore: boolean

  constructor(root: string, rules: IgnoreRules, gitignore: boolean) {
    this.#root = root
    this.#rules = rules
    this.#gitignore = gitignore
  }

  /** Adds the rules of the repository that contains the folder. */
  async readAbove(): Promise<void> {
    const folders: Array<string> = []
    for (let at = this.#root; ; at = path.dirname(at)) {
      folders.unshift(at)
      if ((await lstatOf(path.join(at, ".git"))) !== null) break
      // There is no repository: only rules in the folder apply.
      if (path.dirname(at) === at) return
    }
    const top = folders[0] ?? this.#root
    const exclude = await readText(path.join(top, ".git/info/exclude"))
    if (exclude !== null) this.#rules.add("", exclude, this.#wayFrom(top))
    for (const folder of folders.slice(0, -1)) {
      const text = await readText(path.join(folder, ".gitignore"))
      if (text !== null) this.#rules.add("", text, this.#wayFrom(folder))
    }
  }

  #wayFrom(folder: string): string {
    const way = path.relative(folder, this.#root).split(path.sep).join("/")
    return way === "" ? "" : `${way}/`
  }

  /** Reads a folder; returns whether anything in it is sent. */
  async read(folder: string): Promise<boolean> {
    const here = path.join(this.#root, folder)
    if (this.#gitignore) {
      const text = await readText(path.join(here, ".gitignore"))
      if (text !== null) this.#rules.add(folder === "" ? "" : `${folder}/`, text)
    }
    let isSent = false
    const names = (await fs.readdir(here)).toSorted()
    for (const name of names) {
      const at = folder === "" ? name : `${folder}/${name}`
      if (isReserved(at)) continue
      isSent = (await this.#take(at)) || isSent
      if (this.found.length > MAX_FOUND) {
        throw new Error(
          `${this.#root} contains more than ${MAX_FOUND.toLocaleString("en")} files that are not ignored.`,
        )
      }
    }
    return isSent
  }

  async #take(at: string): Promise<boolean> {
    const problem = nameProblem(at)
    if (problem !== null) return this.#leave(at, problem)
    const stat = await lstatOf(path.join(this.#root, at))
    // Either it was removed meanwhile, or its name is invalid UTF-8: Node reads such bytes as U+FFFD, which names no file.
    if (stat === null) return at.includes("\ufffd") ? this.#leave(at, "its name is not valid Unicode") : false
    if (this.#rules.ignores(at, stat.isDirectory())) {
      this.ignored.push(stat.isDirectory() ? `${at}/` : at)
      return false
    }
    const common = { path: at, mode: stat.mode & 0o777, mtimeMs: stat.mtimeMs, size: 0 }
    if (stat.isDirectory()) {
      const place = this.found.length
      const isSent = await this.read(at)
      // With `include`, a folder without a selected file is not sent as an empty one, unless it is selected itself.
      if (isSent || this.#rules.includes(`${at}/`)) {
        this.found.splice(place, 0, { ...common, type: "directory", empty: !isSent })
        return true
      }
      return false
    }
    if (!this.#rules.includes(at)) return false
    if (stat.isSymbolicLink()) {
      const target = (await fs.readlink(path.join(this.#root, at))).split(path.sep).join("/")
      if (linkPlace(at, target) === null) return this.#leave(at, `it is a link that leads out of the folder: ${target}`)
      this.found.push({ ...common, type: "symlink", target })
      return true
    }
    if (!stat.isFile()) return this.#leave(at, "it is not a file, folder or link")
    this.found.push({ ...common, type: "file", size: stat.size })
    return true
  }

  #leave(at: string, why: string): false {
    this.leftOut.push({ path: at, why })
    return false
  }
}

/** The entry at a path of a folder; undefined when there is none, or none that a session could store. */
export const entryAt = async (root: string, at: string): Promise<TreeEntry | undefined> => {
  const full = path.join(root, at)
  try {
    const stat = await fs.lstat(full)
    if (stat.isDirectory()) return { type: "directory" }
    if (stat.isSymbolicLink()) return { type: "symlink", target: (await fs.readlink(full)).split(path.sep).join("/") }
    if (!stat.isFile()) return undefined
    return { type: "file", sha256: await hashOf(full), size: stat.size, mode: stat.mode & 0o777 }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

export const hashOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  // A stream without an encoding has buffers.
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest("hex")
}

/** Whether an error means that nothing is at the path, or that something above it is not a folder. */
export const isMissing = (error: unknown): boolean => {
  const code = codeOf(error)
  return code === "ENOENT" || code === "ENOTDIR"
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

const lstatOf = async (file: string) => {
  try {
    return await fs.lstat(file)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

const readText = async (file: string): Promise<string | null> => {
  try {
    return await fs.readFile(file, "utf8")
  } catch (error) {
    if (isMissing(error) || codeOf(error) === "EISDIR") return null
    throw error
  }
}
