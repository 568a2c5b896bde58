// Receives one content block of the Messages API; returns the part that shows it, or how a tool result ends its part.
// Invariant: pure; for a block without a part (a kind that opencode does not know) the result is null and the block is omitted.
import type { FilePart, Part, ToolPart, ToolState } from "../../schemas/parts.ts"
import { type Block, blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { isToolName } from "../../schemas/sdk/tools/tool-names.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { textOf } from "../../schemas/json/text-field.ts"

interface PartBase {
  readonly id: string
  readonly sessionID: string
  readonly messageID: string
}

/** opencode's name of a built-in tool; tools of MCP servers and clients keep their names. */
const partToolName = (name: string): string => {
  if (name === "Agent") return "task"
  if (name === "LS") return "list"
  return isToolName(name) ? name.toLowerCase() : name
}

/** An image or document block as a file part: base64 and plain text become a data URL. */
const filePart = (block: Block, base: PartBase): FilePart | null => {
  if (!isPlainObject(block.source)) return null
  const source = block.source
  const mime = textOf(source.media_type) || (block.type === "image" ? "image/*" : "application/octet-stream")
  const named = typeof block.title === "string" ? { filename: block.title } : {}
  const file = (url: string): FilePart => ({ ...base, type: "file", mime, ...named, url })
  switch (source.type) {
    case "base64":
      return file(`data:${mime};base64,${textOf(source.data)}`)
    case "text":
      return file(`data:${mime},${encodeURIComponent(textOf(source.data).toWellFormed())}`)
    case "url":
      return file(textOf(source.url))
    case "file":
      return file(`file_id:${textOf(source.file_id)}`)
    default:
      return null
  }
}

/** The part of a block in a user's message. `synthetic` marks text that no person wrote. */
export const partOfUserBlock = (block: Block, base: PartBase, synthetic: boolean): Part | null => {
  if (block.type === "text") {
    return { ...base, type: "text", text: textOf(block.text), ...(synthetic ? { synthetic: true } : {}) }
  }
  return block.type === "image" || block.type === "document" ? filePart(block, base) : null
}

/** True for `tool_use` and the API's own tools (`server_tool_use`, `mcp_tool_use`). */
const isToolUse = (block: Block): boolean => block.type.endsWith("tool_use")
export const isToolResult = (block: Block): boolean => block.type.endsWith("tool_result")

/** The part of a block in an assistant message that was complete at `at` (ms). */
export const partOfAssistantBlock = (block: Block, base: PartBase, at: number): Part | null => {
  const time = { start: at, end: at }
  if (isToolUse(block)) {
    const input = isPlainObject(block.input) ? block.input : {}
    const state: ToolState = { status: "pending", input, raw: JSON.stringify(block.input ?? {}), time: { start: at } }
    return { ...base, type: "tool", callID: textOf(block.id), tool: partToolName(textOf(block.name)), state }
  }
  switch (block.type) {
    case "text":
      return { ...base, type: "text", text: textOf(block.text), time }
    case "thinking": {
      const signed = typeof block.signature === "string" ? { signature: block.signature } : {}
      return { ...base, type: "reasoning", text: textOf(block.thinking), ...signed, time }
    }
    case "redacted_thinking":
      return { ...base, type: "redacted-reasoning", data: textOf(block.data), time }
    default:
      return null
  }
}

/**
 * The part of a block that starts to stream at `at` (ms), before it has any content; null for a block that has no part, or none
 * before it is complete.
 */
export const partOfStartedBlock = (block: Block, base: PartBase, at: number): Part | null => {
  const time = { start: at }
  if (isToolUse(block)) {
    const state: ToolState = { status: "pending", input: {}, raw: "", time }
    return { ...base, type: "tool", callID: textOf(block.id), tool: partToolName(textOf(block.name)), state }
  }
  switch (block.type) {
    case "text":
      return { ...base, type: "text", text: "", time }
    case "thinking":
      return { ...base, type: "reasoning", text: "", time }
    case "redacted_thinking":
      return { ...base, type: "redacted-reasoning", data: textOf(block.data), time }
    default:
      return null
  }
}

const firstQuestion = (questions: unknown): unknown =>
  Array.isArray(questions) && isPlainObject(questions[0]) ? questions[0].question : undefined

/** One line that describes a call: what it reads, runs, searches or asks. */
const titleOf = (part: ToolPart): string => {
  const input = part.state.input
  const { description, file_path, path, pattern, command, url, query, subject } = input
  const named = [description, file_path, path, pattern, command, url, query, subject, firstQuestion(input.questions)]
  const title = named.find((value): value is string => typeof value === "string" && value !== "")
  if (title !== undefined) return title.length > 200 ? `${title.slice(0, 199).toWellFormed()}…` : title
  return Array.isArray(input.todos) ? `${input.todos.length} todos` : part.tool
}

/** The state of a call that started at `at` (ms), when its PreToolUse hooks fired. */
export const startedState = (part: ToolPart, at: number): Extract<ToolState, { readonly status: "running" }> => ({
  status: "running",
  input: part.state.input,
  title: titleOf(part),
  time: { start: at },
})

export const interruptedState = (
  part: ToolPart,
  time: { readonly start: number; readonly end: number },
): ToolState => ({
  status: "error",
  input: part.state.input,
  error: "Tool execution was interrupted",
  time,
})

/** Fields that accompany a result in its message; the call's metadata has them under the same names. */
export interface ResultFacts {
  readonly tool_use_result?: unknown
  /** Why a call did not run, or not to its end: `permission-rule`, `user-rejected`, `interrupted`, `cancelled`. */
  readonly non_execution_kind?: string
  /** The decision, for a call that was denied. */
  readonly permission_decision?: Readonly<Record<string, unknown>>
}

/** The final state of a call with this result. */
export const settledState = (
  part: ToolPart,
  result: Block,
  facts: ResultFacts,
  time: { readonly start: number; readonly end: number },
  attachmentBase: () => PartBase,
): ToolState => {
  const blocks = blocksIn(result.content)
  const known = blocks.filter((block) => block.type === "text")
  const lines = known.map((block) => textOf(block.text))
  const files = blocks
    .filter((block) => block.type === "image" || block.type === "document")
    .flatMap((block) => filePart(block, attachmentBase()) ?? [])
  // Results of the API's own tools contain blocks of many kinds: content without text is shown as JSON.
  const other = blocks.length > 0 || isPlainObject(result.content) ? JSON.stringify(result.content) : ""
  const output = lines.length + files.length > 0 ? lines.join("\n") : other
  const metadata = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
  const input = part.state.input
  if (result.is_error === true) return { status: "error", input, error: output, metadata, time }
  const attached = files.length > 0 ? { attachments: files } : {}
  return { status: "completed", input, output, title: titleOf(part), metadata, time, ...attached }
}
