// Receives a tool call or a tool result; returns the texts and media that channels receive for it.
// Invariant: a text is cut to 8000 characters, and the bytes of images are omitted.
import { isPlainObject } from "../../schemas/plain-object.ts"
import { isMediaUrl } from "./text/media-url.ts"
import { ReplyText } from "./text/reply-text.ts"

const MAX_TEXT = 8000
const MAX_ERROR = 400
const MAX_META = 200

type Fields = Readonly<Record<string, unknown>>

/** The result as it appears in agent events: `{content}` with long texts cut and the bytes of images omitted. */
export const sanitizedResult = (content: unknown): { readonly content: ReadonlyArray<unknown> } => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []
  return { content: blocks.map(sanitizedBlock) }
}

const sanitizedBlock = (block: unknown): unknown => {
  if (!isPlainObject(block)) return block
  if (block["type"] === "text" && typeof block["text"] === "string") return { ...block, text: truncated(block["text"]) }
  if (block["type"] !== "image") return block
  const source = isPlainObject(block["source"]) ? block["source"] : block
  const { data, ...kept } = source
  const bytes = typeof data === "string" ? data.length : undefined
  const rest = source === block ? kept : { ...block, source: kept }
  return { ...rest, ...(bytes === undefined ? {} : { bytes }), omitted: true }
}

const truncated = (text: string): string => (text.length <= MAX_TEXT ? text : `${cutAt(text, MAX_TEXT)}\n…(truncated)…`)

/** Cuts a text to `length` UTF-16 code units, but never between the two halves of a surrogate pair. */
const cutAt = (text: string, length: number): string =>
  text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? "") ? length - 1 : length)

/** The texts of a sanitized result, joined by newlines. */
export const resultText = ({ content }: { readonly content: ReadonlyArray<unknown> }): string =>
  content
    .flatMap((block) => (isPlainObject(block) && typeof block["text"] === "string" ? [block["text"].trim()] : []))
    .filter((text) => text !== "")
    .join("\n")

/** Whether a result without an error flag reports an error in its `status` ("error" or "timeout"). */
export const isErrorOutput = (output: unknown): boolean => {
  const status = isPlainObject(output) ? output["status"] : undefined
  return typeof status === "string" && /^(?:error|timeout)$/i.test(status.trim())
}

/** The first line of the error, shortened to 400 characters; undefined if the result has no text. */
export const errorMessage = (result: { readonly content: ReadonlyArray<unknown> }): string | undefined => {
  const text = resultText(result)
  const line = (fieldOf(text) ?? text).trim().split(/\r?\n/)[0]?.trim() ?? ""
  if (line === "") return undefined
  return line.length > MAX_ERROR ? `${cutAt(line, MAX_ERROR)}…` : line
}

/** The error message in a result that is a JSON object. */
const fieldOf = (text: string): string | undefined => {
  if (!text.startsWith("{")) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isPlainObject(parsed)) return undefined
    const { error, message, reason } = parsed
    const inner = isPlainObject(error) ? error["message"] : error
    return [inner, message, reason].find((one) => typeof one === "string" && one.trim() !== "") as string | undefined // `find` has tested that
  } catch {
    return undefined
  }
}

const SUBJECTS = ["file_path", "path", "notebook_path", "command", "pattern", "query", "url", "description", "name"]

/** The field that says most about a call, such as its path or command, as one line, shortened to 200 characters. */
export const metaOf = (input: Fields): string | undefined => {
  const field = SUBJECTS.find((one) => typeof input[one] === "string" && input[one].trim() !== "")
  if (field === undefined) return undefined
  const line = String(input[field]).trim().replace(/\s+/g, " ")
  return line.length > MAX_META ? `${cutAt(line, MAX_META)}…` : line
}

/** One line that names a call and its subject. */
export const toolLabel = (name: string, meta: string | undefined): string =>
  meta === undefined ? `🛠️ ${name}` : `🛠️ ${name}: ${meta}`

/** The message that a channel shows for a call that has ended. */
export interface ToolResultReply {
  readonly text?: string
  readonly mediaUrls?: ReadonlyArray<string>
  readonly audioAsVoice?: true
}

/**
 * The reply for a call, as far as its gates permit: the call's label with its output, or the label alone. With both gates closed,
 * the media that a successful MCP call names: only https URLs, no local files. Null when there is nothing to send.
 */
export const toolReply = (
  call: { readonly name: string; readonly meta: string | undefined; readonly isError: boolean },
  output: string,
  gates: { readonly result: boolean; readonly output: boolean },
): ToolResultReply | null => {
  const label = toolLabel(call.name, call.meta)
  if (gates.output && output !== "") return { text: `${label}\n${fenced(output)}` }
  if (gates.output || gates.result) return { text: label }
  if (call.isError || !call.name.startsWith("mcp__")) return null
  const read = new ReplyText({ finalOnly: false })
  const pieces = [...read.push(output), ...read.end()]
  const mediaUrls = pieces.flatMap((piece) => (piece.kind === "media" && isMediaUrl(piece.url) ? [piece.url] : []))
  if (mediaUrls.length === 0) return null
  return { mediaUrls, ...(pieces.some(({ kind }) => kind === "audio") ? { audioAsVoice: true } : {}) }
}

/** Wraps the output in a fence that is longer than any run of backticks in it. */
const fenced = (output: string): string => {
  const longest = Math.max(2, ...Array.from(output.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}txt\n${output}\n${fence}`
}
