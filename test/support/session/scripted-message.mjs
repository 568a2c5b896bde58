// Receives a turn of a script; returns the message that it describes, and the SSE events into which the real API splits that
// message.
import crypto from "node:crypto"

const DEFAULT_CHUNK = 24
/** The deltas of one block without a `chunk` of its turn; a slow turn has more, which its test waits for. */
const MAX_DELTAS = 500
const DEFAULT_USAGE = {
  input_tokens: 100,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 10,
}

/** Splits a string into its deltas. */
function chunksOf(text, { chunk, delta_delay_ms }) {
  const most = delta_delay_ms === undefined ? MAX_DELTAS : Number.POSITIVE_INFINITY
  const size = chunk ?? Math.max(DEFAULT_CHUNK, Math.ceil(text.length / most))
  const chunks = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return chunks
}

/** The SSE events of one content block: [type, data] pairs. */
function eventsOfBlock(block, index, turn) {
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
    const deltas = chunksOf(block.text, turn).map((text) => delta({ type: "text_delta", text }))
    return [start({ type: "text", text: "" }), ...deltas, stop]
  }
  if (block.type === "thinking") {
    const deltas = chunksOf(block.thinking, turn).map((thinking) => delta({ type: "thinking_delta", thinking }))
    const signature = delta({ type: "signature_delta", signature: block.signature ?? "c2ln" })
    return [start({ type: "thinking", thinking: "", signature: "" }), ...deltas, signature, stop]
  }
  if (block.type === "tool_use") {
    const json = block.raw_input ?? JSON.stringify(block.input ?? {})
    const deltas = chunksOf(json, turn).map((partial_json) => delta({ type: "input_json_delta", partial_json }))
    return [start({ type: "tool_use", id: block.id, name: block.name, input: {} }), ...deltas, stop]
  }
  return [start(block), stop]
}

/** The assistant message that a turn describes. */
export function messageOf(turn, model) {
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
export function eventsOfMessage(message, turn) {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...head } = message
  const opening = {
    ...head,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: turn.start_usage ?? { ...usage, output_tokens: 1 },
  }
  const ending = { stop_reason, stop_sequence, ...(stop_details ? { stop_details } : {}) }
  // An `event` is sent between blocks and uses no index.
  let index = -1
  return [
    ["message_start", { message: opening }],
    ["ping", {}],
    ...content.flatMap((block) => {
      if (block.event === undefined) index += 1
      return eventsOfBlock(block, index, turn)
    }),
    ["message_delta", { delta: ending, usage: { ...usage } }],
    ["message_stop", {}],
  ]
}
