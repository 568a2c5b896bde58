// Receives messages of a past place and of now; returns where a fork continues, and what a revert to that place removes.
// Invariant: nothing is sent here, so that the effect can be shown before anything is changed.
import { shorten } from "../../kit/text/cut-text.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { MessageInfo, MessageWithParts, Part } from "../../store/frames.ts"
import type { RawEvent } from "../past/marks.ts"

const isMessage = (type: string): boolean => type === "assistant" || type === "user"

const isOfConversation = ({ name, parent_tool_use_id: agent }: RawEvent): boolean =>
  agent === null && isMessage(name.replace(/^sdk:/, ""))

/** False for a message of a subagent: the conversation of a fork, and what a revert removes, consist of the other ones. */
export const isOfMainThread = ({ sdk }: MessageInfo): boolean => sdk?.parentToolUseId === undefined

/** The uuid of the last message in events, which have the newest first: a fork continues after that message. */
export const newestUuid = (events: ReadonlyArray<RawEvent>): string | undefined => events.find(isOfConversation)?.uuid

interface Message {
  readonly id?: string
  readonly content?: unknown
}

const messageOf = ({ payload }: RawEvent): Message => (payload as { readonly message?: Message } | null)?.message ?? {} // every field may be missing

const hasResults = (event: RawEvent): boolean => {
  const { content } = messageOf(event)
  return (
    Array.isArray(content) && content.some((block: { readonly type?: unknown } | null) => block?.type === "tool_result")
  )
}

/**
 * An answer consists of several messages in the log: a piece for each block, and the results of its calls. Receives the events
 * from its first piece on; returns the uuid of the last one, after which a fork contains the whole answer.
 */
export const endOfAnswer = ([first, ...later]: ReadonlyArray<RawEvent>): string | undefined => {
  if (first === undefined) return undefined
  const { id } = messageOf(first)
  let end = first.uuid
  for (const event of later.filter(isOfConversation)) {
    const isPiece = event.name.startsWith("sdk:assistant") && id !== undefined && messageOf(event).id === id
    if (!isPiece && !hasResults(event)) break
    end = event.uuid
  }
  return end
}

/** True for parts that are visible to people; the others mark steps. */
const isShown = ({ type }: Part): boolean => ["text", "reasoning", "tool", "file"].includes(type)

export interface RevertTarget {
  readonly messageID: string
  readonly partID?: string
}

/**
 * The target of a revert to a past place. `past` is the last message as it was then; `now` has that message and the next one in
 * their current state. Null when nothing was added later.
 */
export const revertTarget = (past: MessageWithParts, now: ReadonlyArray<MessageWithParts>): RevertTarget | null => {
  const same = now.find(({ info }) => info.id === past.info.id)
  const known = new Set(past.parts.map(({ id }) => id))
  const later = same?.parts.find((part) => isShown(part) && !known.has(part.id))
  if (later !== undefined) return { messageID: past.info.id, partID: later.id }
  const next = now.find(({ info }) => info.id !== past.info.id)
  return next === undefined ? null : { messageID: next.info.id }
}

/**
 * Whether a revert to a part of the last message of a place removes the whole message. As the server: calls without a result are
 * cut off together, and thinking alone is no answer. `answered` has the calls whose results precede that part.
 */
export const isWholeRemoved = (
  past: MessageWithParts,
  { messageID, partID }: RevertTarget,
  answered: ReadonlySet<string>,
): boolean => {
  if (partID === undefined || messageID !== past.info.id) return false
  const isOpen = ({ type, state, callID }: Part): boolean =>
    type === "tool" && (state?.status === "pending" || state?.status === "running") && !answered.has(callID ?? "")
  const open = past.parts.findIndex(isOpen)
  const kept = open === -1 ? past.parts : past.parts.slice(0, open)
  return !kept.some(({ type }) => type === "text" || type === "tool")
}

/** The calls whose results are in the events before the next piece of an answer of the main thread. */
export const callsAnswered = (events: ReadonlyArray<RawEvent>): ReadonlySet<string> => {
  const own = events.filter(isOfConversation)
  const next = own.findIndex(({ name }) => name.startsWith("sdk:assistant"))
  return new Set(own.slice(0, next === -1 ? own.length : next).flatMap(resultsOf))
}

const resultsOf = (event: RawEvent): ReadonlyArray<string> => {
  const { content } = messageOf(event)
  if (!Array.isArray(content)) return []
  return content.flatMap((block: { readonly type?: unknown; readonly tool_use_id?: unknown } | null) =>
    block?.type === "tool_result" && typeof block.tool_use_id === "string" ? [block.tool_use_id] : [],
  )
}

export interface Leaving {
  readonly messages: number
  readonly prompts: number
  /** The beginning of the first removed prompt or answer. */
  readonly first: string
}

/** Summarizes the messages that a revert removes. Those of subagents leave with their calls, and are not counted. */
export const removalSummary = (all: ReadonlyArray<MessageWithParts>): Leaving => {
  const messages = all.filter(({ info }) => isOfMainThread(info))
  const text = messages.flatMap(({ parts }) => parts).find((part) => part.type === "text" && (part.text ?? "") !== "")
  return {
    messages: messages.length,
    prompts: messages.filter(({ info }) => info.role === "user").length,
    first: visibleText(shorten((text?.text ?? "").replaceAll(/\s+/g, " "), 120)),
  }
}

export interface ListedFile {
  readonly path: string
  readonly type: string
  readonly size: number
  readonly mode: number
  readonly sha256?: string
  readonly target?: string
}

export interface FileChange {
  readonly path: string
  readonly change: "comes back" | "changes back" | "goes away"
}

/** The changes if the current files are replaced with those of the past. Folders are ignored. */
export const fileChanges = (
  then: ReadonlyArray<ListedFile>,
  now: ReadonlyArray<ListedFile>,
): ReadonlyArray<FileChange> => {
  const isFile = ({ type }: ListedFile) => type !== "directory"
  const before = new Map(then.filter(isFile).map((file) => [file.path, file]))
  const after = new Map(now.filter(isFile).map((file) => [file.path, file]))
  const changes: Array<FileChange> = []
  for (const [path, file] of before) {
    const current = after.get(path)
    if (current === undefined) changes.push({ path, change: "comes back" })
    else if (contentOf(current) !== contentOf(file)) changes.push({ path, change: "changes back" })
  }
  for (const path of after.keys()) if (!before.has(path)) changes.push({ path, change: "goes away" })
  return changes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

const contentOf = ({ type, mode, sha256, target, size }: ListedFile): string =>
  JSON.stringify([type, mode, sha256 ?? target ?? size])
