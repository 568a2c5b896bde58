// What a client receives when the Durable Object of its request is overloaded or was restarted.
import { describe, expect, it, vi } from "vitest"
import type { Env } from "../../src/schemas/env.ts"
import { makeApi } from "./api.ts"

const ID = "0192f0c1-2345-7abc-8def-0123456789ab"

/** A namespace whose objects throw this error at every call. */
const throwing = (flags: Readonly<Record<string, true>>) => ({
  getByName: () => new Proxy({}, { get: () => () => Promise.reject(Object.assign(new Error("thrown"), flags)) }),
})

describe("a request whose object is overloaded is a 529", () => {
  it.each([
    ["GET", `/v1/sessions/${ID}`, "session"],
    ["GET", `/v1/sessions/${ID}/events/stream`, "session"],
    ["GET", `/v1/sessions/${ID}/files/workspace/a.txt`, "session"],
    ["DELETE", `/v1/sessions/${ID}/files/workspace/a.txt`, "session"],
    ["GET", `/v1/sessions/${ID}/archive`, "session"],
    ["GET", "/v1/webhooks", "webhook"],
    ["GET", `/v1/webhooks/${ID}`, "webhook"],
    ["GET", "/v1/recordings/one", "recording"],
    ["GET", "/v1/recordings/one/download", "recording"],
    ["GET", "/v1/workflows/debate/runs/one", "run"],
  ])("%s %s", async (method, path, named) => {
    const api = makeApi()
    const busy = throwing({ overloaded: true })
    Object.assign(api.env, { SESSIONS: busy, WEBHOOKS: busy, RECORDINGS: busy, WORKFLOWS: busy })
    const { error } = await api.refused(529, method, path)
    expect(error).toMatchObject({
      type: "overloaded_error",
      message: `The ${named} is overloaded. Try again later.`,
    })
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
    await vi.waitFor(() => vi.runAllTimersAsync().then(() => expect(tries).toBe(2)))
    expect(await (await answer).text()).toBe("content")
  } finally {
    vi.useRealTimers()
  }
})
