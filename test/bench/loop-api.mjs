// A Messages API that answers at once, for measuring: a prompt with [[loop:ID:N:TOOL]] gets N calls of TOOL, one per
// request, then a text. It keeps, for each ID, when every request arrived and when its answer was out. Loopback only.
import http from "node:http"

const MARKER = /\[\[loop:([\w-]+):(\d+):(\w+)\]\]/g

/** The input of each tool's calls. */
const INPUTS = {
  Read: () => ({ file_path: "/workspace/a.txt" }),
  Write: (serial) => ({ file_path: `/workspace/out-${serial}.txt`, content: "one line\n" }),
  Bash: () => ({ command: "echo one >> log.txt", description: "Append a line" }),
}

const textOf = (content) =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n")

/** The loop that a request belongs to, and how many answers it has had. Searches from the end, because a history is long. */
const locate = (messages) => {
  let done = 0
  for (const message of messages.toReversed()) {
    if (message.role === "assistant") done += 1
    const mark = message.role === "user" ? [...textOf(message.content).matchAll(MARKER)].at(-1) : undefined
    if (mark !== undefined) return { id: mark[1], wanted: Number(mark[2]), tool: mark[3], done }
  }
  return { id: "none", wanted: 0, tool: "Read", done }
}

const answer = (model, block, stopReason, serial, inputTokens) => {
  const usage = {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
  }
  const isText = block.type === "text"
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
  const message = { id: `msg_${serial}`, type: "message", role: "assistant", model, content: [], usage }
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    {
      type: "content_block_start",
      index: 0,
      content_block: isText ? { type: "text", text: "" } : { ...block, input: {} },
    },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: "message_stop" },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")
}

/**
 * Resolves to { url, runs: Map(ID → [{ arrived, answered }]), close() }; times are milliseconds of `performance.now()`.
 * `observer.see(body)` gives what else is kept of a request; `observer.answer(body, bytes)` may give, at once or later, the `text`
 * that answers it in the place of a call, and its `inputTokens`.
 */
export const startLoopApi = async (observer = {}) => {
  const runs = new Map()
  let serial = 0
  const server = http.createServer(async (request, response) => {
    const arrived = performance.now()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method !== "POST" || !request.url.startsWith("/v1/messages")) return response.writeHead(404).end()
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const { id, wanted, tool, done } = locate(body.messages)
    serial += 1
    const bytes = Number(request.headers["content-length"])
    const { text, inputTokens = 100 } = (await observer.answer?.(body, bytes)) ?? {}
    const last = text !== undefined || done >= wanted
    const call = {
      type: "tool_use",
      id: `toolu_${String(serial).padStart(12, "0")}`,
      name: tool,
      input: INPUTS[tool](serial),
    }
    const block = last ? { type: "text", text: text ?? "All done." } : call
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(answer(body.model, block, last ? "end_turn" : "tool_use", serial, inputTokens))
    if (!runs.has(id)) runs.set(id, [])
    runs.get(id).push({ arrived, answered: performance.now(), bytes, ...observer.see?.(body) })
  })
  server.keepAliveTimeout = 60_000
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(resolve)
    })
  return { url: `http://127.0.0.1:${server.address().port}`, runs, close }
}

/** Milliseconds from the end of one answer to the arrival of the next request. */
export const gapsOf = (entries) => entries.slice(1).map((entry, index) => entry.arrived - entries[index].answered)
