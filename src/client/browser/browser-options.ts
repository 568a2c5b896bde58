// For pages with the official browser SDK: the addresses of a session, opened by a ticket that a server of yours made.
// Import it before the SDK: the SDK's module reads Node's `process` while it loads, and a bundler leaves that to the page.
import { baseOf, sessionPath } from "../api/transport.ts"

/** What a page needs to know; `ticket` comes from `session.ticket()` on a server that holds the key. */
export interface BrowserSession {
  /** The Perch server's address. */
  readonly url: string
  readonly sessionId: string
  readonly ticket: string
}

/** The SDK's `websocket` option. */
export interface SocketAddress {
  readonly url: string
}

/** The SDK's `sse` option. */
export interface StreamAddress {
  readonly streamUrl: string
  readonly sendUrl: string
  readonly sessionId: string
  readonly headers: Record<string, string>
  readonly fromSequenceNum?: number
}

/**
 * `query({ prompt, ...perchSocket(session) })`: over a WebSocket. It begins with what comes next, or with `replay` at the
 * session's beginning. A ticket that is no good closes the socket with 4401 and the reason.
 */
export const perchSocket = (session: BrowserSession, { replay = false } = {}): { websocket: SocketAddress } => {
  const search = new URLSearchParams({ ticket: session.ticket, ...(replay ? { after: "0", replay: "true" } : {}) })
  return { websocket: { url: `${pathOf(session).replace(/^http/, "ws")}/socket?${search}` } }
}

/**
 * `query({ prompt, ...perchStream(session) })`: over server-sent events and POSTs. `fromSequenceNum` is the last place that the
 * page has shown already (`getSseLastSequenceNum(query)` of the query before); without it the whole log comes first.
 * Several queries on one session at a time need a `client` name each.
 */
export const perchStream = (
  session: BrowserSession,
  { fromSequenceNum, client }: { fromSequenceNum?: number | undefined; client?: string } = {},
): { sse: StreamAddress } => {
  const search = new URLSearchParams({ ticket: session.ticket, ...(client === undefined ? {} : { client }) })
  return {
    sse: {
      streamUrl: `${pathOf(session)}/events/stream?format=client&${search}`,
      sendUrl: `${pathOf(session)}/events?${search}`,
      sessionId: session.sessionId,
      headers: {},
      ...(fromSequenceNum === undefined ? {} : { fromSequenceNum }),
    },
  }
}

const pathOf = ({ url, sessionId }: BrowserSession): string => `${baseOf(url)}${sessionPath(sessionId)}`

/** As much of Node's `process` as the SDK's module asks for; one that is there stays. */
const PROCESS = {
  env: {},
  argv: [],
  platform: "browser",
  versions: {},
  cwd: () => "/",
  on: () => undefined,
  emitWarning: (warning: unknown) => console.warn(warning),
}

const page = globalThis as { process?: unknown }
page.process ??= PROCESS
