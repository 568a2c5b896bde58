// The Worker's end of a socket whose client sends its credentials in the first line.
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Principal } from "../../../src/http/auth/auth.ts"
import { ApiError } from "../../../src/http/errors/errors.ts"
import { FIRST_LINE_LIMIT, FIRST_LINE_MS, FirstLine, MESSAGE_LIMIT } from "../../../src/http/socket/first-line.ts"
import { openTimersOf } from "../../support/values/open-timers.ts"
import { makeApi, ROOT_KEY } from "../api.ts"
import { asWebSocket, FakeEnd } from "../fake-ends.ts"

const session = "0192f0c1-2345-7abc-8def-0123456789ab"

let openTimers = () => 0

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] })
  openTimers = openTimersOf("/http/socket/first-line.ts")
})
afterEach(() => vi.useRealTimers())

const auth = (token: string) => `${JSON.stringify({ type: "auth", credential: { type: "oauth", token } })}\n`

/** A client that is connected to the Worker, and its session, which opens when the test releases it. */
const connect = (refusal?: ApiError) => {
  const { env, ticket } = makeApi()
  const [client, server] = FakeEnd.pair()
  const [worker, object] = FakeEnd.pair()
  const tenants: Array<string> = []
  const let_ = Promise.withResolvers<void>()
  client.accept()
  object.accept()
  const open = ({ tenant }: Principal) =>
    Effect.suspend(() => {
      tenants.push(tenant)
      if (refusal !== undefined) return Effect.fail(refusal)
      return Effect.as(
        Effect.promise(() => let_.promise),
        { webSocket: asWebSocket(worker) },
      )
    })
  const signIn = { env, address: null, later: () => undefined }
  new FirstLine({ socket: asWebSocket(server), signIn, session, open, at: { requestId: "r", route: "GET /" } }).listen()
  /** Resolves when the session was requested. */
  const asked = () => vi.waitFor(() => expect(tenants).toHaveLength(1))
  const opened = async () => {
    await asked()
    let_.resolve()
    await vi.waitFor(() => expect(object.received.length + Number(object.closed !== null)).toBeGreaterThan(0))
  }
  return { ticket, client, object, tenants, asked, opened, let: let_.resolve }
}

const closed = async (end: FakeEnd) => {
  await vi.waitFor(() => expect(end.closed).not.toBeNull())
  return end.closed
}

describe("the first line", () => {
  it("is a key: the following lines reach the session unchanged and in order", async () => {
    const { client, object, tenants, opened } = connect()
    client.send(auth(ROOT_KEY))
    client.send('{"a":  "ü"}\n')
    client.send('{"b":')
    client.send("1}\n")
    await opened()
    client.send('{"c":1}\n')
    expect(object.received).toEqual(['{"a":  "ü"}\n', '{"b":', "1}\n", '{"c":1}\n'])
    expect(tenants).toEqual(["root"])
    object.send('{"type":"x"}\n')
    expect(client.received).toEqual(['{"type":"x"}\n'])
    expect(openTimers()).toBe(0)
  })

  it("may arrive in pieces, followed by the next line", async () => {
    const { client, object, opened } = connect()
    const text = `${auth(ROOT_KEY)}{"type":"keep_alive"}\n`
    for (const piece of [text.slice(0, 20), text.slice(20, 40), text.slice(40)]) client.send(piece)
    await opened()
    expect(object.received).toEqual(['{"type":"keep_alive"}\n'])
  })

  it("can be a ticket that may observe", async () => {
    const { client, tenants, asked, ticket } = connect()
    client.send(auth(await ticket(session, { roles: ["observe"] })))
    await asked()
    expect(tenants).toEqual(["root"])
  })

  it.each([
    ["a wrong key", auth("unknown")],
    ["no key", auth("")],
    ["another frame", '{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}\n'],
    ["another credential", '{"type":"auth","credential":{"type":"basic","token":"x"}}\n'],
    ["no JSON", "hello\n"],
    ["an empty line", "\n"],
    ["a line without end", "x".repeat(FIRST_LINE_LIMIT + 1)],
    ["a line that is too long", `${"ü".repeat(FIRST_LINE_LIMIT / 2 + 1)}\n`],
  ])("that is %s closes the socket with 4401", async (_, text) => {
    const { client, tenants } = connect()
    client.send(text)
    expect(await closed(client)).toMatchObject({ code: 4401, reason: expect.stringMatching(/\w/) })
    expect(tenants).toEqual([])
    expect(openTimers()).toBe(0)
  })

  it.each([
    ["another session", { session: "0192f0c1-2345-7abc-8def-0123456789ac" }, 4401],
    ["a time that is over", { expires: 1_000_000_000 }, 4401],
    ["a key that is not there", { tenant: "acme", key: "0123456789abcdef" }, 4401],
    ["other roles", { roles: ["prompt" as const] }, 4403],
  ])("with a ticket for %s closes the socket with its error's code", async (_, change, code) => {
    const { client, ticket } = connect()
    client.send(auth(await ticket(session, change)))
    expect(await closed(client)).toMatchObject({ code })
  })

  it("must arrive within ten seconds", async () => {
    const { client } = connect()
    client.send('{"type":')
    vi.advanceTimersByTime(FIRST_LINE_MS - 1)
    expect(client.closed).toBeNull()
    vi.advanceTimersByTime(1)
    expect(await closed(client)).toMatchObject({ code: 4401, reason: expect.stringContaining("10 seconds") })
  })

  it("for another tenant closes the socket with 4404", async () => {
    const { client } = connect(new ApiError({ type: "not_found_error", message: "No such session ".repeat(20) }))
    client.send(auth(ROOT_KEY))
    expect(await closed(client)).toMatchObject({ code: 4404, reason: expect.stringMatching(/^No such session/) })
  })
})

describe("a joined socket", () => {
  const joined = async () => {
    const both = connect()
    both.client.send(`${auth(ROOT_KEY)}x`)
    await both.opened()
    return both
  }

  it.each([
    ["is done", 1000, 1000, "why"],
    ["gives no code", 1005, 1000, "why"],
    ["refuses", 4409, 4409, "why"],
    ["vanishes", 1006, 1012, "The session was restarted; connect again"],
  ])("when the session %s (%i), the client gets %i", async (_, code, expected, reason) => {
    const { client, object } = await joined()
    object.vanish(code, "why")
    expect(await closed(client)).toEqual({ code: expected, reason })
  })

  it.each([
    ["is done", 1000, 1000],
    ["gives no code", 1005, 1001],
    ["vanishes", 1006, 1001],
  ])("when the client %s (%i), the session gets %i", async (_, code, expected) => {
    const { client, object } = await joined()
    client.vanish(code)
    expect(await closed(object)).toMatchObject({ code: expected })
  })

  it("accepts no message above 20 MiB, and no binary message", async () => {
    const fits = await joined()
    fits.client.send("x".repeat(MESSAGE_LIMIT))
    expect(fits.object.received).toHaveLength(2)
    fits.client.send("ü".repeat(MESSAGE_LIMIT / 2 + 1))
    expect(await closed(fits.client)).toMatchObject({ code: 1009 })
    expect(await closed(fits.object)).toMatchObject({ code: 1009 })
    expect(fits.object.received).toHaveLength(2)
    const bytes = await joined()
    bytes.client.send(new ArrayBuffer(1))
    expect(await closed(bytes.client)).toMatchObject({ code: 1003 })
  })

  it("limits the messages that wait for the session too", async () => {
    const { client, asked } = connect()
    client.send(auth(ROOT_KEY))
    await asked()
    for (let n = 0; n < 21; n += 1) client.send("x".repeat(1024 * 1024))
    expect(await closed(client)).toMatchObject({ code: 1009 })
  })

  it("a client that disconnects while its session is opening leaves no open socket", async () => {
    const { client, object, asked, let: release } = connect()
    client.send(auth(ROOT_KEY))
    await asked()
    client.vanish()
    release()
    expect(await closed(object)).toMatchObject({ code: 1001 })
  })
})
