// A scripted Messages API on loopback. It answers each request with the next turn of a script, streamed as the real API
// streams, and can misbehave on purpose: HTTP errors, errors and cuts in the middle, delays, answers held back.
//
// Script:  { turns: [Turn | Turn[]], usage?, byModel?: { [model]: Turn }, compact?: Turn, side?: Turn, allowNoTools? }
//          or just the array of turns. `usage` is laid under the usage of every turn of the script.
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
// Block:   { type: "text" | "thinking" | "tool_use", … } as in a finished message, cut into deltas of `chunk` characters;
//          a tool_use may have raw_input, a text that is streamed as its input; other types are streamed in their start;
//          { raw: { start, deltas?, stop? } } is streamed as given: `start` is the content_block, `deltas` are the deltas,
//          `stop: false` leaves the content_block_stop out;
//          { event } is one event streamed as given, of any type.
// usage:   laid over a default of 100 tokens in and 10 out; `message_start` says it with 1 token out, `message_delta`
//          says it whole. `start_usage` replaces what `message_start` says.
//
// Which script answers is chosen by the last "[[script:NAME]]" marker in the user messages of the request; the step is
// the number of assistant messages after that marker. A request without tools is a `side` request (titles and the like)
// unless the script has allowNoTools; a request whose last user text asks for a summary of the conversation is a
// `compact` request if the script has one.
//
// As a program:  node scripted-api.mjs --port N [--scripts file.json]     prints its URL
//   GET /__log        the requests so far, as JSON         DELETE /__log    forget them
//   POST /__scripts   { name: script, … } adds scripts     GET /__scripts   the names known
//   GET /__open       { requests, waiting: { gate: N } }   POST /__release  { gate? } opens that gate, or all that hold one
import crypto from "node:crypto"
import fs from "node:fs"
import http from "node:http"
import { pathToFileURL } from "node:url"

const MARKER = /\[\[script:([A-Za-z0-9_.-]+)\]\]/g
const COMPACT_PROMPT =
  /summary of (the|this|our) conversation|summari[sz]e (the|this|our) conversation|detailed summary|CRITICAL: Respond with TEXT ONLY/i
const DEFAULT_CHUNK = 24
const DEFAULT_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 10,
}
const DEFAULT_SIDE_TURN = { content: [{ type: "text", text: '{"title":"side","isNewTopic":false}' }] }

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The text of a message's content: text blocks, and text inside tool results. */
function textOf(content) {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((block) => (block.type === "tool_result" ? textOf(block.content) : (block.text ?? ""))).join("\n")
}

/** Only the text blocks: markers inside tool results do not choose a script. */
function ownTextOf(content) {
  if (typeof content === "string") return content
  return (content ?? [])
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n")
}

/** Finds the script name and the step that a request asks for. */
export function locate(messages) {
  let name = null
  let markedAt = -1
  messages.forEach((message, index) => {
    if (message.role !== "user") return
    const marker = [...ownTextOf(message.content).matchAll(MARKER)].at(-1)
    if (marker === undefined) return
    name = marker[1]
    markedAt = index
  })
  const after = markedAt < 0 ? [] : messages.slice(markedAt + 1)
  return { name, step: after.filter((message) => message.role === "assistant").length }
}

/** Holds the scripts and answers "what should this request get?". */
class ScriptBook {
  scripts = new Map()
  attempts = new Map()

  set(name, script) {
    this.scripts.set(name, Array.isArray(script) ? { turns: script } : script)
    for (const key of this.attempts.keys()) {
      if (key.startsWith(`${name}#`)) this.attempts.delete(key)
    }
  }

  kindOf(body, script) {
    const lastUser = (body.messages ?? []).findLast((message) => message.role === "user")
    if (script?.compact && COMPACT_PROMPT.test(textOf(lastUser?.content))) return "compact"
    return (body.tools ?? []).length === 0 && !script?.allowNoTools ? "side" : "main"
  }

  turnFor(kind, { name, step }, body) {
    const script = this.scripts.get(name)
    const turn = this.choose(kind, script, { name, step }, body)
    return script?.usage === undefined ? turn : { ...turn, usage: { ...script.usage, ...turn.usage } }
  }

  choose(kind, script, { name, step }, body) {
    if (kind === "compact") return script.compact
    if (kind === "side") return script?.side ?? DEFAULT_SIDE_TURN
    if (script?.byModel?.[body.model]) return script.byModel[body.model]
    const turns = script?.turns ?? []
    const turn = turns[Math.min(step, turns.length - 1)]
    if (Array.isArray(turn)) return this.nextAttempt(`${name}#${step}`, turn)
    return turn ?? { content: [{ type: "text", text: `no script for ${name}` }] }
  }

  nextAttempt(key, turns) {
    const attempt = this.attempts.get(key) ?? 0
    this.attempts.set(key, attempt + 1)
    return turns[Math.min(attempt, turns.length - 1)]
  }
}

/** Places where answers wait for each other. */
class Gates {
  waiting = new Map()
  opened = new Set()

  /** Resolves when `until` requests wait here together, when the gate is opened, or when the client has gone. */
  pass(gate, until, response) {
    if (this.opened.has(gate) || response.destroyed) return Promise.resolve()
    const here = this.waiting.get(gate) ?? new Set()
    this.waiting.set(gate, here)
    return new Promise((resolve) => {
      here.add(resolve)
      response.once("close", () => {
        here.delete(resolve)
        resolve()
      })
      if (here.size >= until) this.open(gate)
    })
  }

  open(gate) {
    this.opened.add(gate)
    const here = this.waiting.get(gate) ?? new Set()
    this.waiting.delete(gate)
    for (const resolve of here) resolve()
  }

  openAll() {
    for (const gate of this.waiting.keys()) this.open(gate)
  }

  closeOf(script) {
    for (const gate of this.opened) {
      if (gate.startsWith(`${script}#`)) this.opened.delete(gate)
    }
  }

  counts() {
    return Object.fromEntries([...this.waiting].map(([gate, here]) => [gate, here.size]))
  }
}

/** Splits a string into the pieces of its deltas. */
function chunksOf(text, size) {
  const chunks = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return chunks
}

/** The SSE events of one content block: [type, data] pairs. */
function eventsOfBlock(block, index, size) {
  const start = (content_block) => ["content_block_start", { index, content_block }]
  const delta = (data) => ["content_block_delta", { index, delta: data }]
  const stop = ["content_block_stop", { index }]
  if (block.event !== undefined) {
    const { type, ...data } = block.event
    return [[type, data]]
  }
  if (block.raw !== undefined) {
    const { raw } = block
    return [start(raw.start), ...(raw.deltas ?? []).map(delta), ...(raw.stop === false ? [] : [stop])]
  }
  if (block.type === "text") {
    const deltas = chunksOf(block.text, size).map((text) => delta({ type: "text_delta", text }))
    return [start({ type: "text", text: "" }), ...deltas, stop]
  }
  if (block.type === "thinking") {
    const deltas = chunksOf(block.thinking, size).map((thinking) => delta({ type: "thinking_delta", thinking }))
    const signature = delta({ type: "signature_delta", signature: block.signature ?? "c2ln" })
    return [start({ type: "thinking", thinking: "", signature: "" }), ...deltas, signature, stop]
  }
  if (block.type === "tool_use") {
    const json = block.raw_input ?? JSON.stringify(block.input ?? {})
    const deltas = chunksOf(json, size).map((partial_json) => delta({ type: "input_json_delta", partial_json }))
    return [start({ type: "tool_use", id: block.id, name: block.name, input: {} }), ...deltas, stop]
  }
  return [start(block), stop]
}

/** The assistant message that a turn describes. */
function messageOf(turn, model) {
  const content = (turn.content ?? []).map((block) =>
    block.type === "tool_use" ? { id: `toolu_${crypto.randomBytes(6).toString("hex")}`, ...block } : block,
  )
  const callsTools = content.some((block) => block.type === "tool_use" || block.raw?.start.type === "tool_use")
  const stopReason = turn.stop_reason === undefined ? (callsTools ? "tool_use" : "end_turn") : turn.stop_reason
  return {
    id: `msg_${crypto.randomBytes(8).toString("hex")}`,
    type: "message",
    role: "assistant",
    model: turn.model ?? model,
    content,
    stop_reason: stopReason,
    stop_sequence: turn.stop_sequence ?? null,
    usage: { ...DEFAULT_USAGE, ...turn.usage },
    ...(turn.stop_details ? { stop_details: turn.stop_details } : {}),
  }
}

/** All SSE events of a message, in order. */
function eventsOfMessage(message, turn) {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...head } = message
  const opening = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: turn.start_usage ?? { ...usage, output_tokens: 1 },
  }
  const ending = { stop_reason, stop_sequence, ...(stop_details ? { stop_details } : {}) }
  // An `event` comes between blocks and takes no index.
  let index = -1
  return [
    ["message_start", { message: opening }],
    ["ping", {}],
    ...content.flatMap((block) => {
      if (block.event === undefined) index += 1
      return eventsOfBlock(block, index, turn.chunk ?? DEFAULT_CHUNK)
    }),
    ["message_delta", { delta: ending, usage: { ...usage } }],
    ["message_stop", {}],
  ]
}

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

/** Streams a message, honouring the turn's faults and delays. `pause` waits at the gate of the turn's pause. */
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
 * headers, aborted? }; `aborted` becomes true when the client went away before the answer's end. `open()` says what
 * `GET /__open` says.
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

  function handleAdmin(request, response, path, body) {
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
    if (path === "/__log") return sendJson(response, 200, log)
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
    const path = new URL(request.url, "http://scripted").pathname
    const body = await readBody(request)
    if (path.startsWith("/__")) return handleAdmin(request, response, path, body)
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
