// Sessions that are continued, against a real server: resumed, forked, resumed at a message, continued, ephemeral.
import { randomUUID } from "node:crypto"
import { type Options, query, type SDKMessage } from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, it } from "vitest"
import { perch as door } from "../../../src/client/spawn.ts"
import { assistantBlocks, type ApiRequest } from "../../support/session/api-log.ts"
import { type Event, eventually } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { startOwnServer } from "../../support/server/own-server.ts"

/** A test that restarts the server may take this long. */
const WITH_RESTART = 120_000

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const

const { server, sharedCrash, perch, api } = await startOwnServer()

type Script = ReadonlyArray<{ readonly content: ReadonlyArray<object> }>

/** Runs one prompt through the official SDK, against its own script. */
const ask = async (script: Script, options: Options = {}) => {
  const name = scriptName("resume")
  await api.set(name, script)
  const messages: Array<SDKMessage> = []
  const through = { env: {}, ...BYPASS, ...options, ...door({ url: server.url, apiKey: server.key }) }
  for await (const message of query({ prompt: promptFor(name), options: through })) messages.push(message)
  const result = messages.at(-1)
  if (result?.type !== "result") throw new Error("the last message is no result")
  return { messages, result, session: result.session_id, requests: await api.requests(name) }
}

const contents = (request: ApiRequest | undefined): ReadonlyArray<unknown> =>
  request === undefined ? [] : assistantBlocks(request).map((block) => block.text ?? block.type)

const messageOf = (events: ReadonlyArray<Event>, words: string): string =>
  events.find(({ name, payload }) => name === "sdk:assistant" && JSON.stringify(payload).includes(words))?.uuid ?? ""

const sources = (events: ReadonlyArray<Event>) =>
  events
    .filter(({ payload }) => payload["hook_event_name"] === "SessionStart")
    .map(({ payload }) => (payload["input"] as { source: string }).source)

// These tests run at the same time, and the server is killed once for all of them (`sharedCrash`).
describe("a server that is killed: afterwards,", () => {
  it.concurrent(
    "resume continues with the whole conversation, files and cost",
    async (context) => {
      const { crash } = sharedCrash(context)
      const write = call("Write", { file_path: "/workspace/n.txt", content: "alpha\n" })
      const first = await ask([{ content: [text("first"), write] }, textAnswer("second")])
      await crash()
      const read = call("Read", { file_path: "/workspace/n.txt" })
      const second = await ask([{ content: [read] }, textAnswer("third")], { resume: first.session })
      expect(second.session).toBe(first.session)
      expect(contents(second.requests[0])).toEqual(["first", "tool_use", "second"])
      expect(JSON.stringify(second.requests[1]?.body.messages)).toContain("alpha")
      expect(second.result).toMatchObject({ result: "third", num_turns: 2 })
      expect(second.result.total_cost_usd).toBeGreaterThan(first.result.total_cost_usd)
      await ask([textAnswer("fourth")], { resume: first.session })
      expect(sources(await perch.events(first.session))).toEqual(["startup", "resume", "resume"])
    },
    WITH_RESTART,
  )

  it.concurrent(
    "a resume by REST with an Idempotency-Key changes the session once",
    async (context) => {
      const { crash } = sharedCrash(context)
      const id = await perch.createSession()
      const request = { json: { options: { resume: id, maxTurns: 5 } }, headers: { "idempotency-key": randomUUID() } }
      await perch.json("POST", "/v1/sessions", request)
      const events = await perch.events(id)
      await crash()
      expect(await perch.json("POST", "/v1/sessions", request)).toMatchObject({ id, options: { maxTurns: 5 } })
      expect(await perch.events(id)).toEqual(events)
      await perch.json("POST", "/v1/sessions", { ...request, json: { options: { resume: id } }, status: 422 })
    },
    WITH_RESTART,
  )

  it.concurrent(
    "a copy has the files and a tool result of a megabyte, and is independent",
    async (context) => {
      const { crash } = sharedCrash(context)
      const large = "0123456789abcdef\n".repeat(56_000)
      const parent = await perch.createSession(BYPASS, { "/workspace/kept.txt": "kept\n" })
      const name = scriptName("large")
      const made = call("Bash", {
        command: "mkdir d && echo hi > d/x && chmod 750 d/x && ln -s d/x link",
        description: "Make",
      })
      await api.set(name, [
        { content: [call("Write", { file_path: "/workspace/large.txt", content: large }), made] },
        textAnswer("done"),
      ])
      await perch.query(parent, promptFor(name))
      const before = await perch.events(parent)
      expect(Math.max(...before.map(({ payload }) => JSON.stringify(payload).length))).toBeGreaterThan(900_000)

      const key = { "idempotency-key": randomUUID() }
      const body = { title: "Copy", options: { maxTurns: 7 } }
      const copy = await perch.json<{ id: string }>("POST", `/v1/sessions/${parent}/fork`, {
        json: body,
        headers: key,
        status: 201,
      })
      expect(copy).toMatchObject({ title: "Copy", options: { ...BYPASS, maxTurns: 7 }, state: "idle", turns: 1 })
      await crash()
      expect(await perch.json("POST", `/v1/sessions/${parent}/fork`, { json: body, headers: key })).toEqual(copy)
      await perch.json("POST", `/v1/sessions/${parent}/fork`, { json: {}, headers: key, status: 422 })

      const events = await perch.events(copy.id)
      const moved = before.map((event) =>
        event.name.startsWith("sdk:") ? { ...event, payload: { ...event.payload, session_id: copy.id } } : event,
      )
      expect(events.slice(0, before.length)).toEqual(moved)
      expect(events.at(-1)).toMatchObject({ name: "session:forked", payload: { parent } })
      const files = (id: string) => perch.json("GET", `/v1/sessions/${id}/files`)
      expect(await files(copy.id)).toEqual(await files(parent))
      expect(await perch.getFile(copy.id, "/workspace/large.txt")).toBe(large)
      expect(await perch.getFile(copy.id, "/workspace/link")).toBe("hi\n")

      const second = scriptName("own")
      const check = call("Bash", { command: "test -x d/x && echo changed > kept.txt", description: "Change" })
      await api.set(second, [{ content: [check] }, textAnswer("changed")])
      await perch.query(copy.id, promptFor(second))
      const [request] = await api.requests(second)
      expect(contents(request)).toEqual(["tool_use", "tool_use", "done"])
      expect(await perch.getFile(copy.id, "/workspace/kept.txt")).toBe("changed\n")
      expect(await perch.getFile(parent, "/workspace/kept.txt")).toBe("kept\n")
      expect(await perch.events(parent)).toEqual(before)
    },
    WITH_RESTART,
  )

  it.concurrent(
    "resumeSessionAt drops what came after the message, also after a crash, in a copy, and when it is moved again",
    async (context) => {
      const { crash } = sharedCrash(context)
      const one = await ask([textAnswer("one")])
      for (const words of ["two", "three"]) await ask([textAnswer(words)], { resume: one.session })
      const at = messageOf(await perch.events(one.session), "two")
      const four = await ask([textAnswer("four")], { resume: one.session, resumeSessionAt: at })
      expect(contents(four.requests[0])).toEqual(["one", "two"])
      await crash()
      const five = await ask([textAnswer("five")], { resume: one.session })
      expect(contents(five.requests[0])).toEqual(["one", "two", "four"])
      const copy = await ask([textAnswer("six")], { resume: one.session, forkSession: true })
      expect(contents(copy.requests[0])).toEqual(["one", "two", "four", "five"])
      const first = messageOf(await perch.events(copy.session), "one")
      const again = await ask([textAnswer("seven")], { resume: copy.session, resumeSessionAt: first })
      expect(contents(again.requests[0])).toEqual(["one"])
      expect(again.result.total_cost_usd).toBeGreaterThan(copy.result.total_cost_usd)
    },
    WITH_RESTART,
  )
})

describe("resume", () => {
  it("of an unknown session ends in one result with the reason", async () => {
    for (const resume of [randomUUID(), "not-a-session"]) {
      const messages: Array<SDKMessage> = []
      const through = { env: {}, resume, ...door({ url: server.url, apiKey: server.key }) }
      const failed = (async () => {
        for await (const message of query({ prompt: "unheard", options: through })) messages.push(message)
      })()
      await expect(failed).rejects.toThrow()
      expect(messages).toMatchObject([{ type: "result", subtype: "error_during_execution", is_error: true }])
    }
  })
})

describe("a copy", () => {
  it("by the official SDK has the requested id, or a new one, and the parent continues without it", async () => {
    const parent = await ask([textAnswer("first")])
    const sessionId = randomUUID()
    const named = await ask([textAnswer("second")], { resume: parent.session, forkSession: true, sessionId })
    expect(named.session).toBe(sessionId)
    expect(contents(named.requests[0])).toEqual(["first"])
    expect(named.result.total_cost_usd).toBeGreaterThan(parent.result.total_cost_usd)
    expect(sources(await perch.events(sessionId))).toEqual(["startup", "resume"])
    const other = await ask([textAnswer("third")], { resume: parent.session, forkSession: true })
    expect([parent.session, sessionId]).not.toContain(other.session)
    const original = await ask([textAnswer("fourth")], { resume: parent.session })
    expect(contents(original.requests[0])).toEqual(["first"])
  })

  it("of an unknown session, or from an unknown message, is a 404", async () => {
    const id = await perch.createSession()
    await perch.json("POST", `/v1/sessions/${randomUUID()}/fork`, { json: {}, status: 404 })
    const wrong = await perch.json<{ error: { message: string } }>("POST", `/v1/sessions/${id}/fork`, {
      json: { at: randomUUID() },
      status: 404,
    })
    expect(wrong.error.message).toContain("there is no message")
  })
})

describe("resumeSessionAt", () => {
  it("of an unknown message is a 404 that names it and changes nothing", async () => {
    const id = await perch.createSession()
    const events = await perch.events(id)
    const resumeSessionAt = randomUUID()
    const refused = await perch.json<{ error: { message: string } }>("POST", "/v1/sessions", {
      json: { options: { resume: id, resumeSessionAt } },
      status: 404,
    })
    expect(refused.error.message).toContain(resumeSessionAt)
    expect(await perch.events(id)).toEqual(events)
  })
})

describe("continue", () => {
  /** D1 has a session a moment after it has ended its turn. */
  const listed = (id: string, turns: number) =>
    eventually(async () => {
      const { data } = await perch.json<{ data: ReadonlyArray<{ id: string; turns: number; state: string }> }>(
        "GET",
        "/v1/sessions?limit=100",
      )
      return data.find((session) => session.id === id && session.turns === turns && session.state === "idle")
    })

  it("continues the directory's most recently used session, or creates the first one", async () => {
    const cwd = `/workspace/${randomUUID()}`
    const first = await ask([textAnswer("first")], { continue: true, cwd })
    await listed(first.session, 1)
    const second = await ask([textAnswer("second")], { cwd })
    await listed(second.session, 1)
    const third = await ask([textAnswer("third")], { continue: true, cwd })
    expect([third.session, contents(third.requests[0])]).toEqual([second.session, ["second"]])
    const resumed = await ask([textAnswer("fourth")], { resume: first.session })
    await listed(resumed.session, 2)
    const copy = await ask([textAnswer("fifth")], { continue: true, forkSession: true, cwd })
    expect(contents(copy.requests[0])).toEqual(["first", "fourth"])
    expect([first.session, second.session]).not.toContain(copy.session)
  })
})

describe("persistSession: false", () => {
  it("erases the session when the client that opened it ends", async () => {
    const { session, result } = await ask([textAnswer("once")], { persistSession: false })
    expect(result).toMatchObject({ subtype: "success", result: "once" })
    await perch.json("GET", `/v1/sessions/${session}`, { status: 404 })
    await perch.json("POST", "/v1/sessions", { json: { id: session }, status: 409 })
  })
})
