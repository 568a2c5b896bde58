// What a newcomer does: start the server, paste the README's requests, see a file appear. No API key, no network.
import { execFile } from "node:child_process"
import fs from "node:fs"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { blocksOf, type Message } from "../support/client.ts"
import { type PerchServer, startServer } from "../support/server.ts"

const ROOT = path.resolve(import.meta.dirname, "../..")
const run = promisify(execFile)

let server: PerchServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server?.dispose())

/** The shell blocks of the README that hold `curl`, in order. */
const requests = () => {
  const readme = fs.readFileSync(path.join(ROOT, "README.md"), "utf8")
  return [...readme.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block ?? "")
    .filter((block) => block.includes("curl"))
}

/** Runs a block of the README against the test's server. */
const paste = async (block: string, env: Readonly<Record<string, string>> = {}) => {
  const command = block.replaceAll("http://127.0.0.1:8787", server.url)
  const options = { cwd: ROOT, timeout: 40_000, env: { ...process.env, ...env, PERCH_KEY: server.key } }
  const { stdout } = await run("bash", ["-c", command], options)
  return stdout
}

const messagesOf = (sse: string): ReadonlyArray<Message> =>
  sse
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as Message) // the server streams SDKMessages

it("the README's requests, pasted one after the other, write a file, read it back, fetch it and resume", async () => {
  const [first, fetchFile, resume] = requests()
  const messages = messagesOf(await paste(first!))
  expect(messages[0]).toMatchObject({ type: "system", subtype: "init" })
  expect(messages.at(-1)).toMatchObject({ type: "result", subtype: "success", is_error: false })
  const calls = messages.flatMap(blocksOf).filter(({ type }) => type === "tool_use")
  expect(calls.map(({ name }) => name)).toEqual(["Write", "Read"])

  const session = messages[0]?.session_id
  expect(session).toMatch(/^[0-9a-f-]{36}$/)
  const content = await paste(fetchFile!, { SESSION: session! })
  expect(content.trim()).not.toBe("")
  expect(JSON.stringify(messages)).toContain(content.trim())

  const later = messagesOf(await paste(resume!, { SESSION: session! }))
  expect(later.at(-1)).toMatchObject({ type: "result", subtype: "success", session_id: session })
})

it("the model says that it is offline, and that it is not Claude", async () => {
  const response = await fetch(`${server.url}/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt: "What is the meaning of life?" }),
    signal: AbortSignal.timeout(20_000),
  })
  expect(response.status).toBe(200)
  const result = (await response.json()) as Message // JSON answers are the `result` message
  expect(result.result).toMatch(/offline/i)
  expect(result.result).toMatch(/not Claude/i)
})

it("a second server on the same port says that the port is taken, and ends", async () => {
  await expect(startServer({ port: Number(new URL(server.url).port) })).rejects.toThrow(/is taken/)
})

it("SIGTERM to the start script ends every process that it started", async () => {
  await server.stop()
  await expect(fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(2_000) })).rejects.toThrow()
  await server.restart()
  const response = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(5_000) })
  expect(response.status).toBe(200)
})
