// Reads from the server the facts that forks and reverts need before they are sent.
import type { RewindReport } from "../../../client/api/session-shapes.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import type { MessageInfo, MessageWithParts } from "../../store/frames.ts"
import type { SessionStore } from "../../store/session-store.ts"
import type { RawEvent } from "../past/marks.ts"
import { callsAnswered, endOfAnswer, isOfMainThread, type ListedFile, newestUuid } from "./places.ts"

type Query = Readonly<Record<string, string | number | undefined>>

const get = <A>({ server, id }: SessionStore, rest: string, query: Query): Promise<A> =>
  server.transport.json<A>("GET", sessionPath(id, rest), { query })

interface Messages<A> {
  readonly messages: ReadonlyArray<A>
  readonly next_cursor: string | null
}

interface EventPage {
  readonly events: ReadonlyArray<RawEvent>
  readonly has_more: boolean
  readonly next_after: number | null
}

/** The current messages after the given one; at most 500. */
const messagesAfter = (store: SessionStore, after: string | undefined, limit = 500) =>
  get<Messages<MessageWithParts>>(store, "/messages", { format: "parts", after, limit })

const idBefore = async (store: SessionStore, message: string): Promise<string | undefined> => {
  const query = { format: "parts", order: "desc", after: message, limit: 1 }
  const { messages } = await get<Messages<MessageWithParts>>(store, "/messages", query)
  return messages[0]?.info.id
}

/** The message and everything after it, which is what a revert to it removes. */
export const messagesFrom = async (store: SessionStore, message: string) =>
  messagesAfter(store, await idBefore(store, message))

/**
 * The current messages of the main thread, starting with the given one or with the first. Reads further pages until it has
 * two messages or reaches the end, because a page can consist of subagents' messages alone.
 */
export const mainThreadFrom = async (store: SessionStore, message: string | undefined) => {
  let page = message === undefined ? await messagesAfter(store, undefined) : await messagesFrom(store, message)
  const messages = page.messages.filter(({ info }) => isOfMainThread(info))
  while (messages.length < 2 && page.next_cursor !== null) {
    page = await messagesAfter(store, page.next_cursor)
    messages.push(...page.messages.filter(({ info }) => isOfMainThread(info)))
  }
  return { messages, hasMore: page.next_cursor !== null }
}

/** The uuid after which a fork continues that contains everything up to the end of a message. */
export const uuidOfMessage = async (store: SessionStore, message: string): Promise<string | undefined> => {
  const { messages } = await messagesAfter(store, await idBefore(store, message), 1)
  const info = messages[0]?.info
  const uuid = info?.sdk?.uuid
  return uuid === undefined || info?.role === "user" ? uuid : (endOfAnswer(await eventsFrom(store, uuid)) ?? uuid)
}

/** The messages in the log from the one with this uuid on. The log is searched from its end, where most forks start. */
const eventsFrom = async (store: SessionStore, uuid: string): Promise<ReadonlyArray<RawEvent>> => {
  const events: Array<RawEvent> = []
  for (let after: number | null | undefined; after !== null;) {
    const query = { order: "desc", limit: 200, name: "sdk:*", after }
    const page = await get<EventPage>(store, "/events", query)
    const first = page.events.findIndex((event) => event.uuid === uuid)
    events.unshift(...page.events.slice(0, first === -1 ? undefined : first + 1).toReversed())
    if (first !== -1) return events
    after = page.has_more ? page.next_after : null
  }
  return []
}

/** The uuid after which a fork continues that contains everything up to a place; `last` is the main thread's newest message. */
export const uuidOfPlace = async (store: SessionStore, place: number, last: MessageWithParts) => {
  if (last.info.role === "user") return last.info.sdk?.uuid
  for (let after: number | null = place + 1; after !== null;) {
    const page: EventPage = await get<EventPage>(store, "/events", { order: "desc", after, limit: 100, name: "sdk:*" })
    const uuid = newestUuid(page.events)
    if (uuid !== undefined) return uuid
    // Behind the call of a subagent, the log has that subagent's messages.
    after = page.has_more ? page.next_after : null
  }
  return last.info.sdk?.uuid
}

/**
 * The place right before a message of the main thread that follows `place`: a revert to the message restores the files of that
 * place. Undefined for a message that began in another way than with an answer or with a turn.
 */
export const placeBefore = async (
  store: SessionStore,
  { sdk }: MessageInfo,
  place: number,
): Promise<number | undefined> => {
  for (let after: number | null = place; after !== null;) {
    const page: EventPage = await get<EventPage>(store, "/events", { after, limit: 200, name: "sdk:*" })
    const begin = page.events.find(
      ({ name, uuid, parent_tool_use_id: agent }) =>
        name === TURN_BEGINS || (agent === null && name === "sdk:assistant" && uuid === sdk?.uuid),
    )
    if (begin !== undefined) return begin.name === TURN_BEGINS && begin.turn !== sdk?.uuid ? undefined : begin.seq - 1
    after = page.has_more ? page.next_after : null
  }
  return undefined
}

/** The calls that were answered between a place and the next piece of its last answer. */
export const answeredAfter = async (store: SessionStore, place: number): Promise<ReadonlySet<string>> => {
  const { events } = await get<EventPage>(store, "/events", { after: place, limit: 200, name: "sdk:*" })
  return callsAnswered(events)
}

const TURN_BEGINS = "sdk:system/init"
const FILE_PAGES = 20

/** The files at a place, or now if `at` is undefined. Null when there are more than 20,000. */
export const filesAt = async (
  store: SessionStore,
  at: number | undefined,
): Promise<ReadonlyArray<ListedFile> | null> => {
  const files: Array<ListedFile> = []
  let cursor: string | undefined
  for (let page = 0; page < FILE_PAGES; page += 1) {
    const query = { limit: 1000, at, cursor }
    const read = await get<{ readonly files: ReadonlyArray<ListedFile>; readonly next_cursor: string | null }>(
      store,
      "/files",
      query,
    )
    files.push(...read.files)
    if (read.next_cursor === null) return files
    cursor = read.next_cursor
  }
  return null
}

/** The files that a revert to a prompt would restore, from a dry run. */
export const rewindFacts = ({ server, id }: SessionStore, prompt: string): Promise<RewindReport> =>
  server.transport.json("POST", sessionPath(id, "/rewind"), { json: { user_message_id: prompt, dry_run: true } })
