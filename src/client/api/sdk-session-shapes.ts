// The types of the session functions: the official SDK's signatures and shapes, without a dependency on its package.
// Invariant: an option that a server can't honour is refused, or has no effect for the reason given here.

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
