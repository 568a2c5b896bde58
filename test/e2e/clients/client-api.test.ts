// The portable client against a real server: turns, asks, the log, files, errors; and the SDK's session functions.
import { randomUUID } from "node:crypto"
import type * as Sdk from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, inject, it } from "vitest"
import {
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  type PerchMessage,
  perchClient,
  perchSessions,
  PreconditionFailedError,
} from "../../../src/client/api/entry.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { startProxy } from "../../support/server/tcp-proxy.ts"

const shared = inject("shared")
const server = { url: shared.url, apiKey: shared.key }
const client = perchClient(server)
const api = new ApiLog(shared.apiUrl)

const scripted = async (...turns: ReadonlyArray<unknown>): Promise<string> => promptFor(await api.add("client", turns))

const write = (file: string, content: string) => ({ content: [call("Write", { file_path: file, content })] })
const say = (words: string) => textAnswer(words)

describe("a turn", () => {
  it("is awaited or streamed, in a session of its own or in an existing one", async () => {
    const first = await client.query({ prompt: await scripted(say("One.")), title: "First" })
    if (first.status !== "finished") throw new Error("it must have ended")
    expect(first.result).toMatchObject({ type: "result", subtype: "success", result: "One." })
    const session = client.session(first.session_id)
    expect(await session.get()).toMatchObject({ title: "First", turns: 1, state: "idle" })
    const types: Array<string> = []
    for await (const message of session.stream(await scripted(say("Two.")))) types.push(message.type)
    expect([types[0], types.at(-1)]).toEqual(["system", "result"])
    expect(types.filter((type) => type === "result")).toHaveLength(1)
    const { messages, last_seq } = await session.messages()
    expect(messages.map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"])
    const { events } = await session.log({ name: "sdk:result/success" })
    expect(events).toHaveLength(2)
    // Events after the turn's result may be written meanwhile.
    expect(last_seq).toBeGreaterThanOrEqual(events[1]!.seq)
    expect(last_seq).toBeLessThanOrEqual((await session.get()).last_seq)
  })

  it("that is requested twice with one key is one turn", async () => {
    const session = await client.createSession()
    const prompt = await scripted(say("Once."))
    const idempotencyKey = randomUUID()
    const [one, two] = await Promise.all([
      session.query(prompt, { idempotencyKey }),
      session.query(prompt, { idempotencyKey }),
    ])
    expect(two.turn_id).toBe(one.turn_id)
    expect((await session.get()).turns).toBe(1)
  })

  it("waits for an answer: from onAsk, or later", async () => {
    const session = await client.createSession({ options: { permissionMode: "default" } })
    const asked: Array<string> = []
    const outcome = await session.query(await scripted(write("/workspace/a.txt", "a"), say("Done.")), {
      onAsk: ({ kind, tool_name }) => {
        asked.push(`${kind} ${tool_name}`)
        return { behavior: "allow" }
      },
    })
    expect([outcome.status, asked]).toEqual(["finished", ["permission Write"]])
    expect(await session.files.readText("/workspace/a.txt")).toBe("a")

    const parked = await session.query(await scripted(write("/workspace/b.txt", "b"), say("No.")))
    if (parked.status !== "requires_action") throw new Error("it must wait")
    expect(await session.asks()).toEqual(parked.pending)
    const behind = await session.query(await scripted(say("Later.")))
    expect(behind).toMatchObject({ status: "requires_action", pending: parked.pending })
    const id = parked.pending[0]!.request_id
    await session.answer(id, { behavior: "deny", message: "not now" })
    await session.answer(id, { behavior: "deny", message: "not now" })
    await expect(session.answer(id, { behavior: "allow" })).rejects.toBeInstanceOf(ConflictError)
    expect(await session.wait(parked.turn_id)).toMatchObject({ status: "finished", result: { result: "No." } })
    expect(await session.wait(behind.turn_id)).toMatchObject({ status: "finished", result: { result: "Later." } })
    expect((await session.turns({ limit: 2 })).data.map(({ turn_id }) => turn_id)).toEqual([
      behind.turn_id,
      parked.turn_id,
    ])
    expect(await session.turn(parked.turn_id)).toMatchObject({ status: "completed", pending: [] })

    const streamed: Array<PerchMessage> = []
    const prompt = await scripted(write("/workspace/c.txt", "c"), say("Done."))
    for await (const message of session.stream(prompt, { onAsk: () => ({ behavior: "allow" }) })) streamed.push(message)
    expect(streamed.at(-1)).toMatchObject({ type: "result", subtype: "success" })
    await expect(session.files.read("/workspace/b.txt")).rejects.toBeInstanceOf(NotFoundError)
    expect(await session.files.readText("/workspace/c.txt")).toBe("c")
  })
})

describe("the log", () => {
  it("is followed over broken connections without gaps or duplicates", async () => {
    const proxy = await startProxy(shared.url)
    try {
      const session = await client.createSession()
      const through = perchClient({ ...server, url: proxy.url }).session(session.id)
      const prompts = await Promise.all(Array.from({ length: 3 }, (_, n) => scripted(say(`Answer ${n}.`))))
      const ids: Array<number> = []
      const reading = (async () => {
        let results = 0
        for await (const { id, message } of through.events()) {
          if (id !== undefined) ids.push(id)
          if (message.type === "result" && (results += 1) === prompts.length) return
        }
      })()
      for (const prompt of prompts) {
        await session.query(prompt)
        proxy.suspend()
        proxy.resume()
      }
      await reading
      const expected = (await session.log({ limit: 1000 })).events.filter(({ name }) => name.startsWith("sdk:"))
      expect(ids).toEqual(expected.map(({ seq }) => seq).filter((seq) => seq <= ids.at(-1)!))
      expect(ids.length).toBeGreaterThan(8)
    } finally {
      await proxy.close()
    }
  })
})

describe("files", () => {
  it("are written, read, listed, removed, and downloaded and uploaded as a whole", async () => {
    const { files } = await client.createSession()
    const awkward = "/workspace/a b/ü %2F #?.txt"
    expect(await files.write(awkward, "one")).toMatchObject({ path: awkward, size: 3, mode: 0o644 })
    await expect(files.write(awkward, "two", { ifNoneMatch: "*" })).rejects.toBeInstanceOf(PreconditionFailedError)
    const etag = (await files.open(awkward)).headers.get("etag")!
    await files.write(awkward, new Uint8Array([0, 255]), { ifMatch: etag })
    expect(await files.read(awkward)).toEqual(new Uint8Array([0, 255]))
    await files.write("/workspace/other", "x")
    const listed = []
    for await (const { path } of files.all({ prefix: "/workspace" })) listed.push(path)
    expect(listed).toEqual([awkward, "/workspace/other"])

    const archive = new Uint8Array(await new Response(await files.download({ path: "/workspace" })).arrayBuffer())
    const copy = await client.createSession()
    expect(await copy.files.upload(archive, { path: "/copy" })).toMatchObject({ files: 2 })
    expect(await copy.files.read(`/copy${awkward.slice("/workspace".length)}`)).toEqual(new Uint8Array([0, 255]))
    await files.remove("/workspace/a b")
    await expect(files.read(awkward)).rejects.toBeInstanceOf(NotFoundError)
    expect((await files.list()).used).toMatchObject({ bytes: 1 })
  })
})

describe("errors", () => {
  it("contain the server's message, the field and the request's id", async () => {
    const error = await client.createSession({ options: { maxTurns: -1 } }).then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ status: 400, field: "options.maxTurns", retryable: false })
    expect((error as InvalidRequestError).request_id).toMatch(/^req_/)
    const id = randomUUID()
    await client.createSession({ id })
    await expect(client.createSession({ id })).rejects.toBeInstanceOf(ConflictError)
    expect((await client.createSession({ id, on_exists: "attach" })).id).toBe(id)
  })
})

describe("the SDK's session functions", () => {
  const sdk = perchSessions(server)

  it("list, read, rename, tag, archive, fork and delete sessions of the server", async () => {
    const dir = `/home/app-${randomUUID().slice(0, 8)}`
    const made = await client.createSession({ cwd: dir })
    await made.query(await scripted(say("First answer.")))
    const second = await client.createSession({ cwd: dir, title: "Named" })
    await second.query(await scripted(say("Second answer.")))
    const named = { summary: "Named", customTitle: "Named", cwd: dir, createdAt: expect.any(Number) }
    // The list has a session when it is created, and its prompt and the order of use some time after the turns.
    await expect
      .poll(() => sdk.listSessions({ dir }), { timeout: 20_000 })
      .toMatchObject([
        { sessionId: second.id, ...named },
        { sessionId: made.id, summary: expect.stringMatching(/^\[\[script:/) },
      ])
    expect(await sdk.listSessions({ dir, limit: 1, offset: 1 })).toMatchObject([{ sessionId: made.id }])

    await sdk.renameSession(made.id, " New name ")
    await sdk.tagSession(made.id, "blue")
    await sdk.archiveSession(made.id)
    expect(await sdk.getSessionInfo(made.id)).toMatchObject({ summary: "New name", tag: "blue", archived: true })
    await made.query(await scripted(say("Again.")))
    await sdk.tagSession(made.id, null, { dir })
    const info = await sdk.getSessionInfo(made.id, { dir })
    expect(info).toMatchObject({ archived: false })
    expect(info).not.toHaveProperty("tag")

    const messages = await sdk.getSessionMessages(made.id)
    expect(messages.map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"])
    expect(messages[1]).toMatchObject({ session_id: made.id, parent_tool_use_id: null, parent_agent_id: null })
    expect(await sdk.getSessionMessages(made.id, { offset: 1, limit: 2 })).toEqual(messages.slice(1, 3))
    for (const none of [{ limit: 0 }, { limit: -1 }, { offset: -1 }, { limit: Number.NaN }]) {
      expect(await sdk.getSessionMessages(made.id, none)).toEqual(messages)
      expect(await sdk.listSessions({ dir, ...none })).toHaveLength(2)
    }
    await Promise.all([sdk.tagSession(made.id, "green"), sdk.archiveSession(made.id)])
    expect(await sdk.getSessionInfo(made.id)).toMatchObject({ tag: "green", archived: true })

    const fork = await sdk.forkSession(made.id, { upToMessageId: messages[1]!.uuid })
    expect(await sdk.getSessionMessages(fork.sessionId)).toHaveLength(2)
    expect(await sdk.getSessionInfo(fork.sessionId)).toMatchObject({ summary: "New name (fork)" })
    const blank = await sdk.forkSession(made.id, { title: "  " })
    expect(await sdk.getSessionInfo(blank.sessionId)).toMatchObject({ summary: "New name (fork)" })
    await sdk.deleteSession(fork.sessionId)
    expect(await sdk.getSessionInfo(fork.sessionId)).toBeUndefined()
  })

  it("fail with the SDK's own texts", async () => {
    const id = randomUUID()
    await expect(sdk.renameSession(id, "x")).rejects.toThrow(`Session ${id} not found`)
    await expect(sdk.deleteSession(id)).rejects.toThrow(`Session ${id} not found`)
    await expect(sdk.forkSession("nonsense")).rejects.toThrow("Invalid sessionId: nonsense")
    await expect(sdk.renameSession(id, " ")).rejects.toThrow("title must be non-empty")
    await expect(sdk.tagSession(id, "")).rejects.toThrow("tag must be non-empty (use null to clear)")
    await expect(sdk.listSessions({ sessionStore: {} })).rejects.toThrow("sessionStore")
    expect(await sdk.getSessionInfo("nonsense")).toBeUndefined()
    expect(await sdk.getSessionMessages(id)).toEqual([])
    const { id: there } = await client.createSession({ cwd: "/one" })
    await expect(sdk.forkSession(there, { upToMessageId: id })).rejects.toThrow(
      `Message ${id} not found in session ${there}`,
    )
    await expect(sdk.deleteSession(there, { dir: "/two" })).rejects.toThrow(
      `Session ${there} not found in project directory for /two`,
    )
  })

  it("have the SDK's own types", () => {
    const official: Pick<
      typeof Sdk,
      | "listSessions"
      | "getSessionInfo"
      | "getSessionMessages"
      | "listSubagents"
      | "getSubagentMessages"
      | "renameSession"
      | "tagSession"
      | "archiveSession"
      | "unarchiveSession"
      | "deleteSession"
      | "forkSession"
    > = sdk
    expect(Object.values(official).every((each) => typeof each === "function")).toBe(true)
  })
})
