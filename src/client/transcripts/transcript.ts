// Receives the lines that a session and the SDK exchange; returns the entries of a local transcript, as the SDK's session
// functions (listSessions, getSessionMessages, forkSession) read them.
// Invariant: the entries are one chain by `parentUuid`, the conversation alone: neither stream events nor subagents.
import { randomUUID } from "node:crypto"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { parsedLine } from "../line-kinds.ts"

/** One line of a transcript file. */
export type Entry = Readonly<Record<string, unknown>>

export interface TranscriptFacts {
  readonly sessionId: string
  /** The directory of the process, by which transcripts are found. */
  readonly cwd: string
  /** The uuid of the transcript's last entry; null when it has none. */
  readonly leaf: string | null
  readonly now: () => number
}

/** The most characters of a prompt in lists of sessions, as in the official SDK. */
const MAX_LAST_PROMPT = 200

/** The first text of a prompt, on one line. */
const textOf = (message: unknown): string => {
  const content = isPlainObject(message) ? message["content"] : undefined
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : [{ text: content }]
  const text = blocks.flatMap((block) =>
    isPlainObject(block) && typeof block["text"] === "string" ? [block["text"]] : [],
  )
  return (text[0] ?? "").replaceAll(/\s+/g, " ").trim()
}

export class Transcript {
  readonly #facts: TranscriptFacts
  #leaf: string | null

  constructor(facts: TranscriptFacts) {
    this.#facts = facts
    this.#leaf = facts.leaf
  }

  /** Returns the entries for a line from the SDK: a prompt, and its text for lists of sessions; none for any other line. */
  sent(line: string): ReadonlyArray<Entry> {
    if (!line.includes('"user"')) return []
    const { type, message, uuid, isSynthetic } = parsedLine(line)
    if (type !== "user") return []
    const prompt = this.#entry("user", message, uuid, {})
    const text = isSynthetic === true ? "" : textOf(message)
    if (text === "") return [prompt]
    const lastPrompt = shortened(text, MAX_LAST_PROMPT)
    return [prompt, { type: "last-prompt", lastPrompt, leafUuid: prompt["uuid"], sessionId: this.#facts.sessionId }]
  }

  /** Returns the entries for a line from the server: one for an answer, a tool result or a title, none for any other line. */
  passed(json: string): ReadonlyArray<Entry> {
    if (!/^\{"type":"(?:assistant|user|system)"/.test(json)) return []
    const line = parsedLine(json)
    const { type, subtype, message, uuid, title } = line
    if (subtype === "session_title_changed") return [this.#titled(title)]
    if (type !== "assistant" && type !== "user") return []
    if (line.isReplay === true || typeof line.parent_tool_use_id === "string") return []
    const result = line.tool_use_result === undefined ? {} : { toolUseResult: line.tool_use_result }
    const meta = line.isSynthetic === true ? { isMeta: true } : {}
    return [this.#entry(type, message, uuid, { ...result, ...meta, timestamp: line.timestamp })]
  }

  #entry(type: "user" | "assistant", message: unknown, uuid: unknown, more: Entry): Entry {
    const { sessionId, cwd, now } = this.#facts
    const own = typeof uuid === "string" ? uuid : randomUUID()
    const at = typeof more["timestamp"] === "string" ? more["timestamp"] : new Date(now()).toISOString()
    const entry = {
      parentUuid: this.#leaf,
      isSidechain: false,
      userType: "external",
      cwd,
      sessionId,
      version: "perch",
      type,
      message,
      ...more,
      uuid: own,
      timestamp: at,
    }
    this.#leaf = own
    return entry
  }

  #titled(title: unknown): Entry {
    return { type: "custom-title", customTitle: title, sessionId: this.#facts.sessionId }
  }
}
