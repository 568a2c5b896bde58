// The transcript files of this machine: where a session's is, what it holds, and new lines at its end.
// Invariant: a file is only ever appended to; one that cannot be read is as if it were not there.
import fs from "node:fs"
import path from "node:path"
import type { Entry } from "./transcript.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

/** A directory's name is a file's name with every other character replaced; the SDK shortens longer ones in its own way. */
const LONGEST_NAME = 200
/** Larger files are not read: a session begins with less. */
const MOST_BYTES = 64 * 1024 * 1024

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Environment = Readonly<Record<string, string | undefined>>

/** Where the transcripts of a directory are; undefined when the environment names no place. */
export const transcriptFolder = (env: Environment, cwd: string): string | undefined => {
  const config = env["CLAUDE_CONFIG_DIR"] || (env["HOME"] ? path.join(env["HOME"], ".claude") : undefined)
  const name = realPath(cwd).replace(/[^a-zA-Z0-9]/g, "-")
  return config === undefined || name.length > LONGEST_NAME ? undefined : path.join(config, "projects", name)
}

const realPath = (cwd: string): string => {
  try {
    return fs.realpathSync(cwd)
  } catch {
    // A directory of the session alone.
    return cwd
  }
}

export class TranscriptFiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  pathOf(sessionId: string): string {
    return path.join(this.#folder, `${sessionId}.jsonl`)
  }

  append(sessionId: string, entries: ReadonlyArray<Entry>): void {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
    fs.appendFileSync(this.pathOf(sessionId), lines, { mode: 0o600 })
  }

  /** The conversation of a session's file, the oldest entry first; up to and with the entry `at`. */
  conversation(sessionId: string, at?: string): ReadonlyArray<Entry> {
    const entries = this.#read(sessionId).filter((entry) => typeof entry["uuid"] === "string" && "parentUuid" in entry)
    const byUuid = new Map(entries.map((entry) => [entry["uuid"], entry]))
    const chain: Array<Entry> = []
    const seen = new Set<unknown>()
    let next = at === undefined ? entries.findLast(isMain) : byUuid.get(at)
    while (next !== undefined && !seen.has(next["uuid"])) {
      seen.add(next["uuid"])
      chain.push(next)
      next = byUuid.get(next["parentUuid"])
    }
    return chain.toReversed().filter((entry) => entry["type"] === "user" || entry["type"] === "assistant")
  }

  #read(sessionId: string): ReadonlyArray<Entry> {
    const file = this.pathOf(sessionId)
    if (!UUID.test(sessionId) || !fs.existsSync(file) || fs.statSync(file).size > MOST_BYTES) return []
    return fs.readFileSync(file, "utf8").split("\n").flatMap(entryOf)
  }
}

const isMain = (entry: Entry): boolean => entry["isSidechain"] !== true

const entryOf = (line: string): ReadonlyArray<Entry> => {
  if (line === "") return []
  try {
    const value: unknown = JSON.parse(line)
    return isPlainObject(value) ? [value as Entry] : []
  } catch {
    // A line that a crash cut off.
    return []
  }
}

/** Entries as `history` of a new session takes them. */
export const historyOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.map(({ type, message, uuid, sessionId, toolUseResult, timestamp, isMeta }) => ({
    type,
    message,
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(toolUseResult === undefined ? {} : { tool_use_result: toolUseResult }),
    ...(isMeta === true ? { isSynthetic: true } : {}),
  }))
