// A scripted Messages API on loopback. It answers each request with the next turn of a script, streamed as the real API
// streams, and can misbehave on purpose: HTTP errors, errors and cuts in the middle, delays, answers held back.
//
// Script:  { turns: [Turn | Turn[]], usage?, byModel?: { [model]: Turn }, compact?: Turn | Turn[], side?: Turn, allowNoTools? }
//          or just the array of turns. `usage` is the default of each turn of the script.
// Turn:    { content: Block[], stop_reason?, stop_sequence?, stop_details?, usage?, start_usage?, model?, chunk?,
//            delay_ms?, delta_delay_ms?,
//            hold?:      N | { gate?, until?: N }              held until N requests wait at the gate together, or
//                                                              until the gate is opened; without N only the latter.
//                                                              The gate's name is SCRIPT#STEP unless given. An open
//                                                              gate stays open: SCRIPT#STEP until the script is set
//                                                              again, one with a name of its own for good.
//            pause?:     { after, gate? }                      held after N events until the gate (SCRIPT#STEP) is opened
//            error?:     { status, type?, message?, headers?, body? }   answer with an HTTP error; a `body` is sent as it is
//            mid_error?: { after, type, message }              SSE error event after N events
//            drop?:      { after }                             cut the socket after N events
//            ends?:      { after } }                           end the body properly, but after N events
// Turn[]:  the attempts of one step: consecutive requests for that step get consecutive entries, the last repeats.
// Block:   { type: "text" | "thinking" | "tool_use", … } as in a finished message, cut into deltas of `chunk` characters,
//          by default 24, or more if there would be more than 500 deltas without a `delta_delay_ms`;
//          a tool_use may have raw_input, a text that is streamed as its input; other types are streamed in their start;
//          { raw: { start, deltas?, stop? } } is streamed as given: `start` is the content_block, `deltas` are the deltas,
//          `stop: false` leaves the content_block_stop out;
//          { event } is one event streamed as given, of any type.
// usage:   overrides a default of 100 tokens in and 10 out; `message_start` has it with 1 token out, `message_delta`
//          has all of it. `start_usage` replaces the usage of `message_start`.
//
// Which script answers is chosen by the last "[[script:NAME]]" marker in the user messages of the request; the step is
// the number of assistant messages after that marker. A request without tools is a `side` request (titles and the like)
// unless the script has allowNoTools; a request whose last user text asks for a summary of the conversation is a
// `compact` request if the script has one.
//
// As a program:  node scripted-api.mjs --port N [--scripts file.json]     prints its URL
//   GET /__log        the requests so far, as JSON         DELETE /__log    forget them
//   GET /__log?scripts=A,B   those of some scripts alone
//   POST /__scripts   { name: script, … } adds scripts     GET /__scripts   the names known
//   GET /__open       { requests, waiting: { gate: N } }   POST /__release  { gate? } opens that gate, or all that hold one
import fs from "node:fs"
import http from "node:http"
import { pathToFileURL } from "node:url"
import { Gates } from "./gates.mjs"
import { locate, ScriptBook } from "./script-book.mjs"
import { eventsOfMessage, messageOf } from "./scripted-message.mjs"

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}

function sendApiError(response, requestId, error) {
  const headers = { "request-id": requestId, ...error.headers }
  if (error.body !== undefined) {
    response.writeHead(error.status, { "content-type": "text/plain", ...headers })
    response.end(error.body)
    return
  }
  const body = {
    type: "error",
    error: { type: error.type ?? "api_error", message: error.message ?? "scripted error" },
    request_id: requestId,
  }
  sendJson(response, error.status, body, headers)
}

/** Streams a message, including the turn's faults and delays. `pause` waits at the gate of the turn's pause. */
async function stream(response, requestId, message, turn, pause) {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "request-id": requestId,
  })
  response.flushHeaders()
  let flushed = Promise.resolve()
  const write = (type, data) => {
    flushed = new Promise((resolve) => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`, resolve)
    })
  }
  let sent = 0
  for (const [type, data] of eventsOfMessage(message, turn)) {
    if (response.destroyed) return
    if (turn.drop && sent >= turn.drop.after) {
      await flushed
      response.socket?.destroy()
      return
    }
    if (turn.pause && sent === turn.pause.after) await pause()
    if (turn.ends && sent >= turn.ends.after) break
    if (turn.mid_error && sent >= turn.mid_error.after) {
      write("error", { error: { type: turn.mid_error.type, message: turn.mid_error.message } })
      break
    }
    write(type, data)
    sent += 1
    if (turn.delta_delay_ms && type === "content_block_delta") await sleep(turn.delta_delay_ms)
  }
  response.end()
}

/** The headers, without the values of credentials. */
function loggable(headers) {
  const secret = ["authorization", "x-api-key"]
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, secret.includes(name) ? "(set)" : value]))
}

async function readBody(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  try {
    return JSON.parse(Buffer.concat(parts).toString() || "{}")
  } catch {
    return {}
  }
}

/**
 * Starts the scripted API. Resolves to { url, port, log, set(name, script), open(), release(gate?), close() }. `log` grows
 * with one entry per request: { n, at, method, path, kind: main|compact|side|count_tokens|other, script, step, body,
 * headers, ended?, aborted? }; `ended` is set when the answer is over, `aborted` becomes true when the client disconnected
 * before the answer's end. `open()` returns what `GET /__open` returns.
 */
export async function createFakeApi({ port = 0, onRequest } = {}) {
  const book = new ScriptBook()
  const gates = new Gates()
  const log = []
  let sequence = 0
  let openRequests = 0

  const set = (name, script) => {
    book.set(name, script)
    gates.closeOf(name)
  }
  const open = () => ({ requests: openRequests, waiting: gates.counts() })
  const release = (gate) => (gate === undefined ? gates.openAll() : gates.open(gate))

  function record(entry) {
    log.push(entry)
    onRequest?.(entry)
  }

  function handleAdmin(request, response, { pathname: path, searchParams }, body) {
    const { method } = request
    if (path === "/__open") return sendJson(response, 200, open())
    if (path === "/__release" && method === "POST") {
      release(body.gate)
      return sendJson(response, 200, open())
    }
    if (path === "/__log" && method === "DELETE") {
      log.length = 0
      return sendJson(response, 200, { ok: true })
    }
    if (path === "/__log") {
      const scripts = searchParams.get("scripts")?.split(",")
      return sendJson(response, 200, scripts === undefined ? log : log.filter(({ script }) => scripts.includes(script)))
    }
    if (method === "POST") {
      for (const [name, script] of Object.entries(body)) set(name, script)
    }
    return sendJson(response, 200, { names: [...book.scripts.keys()] })
  }

  async function handleMessages(entry, response) {
    const { body } = entry
    const place = locate(body.messages ?? [])
    const kind = book.kindOf(body, book.scripts.get(place.name))
    Object.assign(entry, { kind, script: place.name, step: place.step })
    record(entry)
    const requestId = `req_${entry.n}`
    const turn = book.turnFor(kind, place, body)
    const here = `${place.name}#${place.step}`
    if (turn.hold !== undefined) {
      const { gate = here, until = Infinity } = typeof turn.hold === "number" ? { until: turn.hold } : turn.hold
      await gates.pass(gate, until, response)
    }
    if (turn.delay_ms) await sleep(turn.delay_ms)
    if (turn.error) return sendApiError(response, requestId, turn.error)
    const message = messageOf(turn, body.model)
    if (!body.stream) return sendJson(response, 200, message, { "request-id": requestId })
    return stream(response, requestId, message, turn, () => gates.pass(turn.pause.gate ?? here, Infinity, response))
  }

  async function handle(request, response) {
    const url = new URL(request.url, "http://scripted")
    const path = url.pathname
    const body = await readBody(request)
    if (path.startsWith("/__")) return handleAdmin(request, response, url, body)
    sequence += 1
    openRequests += 1
    const entry = {
      n: sequence,
      at: performance.now(),
      method: request.method,
      path,
      headers: loggable(request.headers),
      body,
    }
    response.once("close", () => {
      openRequests -= 1
      entry.ended = performance.now()
      if (!response.writableFinished) entry.aborted = true
    })
    if (request.method === "POST" && path === "/v1/messages") return handleMessages(entry, response)
    if (request.method === "POST" && path === "/v1/messages/count_tokens") {
      record({ ...entry, kind: "count_tokens" })
      return sendJson(response, 200, { input_tokens: Math.ceil(JSON.stringify(body).length / 4) })
    }
    record({ ...entry, kind: "other" })
    if (request.method === "HEAD") {
      response.writeHead(200)
      return response.end()
    }
    return sendApiError(response, `req_${sequence}`, { status: 404, type: "not_found_error", message: "not found" })
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error("scripted api:", error)
      response.destroy()
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  const actualPort = server.address().port
  return {
    port: actualPort,
    url: `http://127.0.0.1:${actualPort}`,
    log,
    set,
    open,
    release,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function main(args) {
  const valueOf = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
  const api = await createFakeApi({
    port: Number(valueOf("--port") ?? 0),
    onRequest: (entry) => console.error(entry.kind, entry.script ?? "-", entry.step ?? "-", entry.path),
  })
  const file = valueOf("--scripts")
  if (file) {
    for (const [name, script] of Object.entries(JSON.parse(fs.readFileSync(file, "utf8")))) api.set(name, script)
  }
  console.log(api.url)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2))
}
