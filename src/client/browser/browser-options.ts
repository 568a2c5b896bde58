// For pages with the official browser SDK: the addresses of a session, authorized by a ticket that your own server requested.
// Import it before the SDK: the SDK's module reads Node's `process` while it loads, which bundlers do not provide.
import { baseOf, sessionPath } from "../api/transport.ts"

/** What a page needs to know; `ticket` comes from `session.ticket()` on a server that has the key. */
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
 * `query({ prompt, ...perchSocket(session) })`: over a WebSocket. It starts with the next event, or with `replay` at the start
 * of the session. An invalid ticket closes the socket with code 4401 and the reason.
 * Throws a TypeError when `url` is no http or https address or `sessionId` can be no session's id, as `perchStream` does.
 */
export const perchSocket = (session: BrowserSession, { replay = false } = {}): { websocket: SocketAddress } => {
  const search = new URLSearchParams({ ticket: session.ticket, ...(replay ? { after: "0", replay: "true" } : {}) })
  return { websocket: { url: `${pathOf(session).replace(/^http/, "ws")}/socket?${search}` } }
}

/**
 * `query({ prompt, ...perchStream(session) })`: over server-sent events and POSTs. `fromSequenceNum` is the seq of the last event
 * that the page has shown (`getSseLastSequenceNum(query)` of the previous query); without it the whole log is sent first.
 * Concurrent queries on one session each need a `client` name of their own.
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

/** The members of Node's `process` that the SDK's module uses; an existing `process` is left as it is. */
const PROCESS = {
  env: {},
  argv: [],
  platform: "browser",
  versions: {},
  cwd: () => "/",
  on: () => undefined,
  emitWarning: (warning: unknown) => console.warn(warning),
}

// `process` is no name of a page; Node's modules look for it there.
const page = globalThis as { process?: unknown }
page.process ??= PROCESS
