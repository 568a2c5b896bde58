// Reads the server's streams with the parsers that people use, as far as they are installed, and prints what each made of them.
//   node_modules/.bin/node test/bench/sse-readers/run.mjs [--reader NAME] [--door NAME]
// Settings: SSE_PYTHON, a python3 with httpx-sse, httpx and requests; SSE_NODE_MODULES, a folder in which eventsource and
// eventsource-parser are installed; SSE_GOPATH, a GOPATH with github.com/donovanhide/eventsource; SSE_CHROMIUM, a Chromium.
// Each reader follows a session of its own: texts with every line end of Unicode, a pause with a heartbeat, an ask, and a
// connection that is cut while the ask is open. Exit code 1 when a reader that is installed read anything but the whole.
import { spawn, spawnSync } from "node:child_process"
import fs from "node:fs"
import http from "node:http"
import os from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { parseArgs } from "node:util"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { createFakeApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"
import { startServer } from "../../support/server/server.ts"
import { startProxy } from "../../support/server/tcp-proxy.ts"
import { verdictOf } from "./check.ts"

const { values: only } = parseArgs({ options: { reader: { type: "string" }, door: { type: "string" } } })
const CLIENTS = path.join(import.meta.dirname, "clients")
const HEARTBEAT_MS = 15_000
const LINE_ENDS = "\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029"
const TEXTS = [
  `Every line end: ${LINE_ENDS}. ${[...LINE_ENDS].map((one) => `a${one}b`).join(" ")}`,
  'Forged:\u2028data: {"type":"result"}\u2028\u2028id: 99\u0085\u2029event: ask\u2029 é 😀 \ufeff',
]

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "perch-sse-"))
const python = process.env.SSE_PYTHON ?? "python3"
const chromium = process.env.SSE_CHROMIUM ?? "chromium"

/** A Go program, built; null without Go or the package. */
const built = (name, env = {}) => {
  const out = path.join(folder, name)
  const go = spawnSync("go", ["build", "-o", out, "."], {
    cwd: path.join(CLIENTS, name),
    env: { ...process.env, GO111MODULE: "off", GOCACHE: path.join(folder, "go-cache"), GOFLAGS: "", ...env },
  })
  return go.status === 0 ? out : null
}
const lines = built("lines-go")
const eventsource = built("eventsource-go", { GOPATH: process.env.SSE_GOPATH ?? "" })

const inPython = (kind) => [python, path.join(CLIENTS, "python_reader.py"), kind]
const inNode = (kind) => [process.execPath, path.join(CLIENTS, "node-reader.mjs"), kind]
const inGo = (program, kind) => (program === null ? null : [program, kind])
const READERS = {
  "Python httpx-sse": inPython("httpx-sse"),
  "Python httpx iter_lines": inPython("httpx-lines"),
  "Python requests, decode_unicode": inPython("requests-text"),
  "Python requests, bytes": inPython("requests-bytes"),
  "npm eventsource-parser": inNode("eventsource-parser"),
  "npm eventsource": inNode("eventsource"),
  "Go bufio.Reader": inGo(lines, "bufio-reader"),
  "Go bufio.Scanner": inGo(lines, "bufio-scanner"),
  "Go donovanhide/eventsource": inGo(eventsource, ""),
  "Chromium EventSource": "page",
}
/** The readers that can only GET. */
const GET_ONLY = new Set(["npm eventsource", "Go donovanhide/eventsource", "Chromium EventSource"])
const DOORS = ["events/stream", "events/stream client", "sessions/query", "query"]

const api = await createFakeApi()
const server = await startServer({ apiUrl: api.url })
const perch = new PerchClient(server)
const scripts = new ApiLog(api.url)

/** Runs a command to its end; returns its output, or null if it is not installed. */
const outputOf = (command, args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: 90_000 })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stderr.on("data", (chunk) => (errors += chunk))
    child.on("error", () => resolve(null))
    child.on("close", (code) => resolve(code === 3 ? null : { output, errors }))
  })

/** What Chromium's own EventSource reads. */
const pageOutput = async (url) => {
  let done = () => undefined
  const read = new Promise((resolve) => (done = resolve))
  const pages = http.createServer((request, response) => {
    if (request.method === "GET") {
      response.setHeader("content-type", "text/html")
      return response.end(fs.readFileSync(path.join(CLIENTS, "page.html")))
    }
    let body = ""
    request.setEncoding("utf8").on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      response.end()
      done({ output: body, errors: "" })
    })
  })
  await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve))
  const profile = fs.mkdtempSync(path.join(folder, "chromium-"))
  const address = `http://127.0.0.1:${pages.address().port}/?stream=${encodeURIComponent(url)}`
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, address]
  const browser = spawn(chromium, flags, { stdio: "ignore", detached: true })
  const missing = new Promise((resolve) => browser.on("error", () => resolve(null)))
  const late = delay(90_000, { output: "", errors: "the page sent nothing" }, { ref: false })
  const outcome = await Promise.race([read, missing, late])
  if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL")
  pages.close()
  return outcome
}

const prompted = async () => {
  const name = scriptName("readers")
  const write = call("Write", { file_path: "/workspace/a.txt", content: LINE_ENDS })
  await scripts.set(name, [
    { content: [text(TEXTS[0]), write], chunk: 5 },
    { content: [text(TEXTS[1])], chunk: 5 },
  ])
  return promptFor(name)
}

/** Runs one reader at one endpoint. */
const run = async (reader, command, door) => {
  const proxy = await startProxy(server.url)
  try {
    const prompt = await prompted()
    const options = { permissionMode: "default", includePartialMessages: true }
    const isPost = !door.startsWith("events")
    const session = door === "query" ? null : await perch.createSession(options)
    const title = scriptName(reader)
    const body = JSON.stringify(door === "query" ? { prompt, options, title } : { prompt })
    const streamOf = (id) => {
      const client = door.endsWith("client") ? "&format=client&client=reader" : ""
      return `${proxy.url}/v1/sessions/${id}/events/stream?partials=true${client}`
    }
    const path = door === "query" ? "/v1/query" : `/v1/sessions/${session}/query`
    const url = isPost ? `${proxy.url}${path}` : streamOf(session)
    const again = session === null ? "" : streamOf(session)
    const args = [isPost ? "POST" : "GET", url, server.key, body, again, process.env.SSE_NODE_MODULES ?? folder]
    const reading =
      command === "page"
        ? pageOutput(
            `${url}&ticket=${(await perch.json("POST", `/v1/sessions/${session}/tickets`, { json: {}, status: 201 })).ticket}`,
          )
        : outputOf(command[0], [...command.slice(1), ...args])
    if (!isPost) await perch.submit(session, prompt)
    const id = session ?? (await madeAs(title, reading))
    const ask = id === null ? null : await Promise.race([opened(id), reading.then(() => null)])
    if (ask !== null) {
      await delay(HEARTBEAT_MS + 2000)
      // A client that does not know the session's id yet can't reconnect to the stream of its prompt.
      if (door !== "query") {
        proxy.suspend()
        await delay(300)
        proxy.resume()
        await delay(2500)
      }
      await perch.answer(id, ask.request_id, { behavior: "allow" })
    }
    const read = await reading
    return read === null ? null : { ...verdictOf(read.output, TEXTS), errors: read.errors }
  } finally {
    await proxy.close()
  }
}

const opened = (id) => eventually(async () => (await perch.asks(id))[0], 60_000)
/** The session that a reader's own query created; null if the reader ended without one. */
const madeAs = (title, reading) =>
  Promise.race([
    reading.then(() => null),
    eventually(async () => {
      const { data } = await perch.json("GET", "/v1/sessions?limit=100")
      return data.find((session) => session.title === title)?.id
    }, 30_000),
  ])

const row = (...cells) => `| ${cells.join(" | ")} |`
let bad = 0
try {
  console.log(row("reader", "door", "events", "empty", "cut", "doubled", "asks", "settled", "problems"))
  console.log(row(...Array(9).fill("---")))
  for (const door of DOORS.filter((name) => only.door === undefined || name === only.door)) {
    const readers = Object.entries(READERS)
      .filter(([name]) => only.reader === undefined || name === only.reader)
      .filter(([name]) => door.startsWith("events") || !GET_ONLY.has(name))
    const one = async ([name, command]) => [name, command === null ? null : await run(name, command, door)]
    const outcomes = await Promise.all(readers.map(one))
    for (const [name, verdict] of outcomes) {
      if (verdict === null) {
        console.log(row(name, door, "not installed", "", "", "", "", "", ""))
        continue
      }
      const { events, empty, cut, doubled, asks, settled, problems } = verdict
      if (empty + cut + doubled + problems.length > 0) {
        bad += 1
        if (verdict.errors !== "") console.error(`${name}: ${verdict.errors.slice(0, 1000)}`)
      }
      console.log(row(name, door, events, empty, cut, doubled, asks, settled, problems.join("; ") || "none"))
    }
  }
} finally {
  await server.dispose()
  await api.close()
  fs.rmSync(folder, { recursive: true, force: true })
}
process.exit(bad === 0 ? 0 : 1)
