// The sockets of a session: opens them, hands the lines of clients to the control protocol, and notes who has left.
// Invariant: a line that carries a number is taken once however often it comes, and its number goes back when it is taken.
import type { Actor } from "../../schemas/access.ts"
import type { Limits } from "../../schemas/limits.ts"
import { ERROR_STATUS } from "../../schemas/errors/rpc-error.ts"
import type { BackgroundTasks } from "../turns/background-tasks.ts"
import type { Clients } from "./clients.ts"
import type { Control } from "./control.ts"
import type { Feed } from "../feed/feed.ts"
import { LineBuffer, lineUuid, parseFrame, readNumbered } from "../feed/lines.ts"
import { clientName, givenName, type LineForm } from "../feed/listener.ts"
import { isBusy } from "../wire-session.ts"
import type { Session } from "../session.ts"
import type { Refusal } from "../refusal.ts"
import { limited } from "../turns/tenant-share.ts"

export interface ClientSocketsDeps {
  readonly feed: Feed
  /** The session, while there is one. */
  readonly session: () => {
    readonly session: Session
    readonly clients: Clients
    readonly control: Control
    readonly background: BackgroundTasks
  } | null
  readonly limits: () => Limits
  /** A socket came, or this one leaves. */
  readonly changed: (leaving?: WebSocket) => void
  readonly keepAlive: (work: Promise<void>) => void
}

const refusalResponse = ({ refused }: Refusal): Response =>
  Response.json(refused, { status: ERROR_STATUS[refused.type] })

export class ClientSockets {
  readonly #deps: ClientSocketsDeps
  readonly #lines = new LineBuffer()

  constructor(deps: ClientSocketsDeps) {
    this.#deps = deps
  }

  /** The answer to an upgrade: a socket that first gets what it missed, then whatever comes. */
  open(url: URL, form: LineForm, actor: Actor | undefined): Response {
    const { sockets_per_session, streams_per_session } = this.#deps.limits()
    const most = form === "feed" ? streams_per_session : sockets_per_session
    if (this.#deps.feed.count(form === "feed") >= most) {
      const what = form === "feed" ? "streams" : "sockets"
      return refusalResponse(limited(`the session has as many ${what} as it may have (${most}). Close one of them.`))
    }
    const [client, server] = Object.values(new WebSocketPair()) as [WebSocket, WebSocket]
    const after = url.searchParams.get("after") ?? "0"
    const given = url.searchParams.get("client")
    const name = given === null ? null : clientName(given, actor)
    const replay = this.#deps.feed.open(server, {
      after: after === "head" ? "head" : Number(after),
      turn: url.searchParams.get("turn"),
      partials: url.searchParams.get("partials") === "true" ? "yes" : "turn",
      client: name,
      form,
      ...(actor === undefined ? {} : { actor }),
    })
    if (name !== null) this.#deps.session()?.clients.attached(name)
    this.#deps.changed()
    this.#deps.keepAlive(replay)
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Lines of a client. A feed's socket only listens. */
  message(socket: WebSocket, message: string | ArrayBuffer): void {
    const client = this.#deps.feed.clientOf(socket)
    const form = this.#deps.feed.formOf(socket)
    // What still comes through a socket that was closed here counts for nothing.
    if (client === null || form === "feed" || socket.readyState !== WebSocket.OPEN) return
    const text = typeof message === "string" ? message : new TextDecoder().decode(message)
    for (const line of this.#lines.take(socket, text)) this.#takeLine(socket, client, form, line)
  }

  #takeLine(socket: WebSocket, client: string, form: LineForm, line: string): void {
    const open = this.#deps.session()
    if (open === null) return
    const numbered = form === "numbered" ? readNumbered(line) : null
    const read = parseFrame(numbered === null ? line : numbered.json)
    const actor = this.#deps.feed.actorOf(socket)
    if (read?.problem !== undefined) open.control.refuse(client, read.frame, read.problem, actor)
    else if (read !== undefined) {
      const turn = numbered === null ? crypto.randomUUID() : lineUuid(givenName(client), numbered.n)
      open.control.take(client, read.frame, turn, actor)
    }
    if (numbered === null) return
    this.#deps.feed.mark(isBusy(open) ? "=busy" : "=idle", socket)
    this.#deps.feed.mark(`+${numbered.n}`, socket)
  }

  closed(socket: WebSocket, code: number): void {
    this.left(socket, code === 1000 || code === 1001)
    // 1005 and 1006 say that no code came; they may not be sent back.
    socket.close(code === 1005 || code === 1006 ? 1000 : code)
  }

  /** A feed of the Worker ends whenever its stream does: only a client's own socket says that it will not come back. */
  left(socket: WebSocket, closed: boolean): void {
    this.#deps.feed.left()
    const open = this.#deps.session()
    if (open === null) return
    const { feed } = this.#deps
    const client = feed.clientOf(socket)
    if (client !== null && !feed.isAttached(client, socket)) {
      open.clients.detached(client, closed && feed.formOf(socket) !== "feed")
    }
    this.#deps.changed(socket)
  }
}
