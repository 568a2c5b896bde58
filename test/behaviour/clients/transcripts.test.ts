// The local copy of the conversation: in transcript files, which the SDK's own session functions read, and in the app's
// sessionStore. The SDK is the real one; the server is a small fake that has the session or not.
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import {
  forkSession,
  getSessionInfo,
  getSessionMessages,
  listSessions,
  query,
  type SessionKey,
  type SessionStoreEntry,
} from "@anthropic-ai/claude-agent-sdk"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { spawnPerch } from "../../../src/client/spawn.ts"
import { historyOf, TranscriptFiles, transcriptFolder } from "../../../src/client/transcripts/transcript-file.ts"
import { type FakePerch, type FakePerchOptions, fakePerch } from "../../client/fake-perch.ts"

const A = "5e551017-0000-7000-8000-00000000000a"
const ANSWER = "0199a000-0000-4000-8000-000000000002"

let server: FakePerch | undefined
let home = ""
let cwd = ""
const before = process.env["CLAUDE_CONFIG_DIR"]

beforeEach(() => {
  home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "perch-transcripts-")))
  cwd = path.join(home, "my.project")
  fs.mkdirSync(cwd)
  process.env["CLAUDE_CONFIG_DIR"] = path.join(home, "config")
})

afterEach(async () => {
  await server?.close()
  server = undefined
  if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"]
  else process.env["CLAUDE_CONFIG_DIR"] = before
  fs.rmSync(home, { recursive: true, force: true })
})

const answer = {
  type: "assistant",
  message: { id: "m1", type: "message", role: "assistant", model: "x", content: [{ type: "text", text: "hi there" }] },
  parent_tool_use_id: null,
  uuid: ANSWER,
}

/** A server that answers each prompt with one text. */
const start = async (options: FakePerchOptions = {}) => {
  let answers = 0
  server = await fakePerch({
    answer: ({ body }) => {
      const { resume } = (body as { options?: { resume?: string } } | undefined)?.options ?? {}
      return resume === undefined ? undefined : { status: 200, json: { id: resume, last_seq: 0 } }
    },
    line: ({ number, frame }, socket) => {
      if (frame["type"] === "control_request") {
        const response = { subtype: "success", request_id: frame["request_id"], response: {} }
        socket.emit("", { type: "control_response", response })
        return socket.send(`+${number}`)
      }
      socket.send("=busy", `+${number}`)
      answers += 1
      socket.emit(1, { ...answer, uuid: answers === 1 ? ANSWER : crypto.randomUUID(), session_id: A })
      socket.emit(2, { ...answer, uuid: crypto.randomUUID(), parent_tool_use_id: "t1", session_id: A })
      socket.emit(3, { type: "result", subtype: "success", is_error: false, result: "hi there", session_id: A })
      socket.emit(4, { type: "system", subtype: "session_state_changed", state: "idle", session_id: A, uuid: A })
      socket.send("=idle")
    },
    ...options,
  })
  return server.url
}

const run = async (url: string, options: object, perch: object = { transcripts: true }, prompt = "hello there") => {
  const spawnClaudeCodeProcess = spawnPerch({ url, apiKey: "key", ...perch })
  const all = { pathToClaudeCodeExecutable: "perch", cwd, env: { ...process.env }, spawnClaudeCodeProcess, ...options }
  const types: Array<string> = []
  for await (const message of query({ prompt, options: all })) types.push(message.type)
  return types
}

const textsOf = (messages: ReadonlyArray<{ readonly message: unknown }>) =>
  messages.map(({ message }) => {
    const { content } = message as { content: ReadonlyArray<{ text: string }> | string }
    return typeof content === "string" ? content : content.map(({ text }) => text).join("")
  })

describe("transcript files", () => {
  it("are found by the SDK's session functions, and contain only the conversation", async () => {
    await run(await start(), { sessionId: A })
    expect(await listSessions({ dir: cwd })).toMatchObject([{ sessionId: A, firstPrompt: "hello there", cwd }])
    expect(await getSessionInfo(A, { dir: cwd })).toMatchObject({ sessionId: A })
    const messages = await getSessionMessages(A, { dir: cwd })
    expect(textsOf(messages)).toEqual(["hello there", "hi there"])
    expect(messages[1]?.uuid).toBe(ANSWER)
    const folder = path.join(home, "config/projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"))
    expect(fs.statSync(path.join(folder, `${A}.jsonl`)).mode & 0o777).toBe(0o600)
    await run(await start(), { resume: A }, { transcripts: true }, "and later")
    expect(await getSessionInfo(A, { dir: cwd })).toMatchObject({ firstPrompt: "hello there", summary: "and later" })
  })

  it("continue where they ended when the session is resumed", async () => {
    const url = await start()
    await run(url, { sessionId: A })
    await run(url, { resume: A })
    const texts = textsOf(await getSessionMessages(A, { dir: cwd }))
    expect(texts.filter((text) => text === "hello there")).toHaveLength(2)
  })

  it.each([
    [{ sessionId: A, persistSession: false }, { transcripts: true }],
    [{ sessionId: A }, {}],
  ])("are not written where the app did not ask for them: %j", async (options, perch) => {
    await run(await start(), options, perch)
    expect(fs.existsSync(path.join(home, "config/projects"))).toBe(false)
  })

  it("create a session that the server does not have: a fork made by the SDK, or a conversation from before Perch", async () => {
    const unknown = { status: 404, json: { error: { type: "not_found_error", message: "no session" } } }
    const url = await start({
      answer: ({ body }) => {
        const { options } = (body ?? {}) as { options?: { resume?: string } }
        return options?.resume === undefined ? undefined : unknown
      },
    })
    await run(url, { sessionId: A })
    const { sessionId: copy } = await forkSession(A, { dir: cwd })
    await run(url, { resume: copy })
    const opened = server?.requests.at(-1)?.body as { id: string; history: ReadonlyArray<{ message: unknown }> }
    expect(opened.id).toBe(copy)
    expect(opened).not.toHaveProperty("options.resume")
    expect(textsOf(opened.history)).toEqual(["hello there", "hi there"])
  })

  it("that do not exist leave an unknown session unknown", async () => {
    const url = await start({ answer: () => ({ status: 404, json: { error: { message: "no session" } } }) })
    await expect(run(url, { resume: A })).rejects.toThrow(`No conversation found with session ID: ${A}`)
  })

  it("are read up to a message, and past a line that a crash truncated", () => {
    const folder = transcriptFolder({ HOME: home }, cwd)!
    const files = new TranscriptFiles(folder)
    const entry = (uuid: string, parentUuid: string | null, more: object = {}) => ({
      type: "user",
      uuid,
      parentUuid,
      sessionId: A,
      message: { role: "user", content: uuid },
      ...more,
    })
    files.append(A, [
      entry("1", null),
      entry("x", "1", { type: "attachment" }),
      entry("2", "x", { type: "assistant", toolUseResult: { a: 1 }, isMeta: true }),
      entry("s", "2", { isSidechain: true }),
      entry("3", "2"),
    ])
    fs.appendFileSync(files.pathOf(A), '{"type":"user","uu')
    expect(files.conversation(A).map(({ uuid }) => uuid)).toEqual(["1", "2", "3"])
    expect(files.conversation(A, "2").map(({ uuid }) => uuid)).toEqual(["1", "2"])
    expect(files.conversation("../../etc/passwd")).toEqual([])
    expect(historyOf(files.conversation(A))[1]).toEqual({
      type: "assistant",
      message: { role: "user", content: "2" },
      parent_tool_use_id: null,
      session_id: A,
      uuid: "2",
      tool_use_result: { a: 1 },
      isSynthetic: true,
    })
  })
})

describe("the conversation of a file", () => {
  const entry = (uuid: string, parentUuid: string | null, more: object = {}) => ({
    type: "user",
    uuid,
    parentUuid,
    sessionId: A,
    message: { role: "user", content: uuid },
    ...more,
  })
  const read = (...entries: ReadonlyArray<ReturnType<typeof entry>>) => {
    const files = new TranscriptFiles(transcriptFolder({ HOME: home }, cwd)!)
    files.append(A, entries)
    return files.conversation(A)
  }
  const boundary = (uuids: ReadonlyArray<string>) => ({
    type: "system",
    subtype: "compact_boundary",
    compactMetadata: { preservedMessages: { anchorUuid: "summary", uuids } },
  })

  it("has the messages that a compaction kept, between its summary and what follows", () => {
    const entries = read(
      entry("1", null),
      entry("2", "1"),
      entry("3", "2"),
      entry("b", null, boundary(["2", "3"])),
      entry("summary", "b"),
      entry("4", "summary"),
    )
    expect(entries.map(({ uuid }) => uuid)).toEqual(["summary", "2", "3", "4"])
  })

  it("begins at the boundary when kept messages are missing", () => {
    const entries = read(
      entry("1", null),
      entry("b", null, boundary(["x"])),
      entry("summary", "b"),
      entry("4", "summary"),
    )
    expect(entries.map(({ uuid }) => uuid)).toEqual(["summary", "4"])
  })

  it("gives the model neither local commands nor their output", () => {
    const entries = read(
      entry("1", null),
      entry("2", "1", { message: { role: "user", content: "<command-name>/clear</command-name>" } }),
      entry("3", "2", { message: { role: "user", content: "<local-command-stdout>x</local-command-stdout>" } }),
    )
    expect(historyOf(entries).map(({ uuid }) => uuid)).toEqual(["1"])
  })
})

describe("options.sessionStore", () => {
  it("receives the conversation, and provides it to the session functions", async () => {
    const entries = new Map<string, Array<SessionStoreEntry>>()
    const sessionStore = {
      append: async ({ sessionId }: SessionKey, more: Array<SessionStoreEntry>) => {
        entries.set(sessionId, [...(entries.get(sessionId) ?? []), ...more])
      },
      load: async ({ sessionId }: SessionKey) => entries.get(sessionId) ?? null,
    }
    await run(await start(), { sessionId: A, sessionStore }, {})
    expect([...entries.keys()]).toEqual([A])
    expect(textsOf(await getSessionMessages(A, { dir: cwd, sessionStore }))).toEqual(["hello there", "hi there"])
    expect(fs.existsSync(path.join(home, "config/projects"))).toBe(false)
  })
})
