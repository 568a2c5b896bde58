// The session functions of the official SDK, with its signatures and shapes, for the sessions of a server.
// Invariant: `dir` means the same as in the SDK: only sessions with that working directory are found. `sessionStore` is
// refused, since the server keeps the sessions.
import { NotFoundError } from "./perch-error.ts"
import { OneAtATime } from "./one-at-a-time.ts"
import { type PerchClient, perchClient } from "./perch-client.ts"
import type { Session } from "./session-shapes.ts"
import { subagentMessages, subagentsOf } from "./sdk-subagents.ts"
import type { TransportOptions } from "./transport.ts"

/** As the official SDK's `SDKSessionInfo`. Times are milliseconds since 1970. */
export interface SDKSessionInfo {
  sessionId: string
  /** Its title, or its first prompt. */
  summary: string
  lastModified: number
  customTitle?: string
  firstPrompt?: string
  cwd?: string
  tag?: string
  createdAt?: number
  archived?: boolean
}

/** As the official SDK's `SessionMessage`. */
export interface SessionMessage {
  type: "user" | "assistant" | "system"
  uuid: string
  session_id: string
  message: unknown
  parent_tool_use_id: string | null
  parent_agent_id: string | null
}

/** Options that all of these functions accept. */
export interface SessionFunctionOptions {
  /** The working directory of the session; without it sessions of all directories are found. */
  dir?: string
  /** Refused: the server keeps the sessions. */
  sessionStore?: unknown
}

/** `limit` and `offset` select a page; without them all sessions are returned. */
export interface ListSessionsOptions extends SessionFunctionOptions {
  limit?: number
  offset?: number
  /** Has no effect: sessions have no worktrees. */
  includeWorktrees?: boolean
  /** Has no effect: all sessions are programmatic. */
  includeProgrammatic?: boolean
}

/** `limit` and `offset` select a page; without them all messages are returned. */
export interface GetSessionMessagesOptions extends SessionFunctionOptions {
  limit?: number
  offset?: number
  /** Includes system messages, such as the boundaries of compactions. */
  includeSystemMessages?: boolean
}

/** `limit` and `offset` select a page; without them all messages are returned. */
export interface GetSubagentMessagesOptions extends SessionFunctionOptions {
  limit?: number
  offset?: number
}

/** Where a fork's conversation ends, and its title. */
export interface ForkSessionOptions extends SessionFunctionOptions {
  /** The uuid of the last message in the fork's conversation; by default it has the whole conversation. */
  upToMessageId?: string
  /** By default the session's title, or its first prompt, and " (fork)". */
  title?: string
}

/** The official SDK's functions about sessions, with its signatures, over a Perch server. */
export interface PerchSessions {
  /** Sessions, the most recently used first. */
  listSessions(options?: ListSessionsOptions): Promise<Array<SDKSessionInfo>>
  /** Undefined when there is no such session. */
  getSessionInfo(sessionId: string, options?: SessionFunctionOptions): Promise<SDKSessionInfo | undefined>
  /** Messages of the conversation in order; none when there is no such session. */
  getSessionMessages(sessionId: string, options?: GetSessionMessagesOptions): Promise<Array<SessionMessage>>
  /** Ids of the session's subagents; none when there is no such session. */
  listSubagents(sessionId: string, options?: SessionFunctionOptions): Promise<Array<string>>
  /** Messages of a subagent in order; none when there is no such session or agent. */
  getSubagentMessages(
    sessionId: string,
    agentId: string,
    options?: GetSubagentMessagesOptions,
  ): Promise<Array<SessionMessage>>
  renameSession(sessionId: string, title: string, options?: SessionFunctionOptions): Promise<void>
  /** Sets the session's tag; null removes it. */
  tagSession(sessionId: string, tag: string | null, options?: SessionFunctionOptions): Promise<void>
  /** Marks the session as archived until another prompt runs in it. */
  archiveSession(sessionId: string, options?: SessionFunctionOptions): Promise<void>
  unarchiveSession(sessionId: string, options?: SessionFunctionOptions): Promise<void>
  /** Erases the session on the server with all that belongs to it. */
  deleteSession(sessionId: string, options?: SessionFunctionOptions): Promise<void>
  forkSession(sessionId: string, options?: ForkSessionOptions): Promise<{ sessionId: string }>
}

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

  const found = async (sessionId: string, { dir }: SessionFunctionOptions): Promise<Session> => {
    if (!UUID.test(sessionId)) throw new Error(`Invalid sessionId: ${sessionId}`)
    const session = await orUndefined(client.session(sessionId).get())
    if (session === undefined) throw new Error(notFound(sessionId))
    if (dir !== undefined && session.cwd !== directory(dir)) {
      throw new Error(`Session ${sessionId} not found in project directory for ${dir}`)
    }
    return session
  }

  const changes = new OneAtATime()

  /** One change at a time per session: the server replaces metadata as a whole, so concurrent changes would be lost. */
  const setMetadata = (
    id: string,
    options: SessionFunctionOptions,
    change: (session: Session) => Record<string, string | null>,
  ) =>
    changes.run(id, async () => {
      const session = await found(id, options)
      const entries = Object.entries({ ...session.metadata, ...change(session) }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      )
      await client.session(id).update({ metadata: Object.fromEntries(entries) })
    })

  // Apps take single functions out of it, as from the SDK's module, so none of them may need `this`.
  const functions: PerchSessions = {
    async listSessions({ dir, limit, offset, sessionStore } = {}) {
      refuseStore(sessionStore)
      const all: Array<Session> = []
      for await (const session of client.sessions()) {
        if (dir === undefined || session.cwd === directory(dir)) all.push(session)
      }
      all.sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
      return inBatches(all.slice(...pageOf(offset, limit)), (session) => infoOf(client, session))
    },

    async getSessionInfo(sessionId, { dir, sessionStore } = {}) {
      refuseStore(sessionStore)
      if (!UUID.test(sessionId)) return undefined
      const session = await orUndefined(client.session(sessionId).get())
      if (session === undefined || (dir !== undefined && session.cwd !== directory(dir))) return undefined
      return infoOf(client, session)
    },

    async getSessionMessages(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      if (!UUID.test(sessionId)) return []
      if (options.dir !== undefined && (await functions.getSessionInfo(sessionId, { dir: options.dir })) === undefined)
        return []
      const { limit, offset, includeSystemMessages = false } = options
      const [start, end] = pageOf(offset, limit)
      const messages = await firstMessages(client, sessionId, end, includeSystemMessages)
      return messages.slice(start, end)
    },

    async listSubagents(sessionId, { dir, sessionStore } = {}) {
      refuseStore(sessionStore)
      const known = await functions.getSessionInfo(sessionId, dir === undefined ? {} : { dir })
      return known === undefined ? [] : subagentsOf(client, sessionId)
    },

    async getSubagentMessages(sessionId, agentId, { dir, limit, offset, sessionStore } = {}) {
      refuseStore(sessionStore)
      const known = await functions.getSessionInfo(sessionId, dir === undefined ? {} : { dir })
      const messages = known === undefined ? [] : await subagentMessages(client, sessionId, agentId)
      return messages.slice(...pageOf(offset, limit))
    },

    async renameSession(sessionId, title, options = {}) {
      refuseStore(options.sessionStore)
      if (title.trim() === "") throw new Error("title must be non-empty")
      await found(sessionId, options)
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
      await found(sessionId, options)
      await client.session(sessionId).delete()
    },

    async forkSession(sessionId, options = {}) {
      refuseStore(options.sessionStore)
      const session = await found(sessionId, options)
      const title = options.title?.trim() || `${(await infoOf(client, session)).summary} (fork)`.trim().slice(0, 500)
      const at = options.upToMessageId
      const fork = await orUndefined(client.session(sessionId).fork({ title, ...(at === undefined ? {} : { at }) }))
      if (fork === undefined)
        throw new Error(at === undefined ? notFound(sessionId) : `Message ${at} not found in session ${sessionId}`)
      return { sessionId: fork.id }
    },
  }
  return functions
}

const refuseStore = (store: unknown): void => {
  if (store != null) throw new Error("sessionStore is not supported: the Perch server keeps the sessions.")
}

const notFound = (sessionId: string): string => `Session ${sessionId} not found`

/** The start and end index of a page. As in the official SDK, a limit or offset that is not above 0 counts as none. */
const pageOf = (offset = 0, limit = 0): readonly [start: number, end: number] => {
  const start = offset > 0 ? offset : 0
  return [start, limit > 0 ? start + limit : Number.POSITIVE_INFINITY]
}

const directory = (dir: string): string => (dir.length > 1 ? dir.replace(/\/+$/, "") || "/" : dir)

const orUndefined = async <A>(work: Promise<A>): Promise<A | undefined> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
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

const MAX_PROMPT = 200

const firstPrompt = async (client: PerchClient, id: string): Promise<string | undefined> => {
  for await (const { type, message } of conversation(client, id, 1)) {
    if (type !== "user") continue
    // The message of a user, as the Messages API has it.
    const { content } = message as { readonly content: string | ReadonlyArray<{ readonly text?: string }> }
    const text = typeof content === "string" ? content : content.find((block) => block.text !== undefined)?.text
    return text?.trim().slice(0, MAX_PROMPT)
  }
  return undefined
}

/** How often a conversation is read at most: when its head moves back while it is read, it is read again. */
const MOST_READS = 3

/** The first `count` messages of the conversation, without messages that a revert removes while they are read. */
const firstMessages = async (
  client: PerchClient,
  id: string,
  count: number,
  withSystem: boolean,
): Promise<Array<SessionMessage>> => {
  for (let reads = 1; ; reads += 1) {
    try {
      return await readMessages(client, id, count, withSystem)
    } catch (error) {
      if (!(error instanceof NotFoundError) || reads === MOST_READS) throw error
    }
  }
}

const readMessages = async (client: PerchClient, id: string, count: number, withSystem: boolean) => {
  const messages: Array<SessionMessage> = []
  for await (const message of conversation(client, id)) {
    if (messages.length >= count) break
    if (message.type !== "system" || withSystem) messages.push(message)
  }
  return messages
}

/**
 * The messages of the conversation, page by page; none when there is no such session. As in the official SDK, messages of
 * subagents and those that were written for the model alone are left out, except for the summary of a compaction. Throws
 * NotFoundError when the conversation has meanwhile lost the last message of a page, which is the cursor of the next one.
 */
async function* conversation(client: PerchClient, id: string, limit = 100): AsyncGenerator<SessionMessage, void> {
  let after: string | null | undefined
  let isAfterBoundary = false
  do {
    const query = { limit, ...(after == null ? {} : { after }) }
    const request = client.session(id).messages(query)
    const page = await (after == null ? orUndefined(request) : request)
    if (page === undefined) return
    for (const message of page.messages) {
      if (message.type !== "user" && message.type !== "assistant" && message.type !== "system") continue
      // The types of messages of other kinds have no such field.
      const parent = "parent_tool_use_id" in message ? (message.parent_tool_use_id as string | null) : null
      const isForModel = "isSynthetic" in message && message.isSynthetic === true && !isAfterBoundary
      isAfterBoundary = message.type === "system" && message.subtype === "compact_boundary"
      if (parent !== null || isForModel) continue
      yield {
        type: message.type,
        uuid: message.uuid ?? "",
        session_id: id,
        message: "message" in message ? message.message : message,
        parent_tool_use_id: null,
        parent_agent_id: null,
      }
    }
    after = page.has_more ? page.next_cursor : null
  } while (after !== null)
}

const inBatches = async <A, B>(items: ReadonlyArray<A>, run: (item: A) => Promise<B>): Promise<Array<B>> => {
  const done: Array<B> = []
  for (let at = 0; at < items.length; at += AT_ONCE) {
    done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(run))))
  }
  return done
}
