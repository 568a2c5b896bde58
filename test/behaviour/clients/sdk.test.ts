// The official SDK's query() with a process of the client: prompts, streams, errors, aborts, and the built file.
import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { builtinModules } from "node:module"
import os from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { type Options, query, type SDKMessage, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildClient } from "../../../scripts/build-client.mjs"
import { perch, spawnPerch } from "../../../src/client/spawn.ts"
import { echo, errorAnswer } from "../../client/fake-perch.ts"
import { perchPerTest } from "../../client/perch-per-test.ts"
import { prompt } from "../../client/raw-process.ts"

const fake = perchPerTest({ line: echo() })
const { start } = fake

const options = (url: string, more: Options = {}): Options => ({ env: {}, ...more, ...perch({ url, apiKey: "key" }) })

/** The messages before it ended, and the error with which it ended. */
const collect = async (run: AsyncIterable<SDKMessage>) => {
  const messages: Array<SDKMessage> = []
  try {
    for await (const message of run) messages.push(message)
  } catch (error) {
    return { messages, error: String(error) }
  }
  return { messages, error: undefined }
}

const texts = (messages: ReadonlyArray<SDKMessage>) =>
  messages.flatMap((message) => (message.type === "result" && message.subtype === "success" ? [message.result] : []))

describe("query()", () => {
  it("runs a prompt", async () => {
    const { url } = await start()
    const { messages, error } = await collect(query({ prompt: "hello", options: options(url) }))
    expect(error).toBeUndefined()
    expect(texts(messages)).toEqual(["hello"])
  })

  it("runs consecutive prompts, each after the result of the previous one", async () => {
    const { url } = await start()
    let next = () => {}
    const prompts = async function* () {
      for (const text of ["one", "two", "three"]) {
        const answered = new Promise<void>((resolve) => (next = resolve))
        yield prompt(text) as SDKUserMessage
        await answered
      }
    }
    const results: Array<string> = []
    for await (const message of query({ prompt: prompts(), options: options(url) })) {
      if (message.type !== "result" || message.subtype !== "success") continue
      results.push(message.result)
      next()
    }
    expect(results).toEqual(["one", "two", "three"])
  })

  it("forwards the session's state only to an app that requests it", async () => {
    const state = { type: "system", subtype: "session_state_changed", state: "idle", session_id: "s", uuid: "u" }
    const answer = echo()
    const { url } = await start({
      line: (line, to) => {
        if (line.frame.type === "user") to.emit("", { ...state, state: "running" })
        answer(line, to)
        if (line.frame.type === "user") to.emit("", state)
      },
    })
    const types = async (more: Options) =>
      (await collect(query({ prompt: "hello", options: options(url, more) }))).messages.map(({ type }) => type)
    expect(await types({})).toEqual(["result"])
    expect(await types({ env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" } })).toEqual(["system", "result", "system"])
  })

  it("throws the error that prevents a session from opening", async () => {
    const { url } = await start({ answer: () => errorAnswer(401, "authentication_error", "the key is unknown") })
    const { messages, error } = await collect(query({ prompt: "hello", options: options(url) }))
    expect(messages.map(({ type }) => type)).toEqual(["result"])
    expect(error).toBe(
      `Error: Claude Code returned an error result: Invalid API key · The Perch server at ${url} refused its key: the key is unknown`,
    )
  })

  it("throws after a result that is an error", async () => {
    const { url } = await start({ line: echo({ is_error: true }) })
    const { messages, error } = await collect(query({ prompt: "it failed", options: options(url) }))
    expect(texts(messages)).toEqual(["it failed"])
    expect(error).toBe("Error: Claude Code returned an error result: it failed")
  })

  it("that is aborted ends what runs on the server", async () => {
    const controller = new AbortController()
    const answer = echo()
    const { url, socket } = await start({
      line: (line, to) => {
        if (line.frame.type !== "user") return answer(line, to)
        to.send("=busy", `+${line.number}`)
        to.emit(1, { type: "system", subtype: "init", session_id: "s", uuid: "u" })
      },
    })
    const run = query({ prompt: "hello", options: options(url, { abortController: controller }) })
    const messages: Array<string> = []
    const reading = (async () => {
      for await (const message of run) {
        messages.push(message.type)
        controller.abort()
      }
    })()
    await expect(reading).rejects.toThrow(/aborted/)
    expect(messages).toEqual(["system"])
    const first = await socket(0)
    const lines = await first.has(3)
    expect(lines.at(-1)?.frame.request).toEqual({ subtype: "end_session" })
    expect(await first.closed).toBe(1000)
  })

  it("that the app stops iterating closes its session's socket", async () => {
    const { url, socket } = await start()
    for await (const message of query({ prompt: "hello", options: options(url) })) if (message.type === "result") break
    expect(await (await socket(0)).closed).toBe(1000)
  })
})

describe("spawnPerch", () => {
  it.each([
    [{ url: "perch.example.com", apiKey: "key" }, "url must be the http or https address"],
    [{ url: "ftp://perch.example.com", apiKey: "key" }, "url must be the http or https address"],
    [{ url: "https://perch.example.com", apiKey: "" }, "apiKey must be the key"],
    [{ url: "https://perch.example.com", apiKey: "a\nb" }, "apiKey must be the key"],
    [
      { url: "https://perch.example.com", apiKey: "key", env: { A: "b" } as unknown as string[] },
      "env must be a list of names",
    ],
    [{ url: "https://perch.example.com", apiKey: "key", env: ["A=b"] }, "env must be a list of names"],
  ])("refuses %j at once", (given, message) => {
    expect(() => spawnPerch(given)).toThrow(message)
  })

  it("accepts an address with a path", async () => {
    const { url, requests, socket } = await start()
    const under = { ...options(url), ...perch({ url: `${url}/agents/perch/`, apiKey: "key" }) }
    expect(texts((await collect(query({ prompt: "hello", options: under }))).messages)).toEqual(["hello"])
    expect(requests[0]?.path).toBe("/agents/perch/v1/sessions")
    await socket(0)
  })
})

/** An app as an external developer would write it. */
const APP = `
import { type Ask, perchClient, perchSessions, RateLimitError, type Session, type Turn } from "perch/client/api"
import { perchSocket, perchStream } from "perch/client/browser"
import { perch, pull, push, type SyncReport } from "perch/client"

const server = { url: "http://perch.test", apiKey: "key" }
const client = perchClient(server)
const onAsk = async (ask: Ask) => (ask.kind === "permission" ? ({ behavior: "allow" } as const) : undefined)
const outcome = await client.query("hello", { onAsk })
export const text: string | undefined = outcome.status === "finished" ? outcome.result.result : undefined
for await (const message of client.session("a").stream({ prompt: "hello", on_busy: "reject" })) {
  if (message.type === "assistant") for (const block of message.message.content) console.log(block.text)
  if (message.type === "result") console.log(message.total_cost_usd.toFixed(2))
}
for await (const { id, message } of client.session("a").events({ after: "head" })) console.log(id, message.type)
try {
  const session: Session = await client.session("a").get()
  const turn: Turn = await client.session(session.id).turn("t", { wait: 10 })
  console.log(turn.result?.subtype)
} catch (error) {
  if (error instanceof RateLimitError) console.log(error.retry_after, error.request_id, error.retryable)
}
const report: SyncReport = await push({ ...server, sessionId: "s", ignore: ["*.log"] })
await pull({ ...server, sessionId: "s", folder: ".", force: true })
console.log(report.written, (await perchSessions(server).listSessions({ limit: 1 }))[0]?.summary)
const page = { url: server.url, sessionId: "s", ticket: "t" }
console.log(perchSocket(page).websocket.url, perchStream(page, { fromSequenceNum: 3 }).sse.sendUrl)
console.log(perch({ ...server, upload: { include: ["src"] }, download: true, env: ["NODE_ENV"] }))
// @ts-expect-error: an address is a text
perch({ url: 1, apiKey: "key" })
`

describe("the built file", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-client-"))
  beforeAll(async () => {
    await buildClient(folder)
  })
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))
  const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8")

  const namedIn = (text: string) =>
    [...text.matchAll(/(?:\bfrom\s*|require\w*\(|\bimport\()\s*"([^"]+)"/g)].map(([, name]) => name!)

  it("imports only modules that Node has", () => {
    const known = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)])
    const foreign = (name: string) => namedIn(read(name)).filter((named) => !known.has(named))
    // ws imports these two optionally and works without them.
    expect(new Set(foreign("spawn.js"))).toEqual(new Set(["bufferutil", "utf-8-validate"]))
    expect(foreign("cli.js")).toEqual([])
  })

  it("has portable parts without any imports", () => {
    for (const name of ["api.js", "browser.js"]) expect(namedIn(read(name)), name).toEqual([])
  })

  it("has types that depend on no others", () => {
    const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".d.ts"))
    expect(files.length).toBeGreaterThan(10)
    for (const name of files) {
      const named = namedIn(read(name)).filter((one) => !one.startsWith("node:"))
      expect(read(name), name).not.toContain("reference types")
      for (const one of named) {
        expect(fs.existsSync(path.join(folder, path.dirname(name), one.replace(/\.js$/, ".d.ts"))), one).toBe(true)
      }
    }
  })

  it("has types with which a strict app compiles", () => {
    fs.writeFileSync(path.join(folder, "app.ts"), APP)
    const tsc = path.resolve(import.meta.dirname, "../../../node_modules/typescript/bin/tsc")
    const types = path.resolve(import.meta.dirname, "../../../node_modules/@types")
    const strict = ["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--types", "node"]
    const resolved = ["--module", "nodenext", "--moduleResolution", "nodenext", "--typeRoots", types]
    const done = spawnSync(process.execPath, [tsc, "--singleThreaded", ...strict, ...resolved, "app.ts"], {
      cwd: folder,
      encoding: "utf8",
    })
    expect(done.stdout).toBe("")
    expect(done.status).toBe(0)
  })

  it("runs a prompt", async () => {
    const { url } = await start()
    const built = (await import(pathToFileURL(path.join(folder, "spawn.js")).href)) as { perch: typeof perch }
    const given = { env: {}, ...built.perch({ url, apiKey: "key" }) }
    expect(texts((await collect(query({ prompt: "hello", options: given }))).messages)).toEqual(["hello"])
  })
})
