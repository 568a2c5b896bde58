// Receives a tool's call or result; returns what channels are sent of it.
// Invariant: a text has at most 8000 characters, an image none of its bytes.
import { isMediaUrl } from "./text/media-url.ts"
import { ReplyText } from "./text/reply-text.ts"

const LONGEST_TEXT = 8000
const LONGEST_ERROR = 400
const LONGEST_META = 200

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The result as agent events have it: `{content}`, with what is left of long texts and images. */
export const sanitizedResult = (content: unknown): { readonly content: ReadonlyArray<unknown> } => {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []
  return { content: blocks.map(sanitizedBlock) }
}

const sanitizedBlock = (block: unknown): unknown => {
  if (!isFields(block)) return block
  if (block["type"] === "text" && typeof block["text"] === "string") return { ...block, text: truncated(block["text"]) }
  if (block["type"] !== "image") return block
  const source = isFields(block["source"]) ? block["source"] : block
  const { data, ...kept } = source
  const bytes = typeof data === "string" ? data.length : undefined
  const rest = source === block ? kept : { ...block, source: kept }
  return { ...rest, ...(bytes === undefined ? {} : { bytes }), omitted: true }
}

const truncated = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${cutAt(text, LONGEST_TEXT)}\n…(truncated)…`

/** Never within a character. */
const cutAt = (text: string, length: number): string =>
  text.slice(0, /[\ud800-\udbff]/.test(text[length - 1] ?? "") ? length - 1 : length)

/** The texts of a sanitized result, one a line. */
export const resultText = ({ content }: { readonly content: ReadonlyArray<unknown> }): string =>
  content
    .flatMap((block) => (isFields(block) && typeof block["text"] === "string" ? [block["text"].trim()] : []))
    .filter((text) => text !== "")
    .join("\n")

/** Whether a result that is not marked as an error is one all the same. */
export const isErrorOutput = (output: unknown): boolean => {
  const status = isFields(output) ? output["status"] : undefined
  return typeof status === "string" && /^(?:error|timeout)$/i.test(status.trim())
}

/** The error's first line. */
export const errorMessage = (result: { readonly content: ReadonlyArray<unknown> }): string | undefined => {
  const text = resultText(result)
  const line = (fieldOf(text) ?? text).trim().split(/\r?\n/)[0]?.trim() ?? ""
  if (line === "") return undefined
  return line.length > LONGEST_ERROR ? `${cutAt(line, LONGEST_ERROR)}…` : line
}

/** The error in a result that is JSON. */
const fieldOf = (text: string): string | undefined => {
  if (!text.startsWith("{")) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isFields(parsed)) return undefined
    const { error, message, reason } = parsed
    const inner = isFields(error) ? error["message"] : error
    return [inner, message, reason].find((one) => typeof one === "string" && one.trim() !== "") as string | undefined // just tested
  } catch {
    return undefined
  }
}

const SUBJECTS = ["file_path", "path", "notebook_path", "command", "pattern", "query", "url", "description", "name"]

/** What a call is about, in one line. */
export const metaOf = (input: Fields): string | undefined => {
  const field = SUBJECTS.find((one) => typeof input[one] === "string" && input[one].trim() !== "")
  if (field === undefined) return undefined
  const line = String(input[field]).trim().replace(/\s+/g, " ")
  return line.length > LONGEST_META ? `${cutAt(line, LONGEST_META)}…` : line
}

/** A call in one line. */
export const toolLabel = (name: string, meta: string | undefined): string =>
  meta === undefined ? `🛠️ ${name}` : `🛠️ ${name}: ${meta}`

/** What a channel shows of a call that has ended. */
export interface ToolResultReply {
  readonly text?: string
  readonly mediaUrls?: ReadonlyArray<string>
  readonly audioAsVoice?: true
}

/**
 * The reply for a call, as its gates let it: the call, its output, or (neither) the media that the output names. Of tools whose
 * output is someone else's text no media are taken, and local files of none but Perch's own.
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

/** In a fence that is longer than any in the output. */
const fenced = (output: string): string => {
  const longest = Math.max(2, ...Array.from(output.matchAll(/`+/g), ([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}txt\n${output}\n${fence}`
}
