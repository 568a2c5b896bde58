// A scripted OpenAI API on loopback: chat completions, whole and streamed as OpenAI streams them, that can misbehave on
// purpose.
//
// Script:  Turn, or Turn[]: consecutive requests get consecutive turns, the last repeats. Which script answers is chosen by
//          the last "[[script:NAME]]" in the request's last message.
// Turn:    { text, finish_reason?, refusal?, chunk?: characters of a piece, model?,
//            bytes?:     N                    the stream is written N bytes at a time, through the middle of characters
//            hold?:      gate                 held until the gate is opened
//            pause?:     { after, gate }      held after N pieces, or before a whole answer, until the gate is opened
//            error?:     { status, type?, code?, message?, headers?, body? }
//            mid_error?: { after, type?, code?, message? }   an error in the stream after N pieces
//            drop?:      { after }            cut the socket after N pieces
//            ends?:      { after }            end the body properly, but after N pieces
//            raw?:       text                 the body of an answer as it is given; a pause holds its end }
//
// As a program:  node scripted-openai.mjs --port N [--scripts file.json]     prints its URL
//   GET /__log  the requests so far       DELETE /__log  forget them       POST /__scripts  { name: script, … } adds scripts
//   POST /__release  { gate }  opens a gate
import fs from "node:fs"
import http from "node:http"
import { pathToFileURL } from "node:url"
import { Gates } from "../session/gates.mjs"

const MARKER = /\[\[script:([A-Za-z0-9_.-]+)\]\]/g
const DEFAULT_CHUNK = 24
const CREATED = 1_760_000_000

function sendJson(response, status, value, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(value))
}

const errorOf = ({ message = "scripted error", type = "server_error", code = null }) => ({
  error: { message, type, param: null, code },
})

function sendError(response, requestId, error) {
  const headers = { "x-request-id": requestId, ...error.headers }
  if (error.body === undefined) return sendJson(response, error.status, errorOf(error), headers)
  response.writeHead(error.status, { "content-type": "text/plain", ...headers })
  response.end(error.body)
}

/** Splits the text into chunks of whole characters. */
function piecesOf(text, size) {
  const characters = [...text]
  const pieces = []
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""))
  return pieces
}

/** Streams an answer, honouring the turn's faults. */
async function stream(response, requestId, turn, head, gates) {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": requestId })
  response.flushHeaders()
  const write = async (text) => {
    const bytes = Buffer.from(text)
    const size = turn.bytes ?? bytes.length
    for (let at = 0; at < bytes.length; at += size) {
      await new Promise((resolve) => response.write(bytes.subarray(at, at + size), resolve))
    }
  }
  if (turn.raw !== undefined) {
    await write(turn.raw)
    if (turn.pause !== undefined) await gates.pass(turn.pause.gate, Infinity, response)
    return response.end()
  }
  const piece = (delta, finish_reason = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
    return write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices })}\n\n`)
  }
  await piece({ role: "assistant", content: "", refusal: null })
  const deltas =
    turn.refusal === undefined
      ? piecesOf(turn.text ?? "", turn.chunk ?? DEFAULT_CHUNK).map((content) => ({ content }))
      : [{ refusal: turn.refusal }]
  for (const [sent, delta] of [...deltas, null].entries()) {
    if (response.destroyed) return
    if (turn.pause?.after === sent) await gates.pass(turn.pause.gate, Infinity, response)
    if (turn.drop?.after === sent) return response.socket?.destroy()
    if (turn.ends?.after === sent) return response.end()
    if (turn.mid_error?.after === sent) {
      await write(`data: ${JSON.stringify(errorOf(turn.mid_error))}\n\n`)
      return response.end()
    }
    if (delta !== null) await piece(delta)
  }
  await piece({}, turn.finish_reason ?? "stop")
  await write("data: [DONE]\n\n")
  response.end()
}

/** Answers without streaming. */
function sendWhole(response, requestId, turn, head) {
  if (turn.drop !== undefined) return response.socket?.destroy()
  if (turn.raw !== undefined) {
    response.writeHead(200, { "content-type": "application/json", "x-request-id": requestId })
    return response.end(turn.raw)
  }
  const refusal = turn.refusal ?? null
  const content = refusal === null ? (turn.text ?? "") : null
  const message = { role: "assistant", content, refusal, annotations: [] }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: turn.finish_reason ?? "stop" }]
  sendJson(response, 200, { ...head, object: "chat.completion", choices, usage }, { "x-request-id": requestId })
}

async function readBody(request) {
  const parts = []
  for await (const part of request) parts.push(part)
  try {
    return JSON.parse(Buffer.concat(parts).toString() || "{}")
  } catch {
    return null
  }
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n")

/** The checks of the real API before it answers: returns an error, or null. */
function refusalOf({ headers }, body, key) {
  const type = "invalid_request_error"
  const sent = String(headers.authorization)
  if (key !== undefined && sent !== `Bearer ${key}`) {
    const message = `Incorrect API key provided: ${sent.replace("Bearer ", "")}. You can find your API key at https://platform.openai.com/account/api-keys.`
    return { status: 401, type, code: "invalid_api_key", message }
  }
  if (body === null) return { status: 400, type, message: "We could not parse the JSON body of your request." }
  if (typeof body.model !== "string") return { status: 400, type, message: "you must provide a model parameter" }
  const hasMessages = Array.isArray(body.messages) && body.messages.length > 0
  return hasMessages ? null : { status: 400, type, message: "[] is too short - 'messages'" }
}

/**
 * Starts the scripted API. Resolves to { url, port, log, set(name, script), release(gate), waiting(), close() }; `url` is
 * the base URL for clients, `/v1` included. `log` has an entry per request: { n, script, stream, body, headers, aborted? }.
 * `answer(prompt, body)` gives the turn of requests without a script.
 */
export async function createScriptedOpenAi({ port = 0, key, answer } = {}) {
  const scripts = new Map()
  const attempts = new Map()
  const gates = new Gates()
  const log = []

  const set = (name, script) => {
    scripts.set(name, script)
    attempts.delete(name)
  }

  const turnOf = (name, prompt, body) => {
    const script = scripts.get(name)
    if (script === undefined) return answer?.(prompt, body) ?? { text: `no script for ${name}` }
    if (!Array.isArray(script)) return script
    const attempt = attempts.get(name) ?? 0
    attempts.set(name, attempt + 1)
    return script[Math.min(attempt, script.length - 1)]
  }

  async function handleCompletion(request, response, body) {
    const n = log.length + 1
    const requestId = `req_${n}`
    const prompt = textOf(body?.messages?.at(-1)?.content)
    const name = [...prompt.matchAll(MARKER)].at(-1)?.[1] ?? null
    const { authorization, ...rest } = request.headers
    const headers = { ...rest, ...(authorization === undefined ? {} : { authorization: "(set)" }) }
    const entry = { n, script: name, stream: body?.stream === true, body, headers }
    log.push(entry)
    response.once("close", () => {
      if (!response.writableFinished) entry.aborted = true
    })
    const refusal = refusalOf(request, body, key)
    if (refusal !== null) return sendError(response, requestId, refusal)
    const turn = turnOf(name, prompt, body)
    if (turn.hold !== undefined) await gates.pass(turn.hold, Infinity, response)
    if (turn.error !== undefined) return sendError(response, requestId, turn.error)
    if (!entry.stream && turn.pause !== undefined) await gates.pass(turn.pause.gate, Infinity, response)
    const head = { id: `chatcmpl-${n}`, created: CREATED, model: turn.model ?? body.model, service_tier: "default" }
    if (entry.stream) return stream(response, requestId, turn, head, gates)
    return sendWhole(response, requestId, turn, head)
  }

  async function handle(request, response) {
    const { pathname: path } = new URL(request.url, "http://scripted")
    const body = await readBody(request)
    if (request.method === "POST" && path === "/v1/chat/completions") return handleCompletion(request, response, body)
    if (path === "/__log" && request.method === "DELETE") log.length = 0
    if (path === "/__log") return sendJson(response, 200, log)
    if (path === "/__scripts") {
      for (const [name, script] of Object.entries(body ?? {})) set(name, script)
      return sendJson(response, 200, { names: [...scripts.keys()] })
    }
    if (path === "/__release") {
      gates.open(body.gate)
      return sendJson(response, 200, {})
    }
    const message = `Invalid URL (${request.method} ${path})`
    return sendError(response, "req_0", { status: 404, type: "invalid_request_error", message })
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error("scripted openai:", error)
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
    url: `http://127.0.0.1:${actualPort}/v1`,
    log,
    set,
    release: (gate) => gates.open(gate),
    waiting: () => gates.counts(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function main(args) {
  const valueOf = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined)
  const api = await createScriptedOpenAi({ port: Number(valueOf("--port") ?? 0) })
  const file = valueOf("--scripts")
  if (file) {
    for (const [name, script] of Object.entries(JSON.parse(fs.readFileSync(file, "utf8")))) api.set(name, script)
  }
  console.log(api.url)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2))
