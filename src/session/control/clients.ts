// The clients that use the control protocol on this session: whose hooks and MCP servers it uses, and what it has
// asked them. Receives their registrations and answers; delivers each answer to the request that waits for it.
// Invariant: callbacks go to the client that owns them and to no other, and no request waits for a client that is gone.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { HookMatchers } from "../../schemas/sdk/hooks/hooks.ts"
import type { Actor } from "../../schemas/access.ts"
import type { ControlFrame } from "../feed/ask-frames.ts"
import type { Registration } from "../storage/meta.ts"
import type { SessionCore } from "../core.ts"

/** How long a client whose connection broke may reconnect; requests to it wait that long. */
const GRACE_MS = 30_000
/**
 * Maximum number of answers that are kept when they arrive, after a restart, before their request is sent again. Later, an
 * answer without a request is one that came too late.
 */
const MAX_EARLY = 100

/** Replies to a client without a socket are kept this long: at most `MAX_KEPT` of a client, and for as many clients. */
const KEEP_MS = 60_000
const MAX_KEPT = 100

/** Maximum number of clients whose `initialize` is remembered. */
const MAX_INITIALIZED = 1000

interface Mailbox {
  readonly since: number
  readonly frames: Array<ControlFrame>
}

/** The client answered with an error, or is gone. */
class ClientError extends Schema.TaggedError<ClientError>()("ClientError", {
  kind: Schema.Literals(["threw", "gone"]),
  message: Schema.String,
}) {}

interface Pending {
  readonly client: string
  readonly frame: ControlFrame & { readonly request: Readonly<Record<string, unknown>> }
  readonly answer: Deferred.Deferred<unknown, ClientError>
}

/** What the clients need of the session. */
type ClientsCore = Pick<SessionCore, "capture" | "context" | "feed" | "meta">

const NO_OWNER: Registration = { client: null, hooks: {}, sdk_servers: {}, connected: [] }

export class Clients {
  readonly #core: ClientsCore
  readonly #pending = new Map<string, Pending>()
  readonly #early = new Map<string, unknown>()
  /** Clients that have sent an `initialize`, the latest last. */
  readonly #initialized = new Set<string>()
  /** When the last socket of each client that may still reconnect closed. For other clients, `#loadedAt` counts. */
  readonly #goneAt = new Map<string, number>()
  readonly #mailboxes = new Map<string, Mailbox>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #loadedAt: number
  #registration: Registration

  constructor(core: ClientsCore) {
    this.#core = core
    this.#loadedAt = core.context.now()
    this.#registration = core.meta.get("clients") ?? NO_OWNER
  }

  get registration(): Registration {
    return this.#registration
  }

  get owner(): string | null {
    return this.#registration.client
  }

  /**
   * Registers the hooks and servers of an `initialize`. The first client with any owns them; while it is attached or may
   * reconnect, no other client can register. True when this client's are in force.
   */
  register(client: string, hooks: HookMatchers, servers: Registration["sdk_servers"], by?: Actor): boolean {
    this.#noteInitialized(client)
    const { client: owner } = this.#registration
    const brings = Object.keys(hooks).length > 0 || Object.keys(servers).length > 0
    if (owner !== null && owner !== client && this.#leftMs(owner) > 0) return !brings
    if (owner === null && !brings) return true
    // Hooks that a key's client registered may be the app's rules: a ticket's client never replaces them.
    const kept = Object.keys(this.#registration.hooks).length > 0 && this.#registration.ticket === undefined
    if (by !== undefined && !by.roles.includes("control")) return !brings
    if (by?.ticket !== undefined && kept) return !brings
    const ticket = by?.ticket === undefined ? {} : { ticket: { answers: by.roles.includes("answer") } }
    const bypass = by === undefined || by.bypass ? {} : { bypass: false as const }
    this.#save(brings ? { client, hooks, sdk_servers: servers, connected: [], ...ticket, ...bypass } : NO_OWNER)
    return true
  }

  #noteInitialized(client: string): void {
    this.#initialized.delete(client)
    this.#initialized.add(client)
    const [oldest] = this.#initialized
    if (oldest !== undefined && this.#initialized.size > MAX_INITIALIZED) this.#initialized.delete(oldest)
  }

  /** Whether the answer to the client's `initialize` was sent or kept, so that requests which it has not answered are sent again. */
  hasInitialized(client: string): boolean {
    return this.#initialized.has(client) || client === this.owner
  }

  /** Stores the owner's servers with their tools, so that a restart in the middle of a turn still has them. */
  keepServers(connected: Registration["connected"]): void {
    this.#save({ ...this.#registration, connected })
  }

  changeServers(client: string, servers: Registration["sdk_servers"]): void {
    const connected = this.#registration.connected.filter((server) => Object.hasOwn(servers, server.name))
    this.#save({ ...this.#registration, client, sdk_servers: servers, connected })
  }

  /** Withdraws and fails the requests to servers that the client has removed: no answer to them can arrive. */
  failRemoved(): void {
    for (const [id, { client, frame, answer }] of this.#pending) {
      const { subtype, server_name: server } = frame.request
      if (subtype !== "mcp_message" || Object.hasOwn(this.#registration.sdk_servers, String(server))) continue
      this.#withdraw(client, id)
      Deferred.doneUnsafe(answer, Effect.fail(REMOVED))
    }
  }

  #withdraw(client: string, id: string): void {
    this.#core.feed.frame(client, { type: "control_cancel_request", request_id: id })
  }

  #save(registration: Registration): void {
    if (JSON.stringify(registration) === JSON.stringify(this.#registration)) return
    this.#registration = registration
    this.#core.capture?.registered(registration)
    this.#core.meta.set("clients", registration)
  }

  /** Registers the hooks and servers that the client had when the session was recorded. */
  restore(registration: Registration): void {
    this.#save(registration)
  }

  attached(client: string): void {
    this.#goneAt.delete(client)
    clearTimeout(this.#timers.get(client))
    this.#timers.delete(client)
  }

  /** Call it when a client's last socket has closed; `forGood` when the client closed it itself. */
  detached(client: string, forGood: boolean): void {
    const now = this.#core.context.now()
    for (const [name, at] of this.#goneAt) {
      if (Math.max(at, this.#loadedAt) + GRACE_MS <= now) this.#goneAt.delete(name)
    }
    this.#goneAt.set(client, forGood ? now - GRACE_MS : now)
    this.#giveUpLater(client)
  }

  /** Milliseconds in which this client may still reconnect. */
  #leftMs(client: string): number {
    if (this.#core.feed.listeners.isAttached(client)) return GRACE_MS
    return (this.#goneAt.get(client) ?? this.#loadedAt) + GRACE_MS - this.#core.context.now()
  }

  #giveUpLater(client: string): void {
    clearTimeout(this.#timers.get(client))
    const giveUp = () => {
      this.#timers.delete(client)
      for (const { client: asked, answer } of this.#pending.values()) {
        if (asked === client) Deferred.doneUnsafe(answer, Effect.fail(GONE))
      }
    }
    const left = this.#leftMs(client)
    if (left <= 0) giveUp()
    else this.#timers.set(client, setTimeout(giveUp, left))
  }

  /**
   * Sends a reply to a client, now or once it has a socket: a client of the SSE pair may send requests before its stream is
   * open.
   */
  reply(client: string, frame: ControlFrame): void {
    if (this.#core.feed.frame(client, frame)) return
    const now = this.#core.context.now()
    for (const [name, { since }] of this.#mailboxes) if (since + KEEP_MS < now) this.#mailboxes.delete(name)
    const known = this.#mailboxes.get(client)
    if (known === undefined) {
      if (this.#mailboxes.size < MAX_KEPT) this.#mailboxes.set(client, { since: now, frames: [frame] })
    } else if (known.frames.length < MAX_KEPT) known.frames.push(frame)
  }

  /** The replies that were kept for the client; they are removed. */
  missed(client: string): ReadonlyArray<ControlFrame> {
    const { frames } = this.#mailboxes.get(client) ?? { frames: [] }
    this.#mailboxes.delete(client)
    return frames
  }

  /**
   * Sends a client a request and waits for its answer. Fails when the client answers with an error or is gone; interrupting
   * the wait withdraws the request.
   */
  request(client: string, id: string, request: Readonly<Record<string, unknown>>): Effect.Effect<unknown, ClientError> {
    return Effect.suspend(() => {
      if (this.#early.has(id)) {
        const answer = this.#early.get(id)
        this.#early.delete(id)
        return Effect.succeed(answer)
      }
      const frame = { type: "control_request", request_id: id, request }
      const answer = Deferred.makeUnsafe<unknown, ClientError>()
      this.#pending.set(id, { client, frame, answer })
      if (!this.#core.feed.frame(client, frame)) this.#giveUpLater(client)
      return Deferred.await(answer).pipe(
        Effect.onInterrupt(() => Effect.sync(() => this.#withdraw(client, id))),
        Effect.ensuring(Effect.sync(() => this.#pending.delete(id))),
      )
    })
  }

  /** Delivers a client's answer to the request that waits for it. Answers from another client are ignored. */
  respond(client: string, id: string, answer: { readonly value: unknown } | { readonly error: string }): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) {
      if (this.#core.context.now() - this.#loadedAt >= GRACE_MS) this.#early.clear()
      else if ("value" in answer && client === this.owner && this.#early.size < MAX_EARLY)
        this.#early.set(id, answer.value)
      return
    }
    if (pending.client !== client) return
    const exit =
      "value" in answer
        ? Effect.succeed(answer.value)
        : Effect.fail(new ClientError({ kind: "threw", message: answer.error }))
    Deferred.doneUnsafe(pending.answer, exit)
  }

  /** Requests that this client has not answered; it is sent them again when it reconnects. */
  unanswered(client: string): ReadonlyArray<ControlFrame> {
    return [...this.#pending.values()].filter((pending) => pending.client === client).map(({ frame }) => frame)
  }
}

const REMOVED = new ClientError({ kind: "gone", message: "the client has removed this server" })

const GONE = new ClientError({ kind: "gone", message: "the client that registered it has gone" })
