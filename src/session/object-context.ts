// What the platform provides to a session's Durable Object, in one value: its name, storage, alarm, sockets and time.
// Invariant: nothing here belongs to one session's state; an object without a session has all of it.
import type { Env } from "../schemas/env.ts"
import { Alarm } from "./storage/alarm.ts"
import { CountedSql } from "./storage/tables.ts"

export class ObjectContext {
  readonly env: Env
  readonly tenant: string
  /** The session's id. */
  readonly id: string
  readonly sql: CountedSql
  readonly alarm: Alarm
  /** Calls and requests that reached the object since it started: it is billed for them, and for alarms and lines of sockets. */
  requests = 0
  /** Milliseconds since 1970. */
  readonly now = (): number => Date.now()
  readonly newUuid = (): string => crypto.randomUUID()
  readonly transactionSync: <A>(run: () => A) => A
  /** Keeps the object alive until the work has settled. */
  readonly keepAlive: (work: Promise<unknown>) => void
  /** The sockets that are open, or closing. */
  readonly sockets: () => ReadonlyArray<WebSocket>
  readonly acceptSocket: (socket: WebSocket) => void

  /** The object's name is `tenant/session-id`. */
  constructor(state: DurableObjectState, env: Env) {
    const name = state.id.name ?? ""
    const slash = name.indexOf("/")
    this.env = env
    this.tenant = name.slice(0, slash)
    this.id = name.slice(slash + 1)
    this.sql = new CountedSql(state.storage.sql, env.PERCH_LOG === "debug")
    this.alarm = new Alarm(state.storage)
    this.transactionSync = (run) => state.storage.transactionSync(run)
    this.keepAlive = (work) => state.waitUntil(work)
    this.sockets = () => state.getWebSockets()
    this.acceptSocket = (socket) => state.acceptWebSocket(socket)
  }
}
