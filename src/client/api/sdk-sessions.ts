// The session functions of the official SDK, with its signatures and shapes, for the sessions of a server.
// Invariant: `dir` means the same as in the SDK: only sessions with that working directory are found. `sessionStore` is
// refused, since the server keeps the sessions.
import { ifFound } from "./if-found.ts"
import { OneAtATime } from "./one-at-a-time.ts"
import { type PerchClient, perchClient } from "./perch-client.ts"
import { firstMessages, firstPrompt } from "./sdk-conversation.ts"
import type { PerchSessions, SDKSessionInfo, SessionFunctionOptions } from "./sdk-session-shapes.ts"
import type { Session } from "./session-shapes.ts"
import { subagentMessages, subagentsOf } from "./sdk-subagents.ts"
import type { TransportOptions } from "./transport.ts"

export type * from "./sdk-session-shapes.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TAG = "tag"
/** Metadata key whose value is the session's number of turns when it was archived, or "no". */
const ARCHIVED = "archived"
const AT_ONCE = 8

/**
 * The official SDK's session functions for a server. Functions that change a session throw an Error with that SDK's text when
 * it does not exist; those that read return undefined or an empty list. All throw a PerchError when the server refuses.
 */
export const perchSessions = (options: TransportOptions): PerchSessions => {
  const client = perchClient(options)
  // Apps take single functions out of the object, as from the SDK's module, so none of them may need `this`.
  return { ...reading(client), ...changing(client) }
}

type Reading = Pick<
  PerchSessions,
  "listSessions" | "getSessionInfo" | "getSessionMessages" | "listSubagents" | "getSubagentMessages"
>

/** The functions that read sessions. */
const reading = (client: PerchClient): Reading => {
  const known = async (sessionId: string, dir: string | undefined): Promise<Session | undefined> => {
    if (!UUID.test(sessionId)) return undefined
    const session = await ifFound(client.session(sessionId).get())
    return session === undefined || !isIn(session, dir) ? undefined : session
  }

  return {
    async listSessions({ dir, limit, offset, sessionStore } = {}) {
      refuseStore(sessionStore)
      const all: Array<Session> = []
      for await (const session of client.sessions()) if (isIn(session, dir)) all.push(session)
      all.sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
      return inBatches(all.slice(...pageOf(offset, limit)), (session) => infoOf(client, session))
    },

    async getSessionInfo(sessionId, { dir, sessionStore } = {}) {
      refuseStore(sessionStore)
      const session = await known(sessionId, dir)
      return session === undefined ? undefined : infoOf(client, session)
    },

    async getSessionMessages(sessionId, { dir, limit, offset, includeSystemMessages = false, sessionStore } = {}) {
      refuseStore(sessionStore)
      if (!UUID.test(sessionId)) return []
      if (dir !== undefined && (await known(sessionId, dir)) === undefined) return []
      const [start, end] = pageOf(offset, limit)
      const messages = await firstMessages(client, sessionId, end, includeSystemMessages)
      return messages.slice(start, end)
    },

    async listSubagents(sessionId, { dir, sessionStore } = {}) {
      refuseStore(sessionStore)
      return (await known(sessionId, dir)) === undefined ? [] : subagentsOf(client, sessionId)
    },

    async getSubagentMessages(sessionId, agentId, { dir, limit, offset, sessionStore } = {}) {
      refuseStore(sessionStore)
      const session = await known(sessionId, dir)
      const messages = session === undefined ? [] : await subagentMessages(client, sessionId, agentId)
      return messages.slice(...pageOf(offset, limit))
    },
  }
}

/** The functions that change sessions. */
const changing = (client: PerchClient): Omit<PerchSessions, keyof Reading> => {
  const existing = async (sessionId: string, { dir }: SessionFunctionOptions): Promise<Session> => {
    if (!UUID.test(sessionId)) throw new Error(`Invalid sessionId: ${sessionId}`)
    const session = await ifFound(client.session(sessionId).get())
    if (session !== undefined && isIn(session, dir)) return session
    throw new Error(dir === undefined ? notFound(sessionId) : `${notFound(sessionId)} in project directory for ${dir}`)
  }

  const changes = new OneAtATime()

  /** One change at a time per session: the server replaces metadata as a whole, so concurrent changes would be lost. */
  const setMetadata = (
    id: string,
    options: SessionFunctionOptions,
    change: (session: Session) => Record<string, string | null>,
  ) =>
    changes.run(id, async () => {
      const session = await existing(id, options)
      const entries = Object.entries({ ...session.metadata, ...change(session) }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      )
      await client.session(id).update({ metadata: Object.fromEntries(entries) })
    })

  return {
    async renameSession(sessionId, title, options = {}) {
      refuseStore(options.sessionStore)
      if (title.trim() === "") throw new Error("title must be non-empty")
      await existing(sessionId, options)
      await client.session(sessionId).update({ title: title.trim() })
    },

    async tagSession(sessionId, tag, options = {}) {
      refuseStore(options.sessionStore)
      if (tag !== null && tag.trim() === "") throw new Error("tag must be non-empty (use null to clear)")
      await setMetadata(sessionId, options, () => ({ [TAG]: tag === null ? null : tag.trim() }))
    },

    async archiveSession(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      await setMetadata(sessionId, options, ({ turns }) => ({ [ARCHIVED]: String(turns) }))
    },

    async unarchiveSession(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      await setMetadata(sessionId, options, () => ({ [ARCHIVED]: "no" }))
    },

    async deleteSession(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      await existing(sessionId, options)
      await client.session(sessionId).delete()
    },

    async forkSession(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      const session = await existing(sessionId, options)
      const title = options.title?.trim() || `${(await infoOf(client, session)).summary} (fork)`.trim().slice(0, 500)
      const at = options.upToMessageId
      // As the official SDK: a fork starts without tag and archive mark.
      const { [TAG]: _tag, [ARCHIVED]: _archived, ...metadata } = session.metadata
      const fork = await ifFound(
        client.session(sessionId).fork({ title, metadata, ...(at === undefined ? {} : { at }) }),
      )
      if (fork === undefined)
        throw new Error(at === undefined ? notFound(sessionId) : `Message ${at} not found in session ${sessionId}`)
      return { sessionId: fork.id }
    },
  }
}

const refuseStore = (store: unknown): void => {
  if (store != null) throw new Error("sessionStore is not supported: the Perch server keeps the sessions.")
}

const notFound = (sessionId: string): string => `Session ${sessionId} not found`

/** Whether `dir` is the session's working directory; every session counts when it is undefined. */
const isIn = ({ cwd }: Session, dir: string | undefined): boolean => dir === undefined || cwd === directory(dir)

const directory = (dir: string): string => (dir.length > 1 ? dir.replace(/\/+$/, "") || "/" : dir)

/** The start and end index of a page. As in the official SDK, a limit or offset that is not above 0 counts as none. */
const pageOf = (offset = 0, limit = 0): readonly [start: number, end: number] => {
  const start = offset > 0 ? offset : 0
  return [start, limit > 0 ? start + limit : Number.POSITIVE_INFINITY]
}

const infoOf = async (client: PerchClient, session: Session): Promise<SDKSessionInfo> => {
  const { id, title, cwd, metadata, turns } = session
  // Only lists have `first_prompt`, and they are a few seconds behind.
  const prompt = session.first_prompt?.trim() || (await firstPrompt(client, id))
  const tag = metadata[TAG]
  const archived = metadata[ARCHIVED]
  return {
    sessionId: id,
    summary: title ?? prompt ?? "",
    lastModified: Date.parse(session.updated_at),
    createdAt: Date.parse(session.created_at),
    cwd,
    ...(title === null ? {} : { customTitle: title }),
    ...(prompt === undefined ? {} : { firstPrompt: prompt }),
    ...(tag === undefined ? {} : { tag }),
    ...(archived === undefined ? {} : { archived: archived === String(turns) }),
  }
}

const inBatches = async <A, B>(items: ReadonlyArray<A>, run: (item: A) => Promise<B>): Promise<Array<B>> => {
  const done: Array<B> = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))))
  }
  return done
}
