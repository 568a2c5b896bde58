// Reads from the server what fork and revert need to know before they are sent.
import type { RewindReport } from "../../../client/api/session-shapes.ts"
import { sessionPath } from "../../../client/api/transport.ts"
import type { MessageWithParts } from "../../store/frames.ts"
import type { SessionStore } from "../../store/session-store.ts"
import type { RawEvent } from "../past/marks.ts"
import { lastUuid, type ListedFile, newestUuid, type SdkMessage } from "./places.ts"

type Query = Readonly<Record<string, string | number | undefined>>

const get = <A>({ server, id }: SessionStore, rest: string, query: Query): Promise<A> =>
  server.transport.json<A>("GET", sessionPath(id, rest), { query })

interface Messages<A> {
  readonly messages: ReadonlyArray<A>
  readonly next_cursor: string | null
}

/** Messages behind one, from now: at most 500. */
export const messagesBehind = (store: SessionStore, after: string | undefined, limit = 500) =>
  get<Messages<MessageWithParts>>(store, "/messages", { format: "parts", after, limit })

const idBefore = async (store: SessionStore, message: string): Promise<string | undefined> => {
  const query = { format: "parts", order: "desc", after: message, limit: 1 }
  const { messages } = await get<Messages<MessageWithParts>>(store, "/messages", query)
  return messages[0]?.info.id
}

/** The message itself and what follows it: what a revert to it takes away. */
export const messagesFrom = async (store: SessionStore, message: string) =>
  messagesBehind(store, await idBefore(store, message))

/** Where a copy that has everything up to the end of a message goes on. */
export const uuidOfMessage = async (store: SessionStore, message: string): Promise<string | undefined> => {
  const query = { format: "sdk", after: await idBefore(store, message), limit: 1 }
  return lastUuid((await get<Messages<SdkMessage>>(store, "/messages", query)).messages)
}

/** Where a copy that has everything up to a place goes on; `last` is the newest message there. */
export const uuidOfPlace = async (store: SessionStore, place: number, last: MessageWithParts) => {
  if (last.info.role === "user") return last.info.sdk?.uuid
  const query = { order: "desc", after: place + 1, limit: 100, name: "sdk:*" }
  const { events } = await get<{ readonly events: ReadonlyArray<RawEvent> }>(store, "/events", query)
  return newestUuid(events) ?? last.info.sdk?.uuid
}

const FILE_PAGES = 20

/** The files at a place, or now. Null when there are more than can be compared here. */
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

/** Which files a revert to a prompt would put back. */
export const rewindFacts = ({ server, id }: SessionStore, prompt: string): Promise<RewindReport> =>
  server.transport.json("POST", sessionPath(id, "/rewind"), { json: { user_message_id: prompt, dry_run: true } })
