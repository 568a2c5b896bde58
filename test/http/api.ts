// The complete HTTP API on in-memory bindings, and a short way to call it.
import { Effect } from "effect"
import { makeApp } from "../../src/http/app.ts"
import { signTicket, type TicketClaims } from "../../src/http/auth/ticket.ts"
import type { Env } from "../../src/schemas/env.ts"
import { ROLES } from "../../src/schemas/access.ts"
import { FakeTenants } from "../support/session/tenants.ts"
import { SqliteD1 } from "../support/session/sqlite-d1.ts"
import { FakeSessions } from "./fake-sessions.ts"

export const ROOT_KEY = "test-root-key-of-at-least-32-characters"

export interface Call {
  readonly key?: string | null
  readonly json?: unknown
  readonly body?: BodyInit
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export interface Envelope {
  readonly type: string
  readonly error: {
    readonly type: string
    readonly message: string
    readonly field?: string
    readonly issues?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  }
  readonly request_id: string
}

const noAssets = { fetch: async () => new Response(null, { status: 404 }) }

/** The routes do not use the queue. */
export const makeApi = (settings: Partial<Env> = { PERCH_ROOT_KEY: ROOT_KEY }) => {
  const app = makeApp()
  const sessions = new FakeSessions()
  const database = new SqliteD1()
  const tenants = new FakeTenants(settings)
  const env = { SESSIONS: sessions, TENANTS: tenants, DB: database.d1, ASSETS: noAssets, ...settings } as Env
  const works: Array<Promise<unknown>> = []
  const context = {
    waitUntil: (work: Promise<unknown>) => void works.push(work),
    passThroughOnException: () => undefined,
    props: {},
  }
  const call = async (method: string, path: string, { key = ROOT_KEY, json, body, headers, signal }: Call = {}) => {
    const auth: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const sent = json === undefined ? body : JSON.stringify(json)
    const init = {
      method,
      headers: { ...auth, ...headers },
      ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
      ...(signal === undefined ? {} : { signal }),
    }
    return app.request(path, init, env, context)
  }
  /** A ticket that the root key could have issued, with these claims changed. */
  const ticket = (session: string, claims: Partial<TicketClaims> = {}): Promise<string> => {
    const { tenant = "root", key = "root", ...rest } = claims
    const all = { id: "t1", tenant, session, key, generation: 0, roles: [...ROLES], expires: 4_000_000_000, ...rest }
    return Effect.runPromise(signTicket(database.d1, all, Date.now()))
  }
  /** Creates an API key of a tenant with the root key. */
  const makeKey = async (json: Readonly<Record<string, unknown>> = {}): Promise<{ key: string; id: string }> => {
    const made = await call("POST", "/v1/admin/keys", { json: { tenant: "acme", ...json } })
    return (await made.json()) as { key: string; id: string } // as above
  }
  /** Resolves when the background work (`waitUntil`) is done. */
  const settled = async (): Promise<void> => {
    while (works.length > 0) await works.shift()
  }
  /** Makes a call that must fail with this status; returns its envelope. */
  const refused = async (status: number, method: string, path: string, options?: Call): Promise<Envelope> => {
    const response = await call(method, path, options)
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Envelope // its shape is asserted by the tests
  }
  const create = async (options: Call = {}): Promise<string> => {
    const response = await call("POST", "/v1/sessions", { json: {}, ...options })
    const { id } = (await response.json()) as { id: string } // as above
    return id
  }
  return { app, env, sessions, database, call, refused, create, ticket, makeKey, settled }
}
