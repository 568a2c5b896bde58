// What a client receives when the Durable Object of its request is overloaded or was restarted.
import { describe, expect, it, vi } from "vitest"
import type { Env } from "../../src/schemas/env.ts"
import { type Call, makeApi, ROOT_KEY } from "./api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

/** A namespace whose objects throw this error at every call. */
const throwing = (flags: Readonly<Record<string, true>>) => ({
  getByName: () => new Proxy({}, { get: () => () => Promise.reject(Object.assign(new Error("thrown"), flags)) }),
})

/** An API whose objects throw at every call, and that signs in with codes. */
const apiOf = (flags: Readonly<Record<string, true>>) => {
  const api = makeApi({
    PERCH_ROOT_KEY: ROOT_KEY,
    PERCH_LOCAL_SIGN_IN: "true",
    LOCAL_DISK: { fetch: async () => new Response("1000000000") } as unknown as Fetcher, // the one method that is called
  })
  const broken = throwing(flags)
  Object.assign(api.env, { SESSIONS: broken, WEBHOOKS: broken, RECORDINGS: broken, WORKFLOWS: broken, TENANTS: broken })
  return api
}

/** The same-origin request of a page on loopback, without a key. */
const PAGE = { key: null, headers: { host: "localhost", origin: "http://localhost" } }

const requests: ReadonlyArray<readonly [method: string, path: string, named: string, sent: Call]> = [
  ["GET", `/v1/sessions/${ID}`, "session", {}],
  ["GET", `/v1/sessions/${ID}/events/stream`, "session", {}],
  ["GET", `/v1/sessions/${ID}/files/workspace/a.txt`, "session", {}],
  ["PUT", `/v1/sessions/${ID}/files/workspace/a.txt`, "session", { body: "x", headers: { "content-length": "1" } }],
  ["DELETE", `/v1/sessions/${ID}/files/workspace/a.txt`, "session", {}],
  ["GET", `/v1/sessions/${ID}/archive`, "session", {}],
  ["PUT", `/v1/sessions/${ID}/archive`, "session", { body: "x" }],
  ["PUT", `/v1/sessions/${ID}/archive`, "session", {}],
  ["GET", "/v1/webhooks", "webhook", {}],
  ["GET", `/v1/webhooks/${ID}`, "webhook", {}],
  ["GET", "/v1/recordings/one", "recording", {}],
  ["GET", "/v1/recordings/one/download", "recording", {}],
  ["PUT", "/v1/recordings/one", "recording", { body: "{}" }],
  ["GET", "/v1/workflows/debate/runs/one", "run", {}],
  ["GET", "/v1/admin/tenants/acme/limits", "tenant's object", {}],
  ["PUT", "/v1/admin/tenants/acme/limits", "tenant's object", { json: {} }],
  ["GET", "/v1/admin/export/sessions?tenant=acme", "tenant's object", {}],
  ["POST", "/v1/admin/rebuild", "tenant's object", { json: { tenant: "acme" } }],
  ["POST", "/v1/admin/sign-in-codes", "server", { json: {}, headers: PAGE.headers }],
  ["POST", "/v1/sign-in", "server", { ...PAGE, json: { code: "0123456789abcdefghijklmnopqrstuv" } }],
]

describe("a request whose object is overloaded is a 529", () => {
  it.each(requests)("%s %s", async (method, path, named, sent) => {
    const { error } = await apiOf({ overloaded: true }).refused(529, method, path, sent)
    expect(error).toMatchObject({
      type: "overloaded_error",
      message: `The ${named} is overloaded. Try again later.`,
    })
  })
})

describe("a write whose object was restarted is a 500 that asks for a repetition", () => {
  it.each(requests.filter(([method]) => method !== "GET"))("%s %s", async (method, path, named, sent) => {
    const { error } = await apiOf({ durableObjectReset: true }).refused(500, method, path, sent)
    expect(error).toMatchObject({ type: "api_error", message: `The ${named} was restarted. Try again.` })
  })
})

it("a file is read again when the session's object was restarted", async () => {
  const { call, create, env, sessions } = makeApi()
  const id = await create()
  const url = `/v1/sessions/${id}/files/workspace/a.txt`
  await call("PUT", url, { body: "content" })
  let tries = 0
  const getByName = (name: string) => ({
    ...sessions.getByName(name),
    fetch: (input: string, init?: RequestInit) => {
      tries += 1
      const error = Object.assign(new Error("reset"), { durableObjectReset: true })
      return tries === 1 ? Promise.reject(error) : sessions.getByName(name).fetch(input, init)
    },
  })
  Object.assign(env, { SESSIONS: { getByName } as Env["SESSIONS"] })
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  try {
    const answer = call("GET", url)
    await vi.waitFor(() => vi.runOnlyPendingTimersAsync().then(() => expect(tries).toBe(2)))
    expect(await (await answer).text()).toBe("content")
  } finally {
    vi.useRealTimers()
  }
})
