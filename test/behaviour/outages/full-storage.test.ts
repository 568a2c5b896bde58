// A request that could not be stored: the client's error when the disk, or the session's object, is full.
import { afterEach, describe, expect, it, vi } from "vitest"
import type { Env } from "../../../src/schemas/env.ts"
import { makeApi, ROOT_KEY } from "../../http/api.ts"
import { FakeSessions } from "../../http/fake-sessions.ts"

/** A disk with this number of bytes left, as `npm start` reports it to the Worker. */
const diskWith = (free: number): Pick<Env, "LOCAL_DISK"> =>
  ({ LOCAL_DISK: { fetch: async () => new Response(String(free)) } }) as unknown as Pick<Env, "LOCAL_DISK">

/** An API whose sessions fail to write, and also to read when `reads` is true. */
const failing = (error: Error, settings: Partial<Env> = {}, reads = false) => {
  const sessions = new FakeSessions()
  const getByName = (name: string) =>
    new Proxy(sessions.getByName(name), {
      get: (target, method) => {
        const writes = ["create", "patch", "submit", "fetch"].includes(String(method))
        return writes || (reads && method === "info") ? () => Promise.reject(error) : Reflect.get(target, method)
      },
    })
  return makeApi({ PERCH_ROOT_KEY: ROOT_KEY, SESSIONS: { getByName } as Env["SESSIONS"], ...settings })
}

const GB = 1e9
/** The errors of workerd when a commit failed on the disk, and when it had to restart the object because of that. */
const FAULTS = [
  new Error("internal error; reference = abc123"),
  Object.assign(new Error("the storage was reset"), { durableObjectReset: true, retryable: true }),
] as const

afterEach(() => vi.restoreAllMocks())

describe("a request that could not be stored", () => {
  const writes = [
    ["POST", "/v1/sessions", { json: {} }],
    ["POST", "/v1/query", { json: { prompt: "hello" } }],
    ["PUT", "/v1/sessions/0192f0c1-2345-7abc-8def-0123456789ab/files/workspace/a.txt", { body: "x" }],
  ] as const

  it("is answered with storage_full_error when the disk is full, whatever workerd reports", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    for (const fault of FAULTS) {
      for (const [method, path, sent] of writes) {
        const api = failing(fault, diskWith(1024))
        const response = await api.call(method, path, sent)
        const body = (await response.json()) as { error: { type: string; message: string } }
        expect(`${path}: ${response.status} ${body.error.type}`).toBe(`${path}: 507 storage_full_error`)
        expect(response.headers.get("retry-after")).toBe("60")
        expect(body.error.message).not.toMatch(/restart/i)
      }
    }
  })

  it("is an api_error when the disk has space left", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    for (const settings of [diskWith(GB), {}]) {
      const { error } = await failing(FAULTS[0], settings).refused(500, "POST", "/v1/sessions", { json: {} })
      expect(error.type).toBe("api_error")
    }
  })

  it("is storage_full_error when the session's own object has reached its size limit, as SQLite reports it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => undefined)
    for (const [method, path, sent] of writes) {
      const api = failing(new Error("database or disk is full: SQLITE_FULL"), diskWith(GB))
      expect((await api.refused(507, method, path, sent)).error.type).toBe("storage_full_error")
    }
  })

  it("keeps refusals unchanged: a full disk is not their cause", async () => {
    const api = makeApi({ PERCH_ROOT_KEY: ROOT_KEY, ...diskWith(1024) })
    expect((await api.refused(400, "POST", "/v1/sessions", { json: { options: { nothing: 1 } } })).error.type).toBe(
      "invalid_request_error",
    )
    expect((await api.call("POST", "/v1/sessions", { json: {} })).status).toBe(201)
  })
})
