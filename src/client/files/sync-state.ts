// Remembers what a folder and a session held when they were last the same, in the user's own state folder.
// Invariant: a state that can't be read is none: without one nothing of the folder is overwritten or removed.
import { createHash } from "node:crypto"
import fs from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { type Tree, type TreeEntry, withFolders } from "./tree-entry.ts"

export interface SyncPair {
  /** The server's address. */
  readonly url: string
  readonly session: string
  /** The folder in the session. */
  readonly remote: string
  /** The folder here: its real path. */
  readonly local: string
}

const VERSION = 1

const stateHome = (): string =>
  process.env["PERCH_STATE_DIR"] ??
  path.join(
    process.platform === "win32"
      ? (process.env["LOCALAPPDATA"] ?? path.join(os.homedir(), "AppData", "Local"))
      : (process.env["XDG_STATE_HOME"] ?? path.join(os.homedir(), ".local", "state")),
    "perch",
  )

const fileOf = (pair: SyncPair): string => {
  const name = createHash("sha256").update([pair.url, pair.session, pair.remote, pair.local].join("\0")).digest("hex")
  return path.join(stateHome(), "sync", `${name}.json`)
}

/** With the folders that its paths imply. Null when nothing is known. */
export const loadBase = async (pair: SyncPair): Promise<Tree | null> => {
  try {
    const state: unknown = JSON.parse(await fs.readFile(fileOf(pair), "utf8"))
    if (typeof state !== "object" || state === null || !("version" in state) || state.version !== VERSION) return null
    // Only saveBase writes these files.
    return "entries" in state ? withFolders(new Map(state.entries as ReadonlyArray<[string, TreeEntry]>)) : null
  } catch {
    // There is none, or it is damaged: both mean that nothing is known.
    return null
  }
}

/** Returns why it could not be saved, or null. */
export const saveBase = async (pair: SyncPair, base: Tree): Promise<string | null> => {
  const file = fileOf(pair)
  const draft = `${file}.${process.pid}.tmp`
  try {
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await fs.writeFile(draft, JSON.stringify({ version: VERSION, ...pair, entries: [...base] }), { mode: 0o600 })
    await fs.rename(draft, file)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
