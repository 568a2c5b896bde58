// Closes the sockets of clients whose credential has expired or was revoked, and gives the others the newest version of their
// tenant's definitions: receives each socket that opens, and the object's alarms.
// Invariants: a socket is closed within a minute of its key's or ticket's end, also while the object hibernates; without such
// a socket no alarm is armed. The root key never expires.
import * as Effect from "effect/Effect"
import { type Actor, ROOT } from "../../schemas/access.ts"
import { type ApiKeyState, findApiKeys, validUntil } from "../../store/api-keys.ts"
import type { Alarm } from "../storage/alarm.ts"
import { readAttachment } from "../feed/listener.ts"
import type { Listeners } from "../feed/listeners.ts"
import { logLine } from "../server-log.ts"

/** Between two look-ups of a key in D1. */
const CHECK_MS = 45_000
/** Delay of the retry when D1 could not be asked. */
const RETRY_MS = 5_000
/** Close code, as for a first line without valid credentials: 4000 plus the HTTP status. */
const ENDED = 4401

export interface SocketWatchDeps {
  readonly db: D1Database
  readonly alarm: Pick<Alarm, "arm">
  readonly sockets: () => ReadonlyArray<WebSocket>
  readonly keepAlive: (work: Promise<void>) => void
  readonly now: () => number

  readonly listeners: Pick<Listeners, "renew">
}

export class SocketWatch {
  readonly #deps: SocketWatchDeps
  /** When each key was last looked up here; until then the time that the socket's actor brought counts. */
  readonly #checked = new Map<string, number>()

  constructor(deps: SocketWatchDeps) {
    this.#deps = deps
  }

  /** Call it when a client's socket has opened: arms the alarm of its first check. */
  opened(actor: Actor): void {
    this.#arm(this.#dueAt(actor))
  }

  /** Closes what has ended, looks up the keys that are due, and arms the next alarm before it waits. */
  onAlarm(): void {
    const watched = this.#watched()
    if (watched.length === 0) return
    const now = this.#deps.now()
    for (const { socket, actor } of watched) if (hasExpired(actor, now)) close(socket)
    const left = watched.filter(({ actor }) => !hasExpired(actor, now))
    const due = [...new Set(left.filter(({ actor }) => this.#dueAt(actor) <= now).map(({ actor }) => actor.key))]
    this.#arm(Math.min(...left.map(({ actor }) => Math.max(this.#dueAt(actor), now + RETRY_MS))))
    if (due.length > 0) this.#deps.keepAlive(this.#check(due))
  }

  #watched(): ReadonlyArray<{ readonly socket: WebSocket; readonly actor: Actor }> {
    return this.#deps.sockets().flatMap((socket) => {
      const { actor, form } = readAttachment(socket)
      // The Worker watches the sockets of its own feeds.
      return actor === undefined || form === "feed" || socket.readyState !== WebSocket.OPEN ? [] : [{ socket, actor }]
    })
  }

  #dueAt({ key, checked, expires }: Actor): number {
    const check = key === ROOT ? Number.POSITIVE_INFINITY : (this.#checked.get(key) ?? checked) + CHECK_MS
    return Math.min(check, expires ?? Number.POSITIVE_INFINITY)
  }

  async #check(ids: ReadonlyArray<string>): Promise<void> {
    const { db, now } = this.#deps
    const found = await Effect.runPromise(Effect.result(findApiKeys(db, ids)))
    if (found._tag === "Failure") return logLine("warn", "keys of open sockets could not be looked up", {})
    const keys = new Map(found.success.map((key) => [key.id, key]))
    const at = now()
    for (const id of ids) this.#checked.set(id, at)
    for (const { socket, actor } of this.#watched()) {
      if (!ids.includes(actor.key)) continue
      const key = keys.get(actor.key)
      if (!isGood(key, actor, at)) close(socket)
      // A socket that makes no other request must bring its session the tenant's newest definitions too.
      else if (key?.definitions !== undefined && key.definitions > (actor.definitions ?? 0))
        this.#deps.listeners.renew(socket, { ...actor, definitions: key.definitions })
    }
    this.#arm(Math.min(...this.#watched().map(({ actor }) => this.#dueAt(actor))))
  }

  /** Infinity is the time of a socket that never ends, and of none. */
  #arm(at: number): void {
    if (Number.isFinite(at)) this.#deps.alarm.arm(at)
  }
}

const hasExpired = ({ expires }: Actor, now: number): boolean => expires !== null && expires <= now

const isGood = (key: ApiKeyState | undefined, { generation }: Actor, now: number): boolean =>
  key !== undefined && validUntil(key, generation, now) !== false

const close = (socket: WebSocket): void =>
  socket.close(ENDED, "The API key or ticket of this socket is no longer valid")
