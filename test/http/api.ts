// The whole HTTP API on in-memory bindings, and a short way to call it.
import { makeApp } from "../../src/http/app.ts"
import type { Env } from "../../src/schemas/env.ts"
import { SqliteD1 } from "../support/sqlite-d1.ts"
import { FakeSessions } from "./fake-sessions.ts"

export const ROOT_KEY = "test-root-key"

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

export const makeApi = (settings: Partial<Env> = { PERCH_ROOT_KEY: ROOT_KEY }) => {
  const app = makeApp()
  const sessions = new FakeSessions()
  const database = new SqliteD1()
  // The routes use neither the queue nor the assets.
  const env = { SESSIONS: sessions, DB: database.d1, ...settings } as Env
  const call = async (method: string, path: string, { key = ROOT_KEY, json, body, headers, signal }: Call = {}) => {
    const auth: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` }
    const sent = json === undefined ? body : JSON.stringify(json)
    const init = {
      method,
      headers: { ...auth, ...headers },
      ...(sent === undefined ? {} : { body: sent, duplex: "half" }),
      ...(signal === undefined ? {} : { signal }),
    }
    return app.request(path, init, env)
  }
  /** A call that must fail with this status: its envelope. */
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
  return { app, env, sessions, database, call, refused, create }
}
