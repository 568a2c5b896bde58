// Receives the lines that a session and the SDK exchange; returns the entries of a local transcript, as the SDK's session
// functions (listSessions, getSessionMessages, forkSession) read them.
// Invariant: the entries are a chain by `parentUuid`, the conversation alone: neither stream events nor subagents. As in the
// official SDK, the chain begins again where the conversation does: at a compaction's boundary and at `/clear`.
import { randomUUID } from "node:crypto"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { shortened } from "../../schemas/shortened.ts"
import { type ParsedLine, parsedLine } from "../line-kinds.ts"

/** One line of a transcript file. */
export type Entry = Readonly<Record<string, unknown>>

export interface TranscriptFacts {
  readonly sessionId: string
  /** The directory of the process, by which transcripts are found. */
  readonly cwd: string
  /** The uuids of the transcript's entries; the last one is the leaf. */
  readonly uuids: ReadonlyArray<string>
  readonly now: () => number
}

/** The most characters of a prompt in lists of sessions, as in the official SDK. */
const MAX_LAST_PROMPT = 200

/** Commands that the session answers itself. As in the official SDK, lists of sessions don't show them. */
const LOCAL_COMMAND = /^\/(?:clear|compact|context|cost|help)(?: |$)/

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
  readonly #known: Set<string>
  #leaf: string | null
  /** Prompts that no turn has answered yet: they belong to the conversation that a compaction or `/clear` begins. */
  #pending: Array<Entry> = []
  #isAnswered = false
  #isAfterBoundary = false

  constructor(facts: TranscriptFacts) {
    this.#facts = facts
    this.#known = new Set(facts.uuids)
    this.#leaf = facts.uuids.at(-1) ?? null
  }

  /** Returns the entries for a line from the SDK: a prompt, and its text for lists of sessions; none for any other line. */
  sent(line: string): ReadonlyArray<Entry> {
    if (!line.includes('"user"')) return []
    const { type, message, uuid, isSynthetic, shouldQuery } = parsedLine(line)
    if (type !== "user") return []
    const prompt = this.#entry("user", uuid, { message, ...(isSynthetic === true ? { isMeta: true } : {}) })
    const text = textOf(message)
    const isCommand = LOCAL_COMMAND.test(text)
    if (!isCommand && shouldQuery !== false) this.#pending.push(prompt)
    if (text === "" || isCommand || isSynthetic === true) return [prompt]
    const lastPrompt = shortened(text, MAX_LAST_PROMPT)
    return [prompt, { type: "last-prompt", lastPrompt, leafUuid: prompt["uuid"], sessionId: this.#facts.sessionId }]
  }

  /**
   * Returns the entries for a line from the server: one for an answer, a tool result, a title or the boundary of a compaction,
   * and prompts that the boundary of a conversation overtook; none for any other line.
   */
  passed(json: string): ReadonlyArray<Entry> {
    if (!/^\{"type":"(?:assistant|user|system|result|conversation_reset)"/.test(json)) return []
    const line = parsedLine(json)
    const { type, subtype, message, uuid, title, timestamp } = line
    if (type === "result") this.#answered(false)
    if (type === "conversation_reset") return this.#cleared()
    if (subtype === "session_title_changed") return [this.#titled(title)]
    if (subtype === "compact_boundary") return [this.#boundary(line)]
    if (type !== "assistant" && type !== "user") return []
    if (line.isReplay === true || typeof line.parent_tool_use_id === "string") return []
    if (type === "assistant") this.#answered(true)
    const result = line.tool_use_result === undefined ? {} : { toolUseResult: line.tool_use_result }
    const meta = line.isSynthetic !== true ? {} : this.#isAfterBoundary ? { isCompactSummary: true } : { isMeta: true }
    const entry = this.#entry(type, uuid, { message, ...result, ...meta, timestamp })
    const moved = this.#isAfterBoundary ? this.#moved() : []
    this.#isAfterBoundary = false
    return [entry, ...moved]
  }

  /** A turn's first answer, or its result when it has none, answers the oldest pending prompt. */
  #answered(isOngoing: boolean): void {
    if (!this.#isAnswered) this.#pending.shift()
    this.#isAnswered = isOngoing
  }

  #cleared(): ReadonlyArray<Entry> {
    this.#leaf = null
    const content = "<command-name>/clear</command-name>"
    return [this.#entry("user", undefined, { message: { role: "user", content } }), ...this.#moved()]
  }

  /** The boundary of a compaction, with the kept messages, which readers put behind its summary. */
  #boundary({ uuid, timestamp, compact_metadata: metadata = {} }: ParsedLine): Entry {
    const { trigger, pre_tokens: preTokens, preserved_messages: kept } = metadata
    const pending = new Set(this.#pending.map((prompt) => prompt["uuid"]))
    const uuids = (kept?.uuids ?? []).filter((id) => this.#known.has(id) && !pending.has(id))
    const preserved = uuids.length === 0 ? {} : { preservedMessages: { anchorUuid: kept?.anchor_uuid, uuids } }
    const logicalParentUuid = this.#leaf
    this.#leaf = null
    this.#isAfterBoundary = true
    const compactMetadata = { trigger, preTokens, ...preserved }
    return this.#entry("system", uuid, { subtype: "compact_boundary", logicalParentUuid, timestamp, compactMetadata })
  }

  /** The pending prompts as the next entries of the chain. They keep their uuids: the later entry replaces the earlier. */
  #moved(): ReadonlyArray<Entry> {
    this.#pending = this.#pending.map((prompt) => {
      const moved = { ...prompt, parentUuid: this.#leaf }
      this.#leaf = String(prompt["uuid"])
      return moved
    })
    return this.#pending
  }

  #entry(type: "user" | "assistant" | "system", uuid: unknown, more: Entry): Entry {
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
      ...more,
      uuid: own,
      timestamp: at,
    }
    this.#leaf = own
    this.#known.add(own)
    return entry
  }

  #titled(title: unknown): Entry {
    return { type: "custom-title", customTitle: title, sessionId: this.#facts.sessionId }
  }
}
