// Saves the entries that a folder and a session had in common after their last synchronization, in the user's state folder.
// Invariant: a state that can't be read counts as missing; without a state nothing in the local folder is overwritten or removed.
import { createHash } from "node:crypto"
import fs from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { makeFolder } from "./make-folder.ts"
import { type Tree, type TreeEntry, withFolders } from "./tree-entry.ts"
import { messageOf } from "../api/message-of.ts"

export interface SyncPair {
  /** The server's address. */
  readonly url: string
  readonly session: string
  /** The folder in the session. */
  readonly remote: string
  /** The real path of the folder on this machine. */
  readonly local: string
}

const VERSION = 1

/** An empty variable counts as missing, as the XDG specification requires. */
const stateHome = (): string =>
  process.env["PERCH_STATE_DIR"] ||
  path.join(
    process.platform === "win32"
      ? process.env["LOCALAPPDATA"] || path.join(os.homedir(), "AppData", "Local")
      : process.env["XDG_STATE_HOME"] || path.join(os.homedir(), ".local", "state"),
    "perch",
  )

const fileOf = (pair: SyncPair): string => {
  const name = createHash("sha256").update([pair.url, pair.session, pair.remote, pair.local].join("\0")).digest("hex")
  return path.join(stateHome(), "sync", `${name}.json`)
}

/** Loads the saved entries, with the folders that their paths imply; null when there is no valid state. */
export const loadBase = async (pair: SyncPair): Promise<Tree | null> => {
  try {
    const state: unknown = JSON.parse(await fs.readFile(fileOf(pair), "utf8"))
    if (typeof state !== "object" || state === null || !("version" in state) || state.version !== VERSION) return null
    // Only saveBase writes these files.
    return "entries" in state ? withFolders(new Map(state.entries as ReadonlyArray<[string, TreeEntry]>)) : null
  } catch {
    // The file is missing or damaged: both count as no state.
    return null
  }
}

/** Saves the entries; returns the reason when that fails, otherwise null. */
export const saveBase = async (pair: SyncPair, base: Tree): Promise<string | null> => {
  const file = fileOf(pair)
  const draft = `${file}.${process.pid}.tmp`
  try {
    makeFolder(path.dirname(file), 0o700)
    await fs.writeFile(draft, JSON.stringify({ version: VERSION, ...pair, entries: [...base] }), { mode: 0o600 })
    await fs.rename(draft, file)
    return null
  } catch (error) {
    return messageOf(error)
  }
}
