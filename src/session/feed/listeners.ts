// The sockets that listen to a session, and what each of them subscribes to.
// Invariant: a subscription survives hibernation, because it is stored with its socket.
import type { Actor } from "../../schemas/access.ts"
import type { ObjectContext } from "../object-context.ts"
import { type Listener, readAttachment, type SocketQuery } from "./listener.ts"

/** What a feed needs of the object. */
export type FeedContext = Pick<ObjectContext, "acceptSocket" | "sockets" | "now">

export class Listeners {
  readonly #context: FeedContext
  readonly #bySocket = new WeakMap<WebSocket, Listener>()
  /** The sockets, cached until one opens or closes: asking the platform for them costs more than most lines. */
  #known: ReadonlyArray<WebSocket> | null = null

  constructor(context: FeedContext) {
    this.#context = context
  }

  /** Accepts a socket; `replayed` is the seq after which it is sent the log. */
  accept(
    socket: WebSocket,
    query: SocketQuery,
    replayed: number,
    known: Pick<Listener, "isKnown" | "since">,
  ): Listener {
    const { after: _, ...asked } = query
    const listener: Listener = { ...asked, replayed, ...known }
    this.#context.acceptSocket(socket)
    this.#known = null
    this.#bySocket.set(socket, listener)
    this.keep(socket, { ...listener, replayed: null })
    return listener
  }

  /** Stores the listener with its socket, for after hibernation. Only a replay that waits for its reader has a position. */
  keep(socket: WebSocket, listener: Listener): void {
    socket.serializeAttachment(listener.paged === true ? listener : { ...listener, replayed: null })
  }

  /** Sets the actor of a socket's frames from now on. */
  renew(socket: WebSocket, actor: Actor): void {
    const listener: Listener = { ...this.of(socket), actor }
    this.keep(socket, listener)
    this.#bySocket.set(socket, listener)
  }

  /** Call it when a socket has closed. */
  left(): void {
    this.#known = null
  }

  /** The sockets as the platform has them now. */
  current(): ReadonlyArray<WebSocket> {
    return this.#context.sockets()
  }

  get sockets(): ReadonlyArray<WebSocket> {
    this.#known ??= this.#context.sockets()
    return this.#known
  }

  /** The listener of a socket. After hibernation it is read from the socket's attachment, with the position of its replay. */
  of(socket: WebSocket): Listener {
    const known = this.#bySocket.get(socket)
    if (known !== undefined) return known
    const listener = readAttachment(socket)
    this.#bySocket.set(socket, listener)
    return listener
  }

  /** The actor of a socket. */
  actorOf(socket: WebSocket): Actor | undefined {
    return this.of(socket).actor
  }

  /** The client that a socket belongs to. */
  clientOf(socket: WebSocket): string | null {
    return this.of(socket).client
  }

  formOf(socket: WebSocket): Listener["form"] {
    return this.of(socket).form
  }

  /** True when a socket of the client has been open since before the event `seq`. */
  isAttachedSince(client: string, seq: number): boolean {
    return this.sockets.some((socket) => {
      const { client: name, since = seq } = this.of(socket)
      return name === client && since < seq
    })
  }

  /** True while the client has a socket, other than `except`. */
  isAttached(client: string, except?: WebSocket): boolean {
    return this.#context
      .sockets()
      .some((socket) => socket !== except && socket.readyState === WebSocket.OPEN && this.of(socket).client === client)
  }

  /** How many of the open sockets are feeds of the Worker, or clients of the control protocol. */
  count(feeds: boolean): number {
    let count = 0
    for (const socket of this.#context.sockets()) {
      if (socket.readyState === WebSocket.OPEN && (this.of(socket).form === "feed") === feeds) count += 1
    }
    return count
  }

  get size(): number {
    return this.#context.sockets().length
  }
}
