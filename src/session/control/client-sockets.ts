// The sockets of a session: opens them, hands the lines of clients to the control protocol, and notices clients that leave.
// Invariant: a numbered line takes effect once, however often it is sent, and is acknowledged with its number.
import type { Actor } from "../../schemas/access.ts"
import { type SubmitArgs, type Submitted, SUBMITTED_HEADER } from "../../schemas/rpc/turns.ts"
import type { Feed } from "../feed/feed.ts"
import { LineBuffer, lineUuid, parseFrame, readNumbered } from "../feed/lines.ts"
import { clientName, givenName, type LineForm, RECEIPT_MARK } from "../feed/listener.ts"
import type { SessionErasure } from "../erasure.ts"
import type { SessionLife } from "../life.ts"
import type { ObjectContext } from "../object-context.ts"
import { type Refusal, refusalResponse } from "../refusal.ts"
import { limited, type TenantShare } from "../lanes/tenant-share.ts"

export interface ClientSocketsParts {
  readonly context: Pick<ObjectContext, "keepAlive">
  readonly life: Pick<SessionLife, "session">
  readonly feed: Feed
  readonly share: Pick<TenantShare, "limits">
  readonly erasure: Pick<SessionErasure, "eraseIfAbandoned">
}

/** The keep-alive line of the official browser client, byte for byte. */
export const KEEP_ALIVE = '{"type":"keep_alive"}\n'

const UNREAD_BY_OTHERS = limited("clients of this session that do not read leave no room for another. Close them.")

export class ClientSockets {
  readonly #parts: ClientSocketsParts
  readonly #lines = new LineBuffer()

  constructor(parts: ClientSocketsParts) {
    this.#parts = parts
  }

  /** Opens the feed of a turn from its prompt on, as the response to the request that has just submitted it. */
  openAfter(submitted: Submitted, url: URL): Response {
    url.searchParams.set("after", String(submitted.seq - 1))
    const response = this.open(url, "feed", undefined)
    response.headers.set(SUBMITTED_HEADER, JSON.stringify(submitted))
    return response
  }

  /** The response to an upgrade: a socket that first receives what it missed, then live events. */
  open(url: URL, form: LineForm, actor: Actor | undefined): Response {
    const full = this.#full(form)
    if (full !== null) return refusalResponse(full)
    // The pair's own order: its fields are 0 and 1.
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
    const after = url.searchParams.get("after") ?? "0"
    const given = url.searchParams.get("client")
    const name = given === null ? null : clientName(given, actor)
    const isFacts = url.searchParams.get("facts") === "1"
    const signals = url.searchParams.get("signals")
    const replay = this.#parts.feed.open(server, {
      after: after === "head" ? "head" : Number(after),
      turn: url.searchParams.get("turn"),
      partials: isFacts || url.searchParams.get("partials") === "true" ? "yes" : "turn",
      client: name,
      form,
      ...(signals === null ? {} : { signals }),
      ...(isFacts ? { facts: true as const } : {}),
      ...(form === "feed" && url.searchParams.get("paged") === "1" ? { paged: true as const } : {}),
      ...(actor === undefined ? {} : { actor }),
    })
    if (name !== null) this.#parts.life.session?.core.clients.attached(name)
    this.#parts.erasure.eraseIfAbandoned()
    this.#parts.context.keepAlive(replay)
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Why the stream that a prompt's sender wants can't be opened, or null. Check it before the prompt is queued. */
  noStreamFor({ streamed }: Pick<SubmitArgs, "streamed">): Refusal | null {
    return streamed === true ? this.#full("feed") : null
  }

  #full(form: LineForm): Refusal | null {
    const { sockets_per_session, streams_per_session } = this.#parts.share.limits
    const most = form === "feed" ? streams_per_session : sockets_per_session
    if (form !== "feed" && this.#parts.feed.mustRefuseClients) return UNREAD_BY_OTHERS
    if (this.#parts.feed.listeners.count(form === "feed") < most) return null
    const connections = form === "feed" ? "streams" : "sockets"
    return limited(`the session has reached its maximum number of ${connections} (${most}). Close one of them.`)
  }

  /** Processes lines of a client. A message from a feed's reader requests the next page of its replay. */
  message(socket: WebSocket, message: string | ArrayBuffer): void {
    const client = this.#parts.feed.listeners.clientOf(socket)
    const form = this.#parts.feed.listeners.formOf(socket)
    // Lines that still arrive on a socket that was closed here are ignored.
    if (socket.readyState !== WebSocket.OPEN) return
    if (form === "feed") return this.#parts.context.keepAlive(this.#parts.feed.more(socket))
    if (client === null) return
    const text = typeof message === "string" ? message : new TextDecoder().decode(message)
    for (const line of this.#lines.take(socket, text)) {
      if (this.#parts.feed.confirm(socket, line)) continue
      // A confirmation that arrives after the object has restarted is no longer expected.
      if (form === "numbered" && line.startsWith(RECEIPT_MARK)) continue
      this.#takeLine(socket, client, form, line)
    }
  }

  #takeLine(socket: WebSocket, client: string, form: LineForm, line: string): void {
    const open = this.#parts.life.session
    if (open === null) return
    const numbered = form === "numbered" ? readNumbered(line) : null
    const read = parseFrame(numbered === null ? line : numbered.json)
    const actor = this.#parts.feed.listeners.actorOf(socket)
    if (read === undefined) open.control.refuseLine(client)
    else if (read.problem !== undefined) open.control.refuse(client, read.frame, read.problem, actor)
    else {
      const turn = numbered === null ? crypto.randomUUID() : lineUuid(givenName(client), numbered.n)
      open.control.take(client, read.frame, turn, actor)
    }
    if (numbered === null) return
    this.#parts.feed.mark(open.core.isBusy ? "=busy" : "=idle", socket)
    this.#parts.feed.mark(`+${numbered.n}`, socket)
  }

  closed(socket: WebSocket, code: number): void {
    this.left(socket, code === 1000 || code === 1001)
    // 1005 and 1006 say that no code came; they may not be sent back.
    socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  /**
   * Call it when a socket has ended; `closed` when its client closed it. Such a client will not reconnect, unless the socket
   * is a feed of the Worker, which closes with its stream.
   */
  left(socket: WebSocket, closed: boolean): void {
    this.#lines.drop(socket)
    this.#parts.feed.left(socket)
    const open = this.#parts.life.session
    if (open === null) return
    const { listeners } = this.#parts.feed
    const client = listeners.clientOf(socket)
    if (client !== null && !listeners.isAttached(client, socket)) {
      open.core.clients.detached(client, closed && listeners.formOf(socket) !== "feed")
    }
    this.#parts.erasure.eraseIfAbandoned(socket)
  }
}
