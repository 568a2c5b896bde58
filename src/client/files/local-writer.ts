// Writes files, links and folders of a session into a folder of this machine, and removes them.
// Invariant: nothing is written outside of the folder, through a link, or into a repository's `.git`; a file is
// replaced as a whole or not at all.
import { randomBytes } from "node:crypto"
import fs from "node:fs/promises"
import path from "node:path"
import { codeOf, HAS_MODES, isMissing } from "./local-tree.ts"
import { isReserved, linkPlace, parentsOf } from "./tree-entry.ts"

/** A path that can't be written. The message is the end of a sentence that starts with the path. */
export class NotWritten extends Error {
  override readonly name = "NotWritten"
}

/** Names that are invalid on Windows or have a special meaning there. */
const WINDOWS = /[\\:*?"<>|\p{Cc}]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu

export class LocalWriter {
  readonly #root: string
  /** Folders that were checked to be folders and not links. */
  readonly #safe = new Set<string>()

  /** `root` is the folder's real path. */
  constructor(root: string) {
    this.#root = root
  }

  async file(at: string, bytes: Uint8Array, mode: number): Promise<void> {
    const target = await this.#place(at)
    const draft = path.join(path.dirname(target), `.perch-${randomBytes(6).toString("hex")}.tmp`)
    try {
      await fs.writeFile(draft, bytes, { flag: "wx", mode: 0o600 })
      if (HAS_MODES) await fs.chmod(draft, mode & 0o777)
      await fs.rename(draft, target)
    } catch (error) {
      await fs.rm(draft, { force: true })
      if (codeOf(error) === "EISDIR" || codeOf(error) === "ENOTEMPTY") throw new NotWritten("a folder is in its place")
      throw error
    }
  }

  async link(at: string, to: string): Promise<void> {
    if (linkPlace(at, to) === null) throw new NotWritten(`it is a link that leads out of the folder: ${to}`)
    const target = await this.#place(at)
    const draft = path.join(path.dirname(target), `.perch-${randomBytes(6).toString("hex")}.tmp`)
    try {
      await fs.symlink(to, draft)
      await fs.rename(draft, target)
    } catch (error) {
      await fs.rm(draft, { force: true })
      if (codeOf(error) === "EPERM") throw new NotWritten("this system does not allow links")
      throw error
    }
    this.#safe.clear()
  }

  async folder(at: string): Promise<void> {
    await this.#place(at)
    await this.#enter(at, true)
  }

  /** Removes a file, a link or an empty folder; returns false when a folder is not empty. */
  async remove(at: string): Promise<boolean> {
    const target = await this.#place(at, false)
    try {
      const stat = await fs.lstat(target)
      if (stat.isDirectory()) await fs.rmdir(target)
      else await fs.unlink(target)
    } catch (error) {
      if (codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return false
      if (!isMissing(error)) throw error
    }
    this.#safe.clear()
    return true
  }

  /** Returns the path on this machine; with `make` creates the folders above it. Throws NotWritten for an unsafe path. */
  async #place(at: string, make = true): Promise<string> {
    const names = at.split("/")
    if (at === "" || names.some((name) => name === "" || name === "." || name === ".." || name.includes("\0"))) {
      throw new NotWritten("its name leads out of the folder")
    }
    if (isReserved(at)) throw new NotWritten("it belongs to a repository's own folder")
    if (process.platform === "win32" && names.some((name) => WINDOWS.test(name))) {
      throw new NotWritten("Windows has no such name")
    }
    for (const above of parentsOf(at).toReversed()) await this.#enter(above, make)
    return path.join(this.#root, ...names)
  }

  async #enter(folder: string, make: boolean): Promise<void> {
    if (this.#safe.has(folder)) return
    const full = path.join(this.#root, folder)
    try {
      const stat = await fs.lstat(full)
      if (stat.isSymbolicLink()) throw new NotWritten(`${folder} is a link, and nothing is written through links`)
      if (!stat.isDirectory()) throw new NotWritten(`${folder} is not a folder`)
    } catch (error) {
      if (!isMissing(error) || !make) throw error
      try {
        await fs.mkdir(full)
      } catch (failure) {
        // Another program created the directory meanwhile: it is checked like an existing one.
        if (codeOf(failure) === "EEXIST") return this.#enter(folder, make)
        throw failure
      }
    }
    this.#safe.add(folder)
  }
}
