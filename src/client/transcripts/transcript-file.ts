// The transcript files of this machine: locates a session's file, reads its conversation, appends entries to it.
// Invariant: a file is only ever appended to; one that can't be read counts as missing.
import fs from "node:fs"
import path from "node:path"
import { makeFolder } from "../files/make-folder.ts"
import { withParallelCalls } from "./parallel-calls.ts"
import type { Entry } from "./transcript.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"

/**
 * The longest supported name of a transcript folder: the path of its directory with "-" for all but letters and digits.
 * The SDK shortens longer names in its own way.
 */
const MAX_NAME = 200
/** Larger files are not read: the history of a new session has to be smaller. */
const MAX_BYTES = 64 * 1024 * 1024

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

type Environment = Readonly<Record<string, string | undefined>>

/** The folder of a directory's transcripts; undefined without CLAUDE_CONFIG_DIR and HOME, or when its name is too long. */
export const transcriptFolder = (env: Environment, cwd: string): string | undefined => {
  const config = env["CLAUDE_CONFIG_DIR"] || (env["HOME"] ? path.join(env["HOME"], ".claude") : undefined)
  const name = realPath(cwd).replace(/[^a-zA-Z0-9]/g, "-")
  return config === undefined || name.length > MAX_NAME ? undefined : path.join(config, "projects", name)
}

const realPath = (cwd: string): string => {
  try {
    return fs.realpathSync(cwd)
  } catch {
    // The directory exists only in the session.
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
    makeFolder(this.#folder, 0o700)
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")
    fs.appendFileSync(this.pathOf(sessionId), lines, { mode: 0o600 })
  }

  /** The conversation of a session's file, the oldest entry first; up to and including the entry with the uuid `at`. */
  conversation(sessionId: string, at?: string): ReadonlyArray<Entry> {
    const entries = this.#read(sessionId).filter((entry) => typeof entry["uuid"] === "string" && "parentUuid" in entry)
    const byUuid = relinked(entries)
    const chain: Array<Entry> = []
    const seen = new Set<unknown>()
    let next = at === undefined ? byUuid.get(entries.findLast(isMain)?.["uuid"]) : byUuid.get(at)
    while (next !== undefined && !seen.has(next["uuid"])) {
      seen.add(next["uuid"])
      chain.push(next)
      next = byUuid.get(next["parentUuid"])
    }
    const written = [...byUuid.values()]
    // Entries after the one that was asked for are not part of the conversation.
    const end = at === undefined ? written.length : written.findIndex(({ uuid }) => uuid === at) + 1
    const isMessage = ({ type }: Entry) => type === "user" || type === "assistant"
    return withParallelCalls(written.slice(0, end), chain.toReversed().filter(isMessage))
  }

  #read(sessionId: string): ReadonlyArray<Entry> {
    const file = this.pathOf(sessionId)
    if (!UUID.test(sessionId) || !fs.existsSync(file) || fs.statSync(file).size > MAX_BYTES) return []
    return fs.readFileSync(file, "utf8").split("\n").flatMap(entryOf)
  }
}

/** The entries by uuid. As in the official SDK, the messages that a compaction kept come after its summary. */
const relinked = (entries: ReadonlyArray<Entry>): Map<unknown, Entry> => {
  const byUuid = new Map<unknown, Entry>(entries.map((entry) => [entry["uuid"], entry]))
  for (const { subtype, compactMetadata } of byUuid.values()) {
    const kept = isPlainObject(compactMetadata) ? compactMetadata["preservedMessages"] : undefined
    if (subtype !== "compact_boundary" || !isPlainObject(kept) || !Array.isArray(kept["uuids"])) continue
    const uuids: ReadonlyArray<unknown> = kept["uuids"]
    const anchor = kept["anchorUuid"]
    if (uuids.length === 0 || uuids.some((uuid) => !byUuid.has(uuid))) continue
    for (const [uuid, entry] of byUuid)
      if (entry["parentUuid"] === anchor) byUuid.set(uuid, { ...entry, parentUuid: uuids.at(-1) })
    for (const [index, uuid] of uuids.entries())
      byUuid.set(uuid, { ...byUuid.get(uuid), parentUuid: uuids[index - 1] ?? anchor })
  }
  return byUuid
}

const isMain = (entry: Entry): boolean => entry["isSidechain"] !== true

const entryOf = (line: string): ReadonlyArray<Entry> => {
  if (line === "") return []
  try {
    const value: unknown = JSON.parse(line)
    return isPlainObject(value) ? [value] : []
  } catch {
    // A crash cut this line off.
    return []
  }
}

/** Converts entries to the SDK messages that a new session accepts as its `history`. */
export const historyOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(isForModel).map(({ type, message, uuid, sessionId, toolUseResult, timestamp, isMeta }) => ({
    type,
    message,
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(toolUseResult === undefined ? {} : { tool_use_result: toolUseResult }),
    ...(isMeta === true ? { isSynthetic: true } : {}),
  }))

/** Local commands and their output are for people. */
const isForModel = ({ message }: Entry): boolean => {
  const content = isPlainObject(message) ? message["content"] : undefined
  return typeof content !== "string" || !/^<(?:command-name|local-command-)/.test(content)
}
