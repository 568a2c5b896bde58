// Receives the events of a subagent's conversation from the log, in order; returns them as frames of messages and parts.
// Invariant: the blocks of an answer, which are separate events in the log, form one message; a result completes its call's part.
import { isPlainObject } from "../../../schemas/plain-object.ts"
import type { LogEvent } from "../../../client/api/session-shapes.ts"
import type { Frame, MessageInfo, Part, ToolState } from "../../store/frames.ts"
import { toolOfName } from "../tools/tool-view.ts"

type Fields = Readonly<Record<string, unknown>>

interface Block extends Fields {
  readonly type: string
}

const INTERRUPTED = "Tool execution was interrupted"

export class AgentFrames {
  readonly #thread: string
  /** Parts of calls that have no result yet, by the calls' ids. */
  readonly #open = new Map<string, Part>()
  readonly #infos = new Map<string, MessageInfo>()

  /** `thread` is the call that first started the agent. */
  constructor(thread: string) {
    this.#thread = thread
  }

  /** The frames of an event; none for an event of another conversation. */
  framesOf(event: LogEvent): ReadonlyArray<Frame> {
    if (event.parent_tool_use_id !== this.#thread) return []
    const own = fields(event.payload)
    const isWithheld = event.name === "message:withheld"
    const payload = isWithheld ? fields(own["message"]) : own
    const { content, id, model } = fields(payload["message"])
    switch (isWithheld ? own["event"] : event.name) {
      case "sdk:assistant":
        return this.#answer(event, text(id) || event.uuid, text(model), blocksOf(content))
      case "sdk:user":
        return this.#user(event, blocksOf(content), payload)
      default:
        return []
    }
  }

  /** The frames that end the run: calls without a result are marked as interrupted. */
  end(at: number): ReadonlyArray<Frame> {
    const frames = [...this.#open.values()].map((part) =>
      partFrame({ ...part, state: { ...part.state, status: "error", error: INTERRUPTED, time: timeOf(part, at) } }),
    )
    this.#open.clear()
    return frames
  }

  #answer(event: LogEvent, id: string, model: string, blocks: ReadonlyArray<Block>): ReadonlyArray<Frame> {
    const parts = blocks.flatMap((block, place) => answerPart(block, `${event.uuid}:${place}`, id, event.at) ?? [])
    for (const part of parts) if (part.callID !== undefined) this.#open.set(part.callID, part)
    const created = this.#infos.get(id)?.time.created ?? event.at
    const info = this.#info({ id, role: "assistant", time: { created, completed: event.at }, modelID: model })
    return [info, ...parts.map(partFrame)]
  }

  #user(event: LogEvent, blocks: ReadonlyArray<Block>, payload: Fields): ReadonlyArray<Frame> {
    const results = blocks.flatMap((block) => this.#result(block, event.at, payload))
    const parts = blocks.flatMap((block, place) => promptPart(block, `${event.uuid}:${place}`, event.uuid) ?? [])
    if (parts.length === 0) return results
    const info = this.#info({ id: event.uuid, role: "user", time: { created: event.at } })
    return [...results, info, ...parts.map(partFrame)]
  }

  #result(block: Block, at: number, payload: Fields): ReadonlyArray<Frame> {
    const part = block.type === "tool_result" ? this.#open.get(text(block["tool_use_id"])) : undefined
    if (part?.callID === undefined) return []
    this.#open.delete(part.callID)
    const inside = blocksOf(block["content"])
    const output = inside.flatMap((one) => (one.type === "text" ? [text(one["text"])] : [])).join("\n")
    const attachments = inside.flatMap((one, place) => filePart(one, `${part.id}:${place}`, part.messageID) ?? [])
    const metadata = { tool_use_result: payload["subagent_tool_result"] ?? payload["tool_use_result"] }
    const ended: ToolState = { ...part.state, status: "completed", metadata, time: timeOf(part, at) }
    const state: ToolState =
      block["is_error"] === true
        ? { ...ended, status: "error", error: output }
        : { ...ended, output, ...(attachments.length > 0 ? { attachments } : {}) }
    return [partFrame({ ...part, state })]
  }

  #info(info: MessageInfo): Frame {
    const placed = { ...info, sdk: { parentToolUseId: this.#thread } }
    this.#infos.set(info.id, placed)
    return { id: info.id, type: "message.updated", properties: { info: placed } }
  }
}

const partFrame = (part: Part): Frame => ({ id: part.id, type: "message.part.updated", properties: { part } })

const timeOf = ({ time }: Part, end: number) => ({ ...(time?.start === undefined ? {} : { start: time.start }), end })

const answerPart = (block: Block, id: string, messageID: string, at: number): Part | null => {
  const base = { id, messageID, time: { start: at, end: at } }
  if (block.type.endsWith("tool_use")) {
    const state: ToolState = { status: "running", input: fields(block["input"]), time: { start: at } }
    return { ...base, type: "tool", callID: text(block["id"]), tool: toolOfName(text(block["name"])), state }
  }
  switch (block.type) {
    case "text":
      return { ...base, type: "text", text: text(block["text"]) }
    case "thinking":
      return { ...base, type: "reasoning", text: text(block["thinking"]), signature: text(block["signature"]) }
    case "redacted_thinking":
      return { ...base, type: "redacted-reasoning" }
    default:
      return null
  }
}

const promptPart = (block: Block, id: string, messageID: string): Part | null =>
  block.type === "text" ? { id, messageID, type: "text", text: text(block["text"]) } : filePart(block, id, messageID)

/** The part of an image or a document whose bytes are in the block; null if they are stored elsewhere. */
const filePart = (block: Block, id: string, messageID: string): Part | null => {
  const { type, media_type: mime, data } = fields(block["source"])
  if (block.type !== "image" && block.type !== "document") return null
  if (type !== "base64" || typeof mime !== "string" || typeof data !== "string") return null
  return { id, messageID, type: "file", mime, url: `data:${mime};base64,${data}` }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const fields = (value: unknown): Fields => (isPlainObject(value) ? value : {})

const blocksOf = (content: unknown): ReadonlyArray<Block> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  if (!Array.isArray(content)) return []
  return content.filter((block: unknown): block is Block => typeof fields(block)["type"] === "string")
}
