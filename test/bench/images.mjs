// What 40 MB of images in one session cost a server: turns that read them, every page of events and messages, streams from
// the first event on, a fork, an archive, a restart. Memory is that of the largest workerd process, sampled while it works.
//   node_modules/.bin/node test/bench/images.mjs [--megabytes 40] [--limit 300]       ends with 1 when a peak is above the limit
import { parseArgs } from "node:util"
import { randomBytes } from "node:crypto"
import fs from "node:fs"
import { query } from "@anthropic-ai/claude-agent-sdk"
import { groupMembers } from "../support/server/process/group-members.mjs"
import { PerchClient } from "../support/server/client.ts"
import { createFakeApi } from "../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../support/session/scripts.ts"
import { startServer } from "../support/server/server.ts"

const { values: flags } = parseArgs({
  options: { megabytes: { type: "string", default: "40" }, limit: { type: "string", default: "300" } },
})
const IMAGE_BYTES = 3_000_000
const IMAGES = Math.ceil((Number(flags.megabytes) * 1e6) / IMAGE_BYTES)
const LIMIT_MS = 8 * 60_000
const SAMPLE_MS = 20
const OPTIONS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(130))
setTimeout(() => {
  console.error(`bench: not done within ${LIMIT_MS / 60_000} minutes`)
  process.exit(1)
}, LIMIT_MS).unref()

// Requests are large here: none is recorded.
const api = await createFakeApi({ onRequest: () => queueMicrotask(() => (api.log.length = 0)) })
let server
let highest = 0
try {
  server = await startServer({ apiUrl: api.url })
  const perch = new PerchClient(server)

  const status = (pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/status`, "utf8")
    } catch {
      return ""
    }
  }
  const megabytes = () =>
    Math.max(
      0,
      ...groupMembers(server.pgid)
        .map(({ pid }) => status(pid))
        .filter((text) => /^Name:\s+workerd/m.test(text))
        .map((text) => Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024)),
    )
  const measured = async (label, work) => {
    let peak = megabytes()
    const sampling = setInterval(() => (peak = Math.max(peak, megabytes())), SAMPLE_MS)
    const began = performance.now()
    let result
    try {
      result = await work()
    } catch (error) {
      result = `FAILED: ${error.message.slice(0, 120)}`
      process.exitCode = 1
    } finally {
      clearInterval(sampling)
    }
    const took = performance.now() - began
    peak = Math.max(peak, megabytes())
    highest = Math.max(highest, peak)
    console.log(
      label.padEnd(44),
      `${took.toFixed(0)} ms`.padStart(9),
      `${peak} MB`.padStart(8),
      `${megabytes()} MB`.padStart(8),
      ` ${result ?? ""}`,
    )
    return result
  }
  const answer = async (method, route, options = {}) => {
    const response = await perch.request(method, route, { limitMs: 120_000, ...options })
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${(await response.text()).slice(0, 200)}`)
    return response
  }
  /** The number of bytes of a body, which is discarded. */
  const bytesOf = async (response) => {
    let bytes = 0
    for await (const chunk of response.body) bytes += chunk.length
    return bytes
  }
  const shown = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
  const turn = async (id, prompt, turns) => {
    const name = scriptName("images")
    api.set(name, turns)
    const content = typeof prompt === "string" ? `${promptFor(name)} ${prompt}` : [text(promptFor(name)), ...prompt]
    const response = await answer("POST", `/v1/sessions/${id}/query`, { json: { prompt: content } })
    const result = await response.json()
    if (result.subtype !== "success")
      throw new Error(`the turn ended with ${result.subtype}: ${JSON.stringify(result).slice(0, 300)}`)
    return `${result.num_turns} steps`
  }
  const reads = (from, through) =>
    Array.from({ length: through - from }, (_, index) => call("Read", { file_path: `/workspace/${from + index}.png` }))
  /** Every page of a list with a cursor. */
  const pages = async (route, next, first = "") => {
    let [bytes, count, largest] = [0, 0, 0]
    for (let cursor = first; cursor !== null;) {
      const body = await (await answer("GET", `${route}${cursor}`)).text()
      bytes += body.length
      largest = Math.max(largest, body.length)
      count += 1
      cursor = next(JSON.parse(body))
    }
    return `${count} pages, ${shown(bytes)}, the largest ${shown(largest)}`
  }
  const followed = async (id, format, until) => {
    const response = await answer("GET", `/v1/sessions/${id}/events/stream?after=0&format=${format}`)
    let [bytes, tail] = [0, ""]
    const decoder = new TextDecoder()
    for await (const chunk of response.body) {
      bytes += chunk.length
      tail = (tail + decoder.decode(chunk, { stream: true })).slice(-300_000)
      const seen = [...tail.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1]
      if (Number(seen) >= until) return shown(bytes)
    }
    throw new Error(`the stream ended after ${shown(bytes)}`)
  }

  console.log("".padEnd(44), "time".padStart(9), "peak".padStart(8), "after".padStart(8))
  await measured("a server that does nothing", () => undefined)
  const id = await perch.createSession(OPTIONS)
  await measured("a text turn", () => turn(id, "hello", [{ content: [text("Hello.")] }]))
  await measured(`PUT ${IMAGES} images of 3 MB`, async () => {
    for (let index = 0; index < IMAGES; index += 1) {
      const body = Buffer.concat([PNG, randomBytes(IMAGE_BYTES - PNG.length)])
      await answer("PUT", `/v1/sessions/${id}/files/workspace/${index}.png`, { body })
    }
  })
  await measured("a turn that reads 2 images at once", () =>
    turn(id, "look", [{ content: reads(0, 2) }, { content: [text("Seen.")] }]),
  )
  await measured(`a turn that reads the other ${IMAGES - 3}`, () =>
    turn(id, "look", [...reads(2, IMAGES - 1).map((read) => ({ content: [read] })), { content: [text("Seen.")] }]),
  )
  await measured("a prompt with an image of 500 KB in it", () => {
    const data = Buffer.concat([PNG, randomBytes(500_000)]).toString("base64")
    return turn(
      id,
      [{ type: "image", source: { type: "base64", media_type: "image/png", data } }],
      [{ content: [text("Seen.")] }],
    )
  })
  await measured("a text turn behind them", () => turn(id, "hello", [{ content: [text("Hello.")] }]))
  const { last_seq } = await perch.json("GET", `/v1/sessions/${id}`)
  await measured("events, all pages", () =>
    pages(
      `/v1/sessions/${id}/events?limit=500&after=`,
      ({ events, has_more }) => (has_more ? `${events.at(-1).seq}` : null),
      "0",
    ),
  )
  await measured("messages, all pages, parts", () =>
    pages(`/v1/sessions/${id}/messages?limit=500`, ({ next_cursor }) =>
      next_cursor === null ? null : `&after=${next_cursor}`,
    ),
  )
  await measured("messages, all pages, format=sdk", () =>
    pages(`/v1/sessions/${id}/messages?format=sdk&limit=500`, ({ next_cursor }) =>
      next_cursor === null ? null : `&after=${next_cursor}`,
    ),
  )
  await measured("SSE from 0, format=sdk", () => followed(id, "sdk", last_seq - 3))
  await measured("SSE from 0, format=client", () => followed(id, "client", last_seq - 3))
  await measured("SSE from 0, four readers at once", async () =>
    (await Promise.all([0, 1, 2, 3].map(() => followed(id, "sdk", last_seq - 3)))).join(", "),
  )
  const { perch: options } = await import("../../src/client/spawn.ts")
  const sdk = async (more) => {
    const name = scriptName("sdk")
    api.set(name, [{ content: reads(0, 1) }, { content: [text("Seen.")] }])
    for await (const message of query({
      prompt: promptFor(name),
      options: { ...options({ url: server.url, apiKey: server.key }), ...OPTIONS, ...more },
    }))
      if (message.type === "result") return message.subtype
    throw new Error("no result")
  }
  await measured("the official SDK resumes, with an image more", () => sdk({ resume: id }))
  await measured("the official SDK forks", () => sdk({ resume: id, forkSession: true }))
  let child
  await measured("POST fork", async () => {
    child = (await (await answer("POST", `/v1/sessions/${id}/fork`, { json: {} })).json()).id
  })
  await measured("a turn of the fork", () => turn(child, "hello", [{ content: [text("Hello.")] }]))
  await measured("GET archive", async () =>
    shown(await bytesOf(await answer("GET", `/v1/sessions/${id}/archive?path=/workspace`))),
  )
  await measured("D1 and the queue have everything", async () => {
    for (let wait = 0; wait < 300; wait += 1) {
      const { delivery } = await perch.json("GET", `/v1/sessions/${id}`)
      if (delivery.lag_events === 0) return `${delivery.last_seq} events`
      await new Promise((done) => setTimeout(done, 100))
    }
    throw new Error("they lag behind")
  })
  await server.stop()
  await server.restart()
  await measured("after a restart: a text turn", () => turn(id, "hello", [{ content: [text("Hello.")] }]))
  await measured("after a restart: messages, all pages", () =>
    pages(`/v1/sessions/${id}/messages?limit=500`, ({ next_cursor }) =>
      next_cursor === null ? null : `&after=${next_cursor}`,
    ),
  )
} finally {
  await server?.dispose()
  await api.close()
}
console.log(`the highest peak: ${highest} MB`)
if (highest > Number(flags.limit)) process.exitCode = 1
