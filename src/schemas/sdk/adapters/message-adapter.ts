// Receives messages as `{info, parts[]}`; returns the conversation as SDKMessages: one assistant message per block, one
// user message per tool result.
// Invariant: text, reasoning with its signature, calls, results and files keep their content and order, and a result
// comes after its call and before the next message of its thread.
//
// Lost when SDKMessages are converted to parts (views/parts/sdk-parts.ts) and back here:
//  - all messages but `assistant`, `user`, `system/compact_boundary` and `system/api_retry`; of these two, what their
//    parts don't have (token counts, delays);
//  - the API's message id, request ids, `stop_sequence`, what `usage` has other than the four token counts and thinking, the
//    uuids of all but a message's first piece, and fields of the SDK's own such as `tool_result_meta`, `isReplay`;
//  - blocks that parts don't have, citations, and the kind of call (`server_tool_use`, `mcp_tool_use` → `tool_use`);
//  - of a result: `is_error: false`, and whether its text was one string or several blocks;
//  - who wrote a user text inside a turn: it becomes `isSynthetic`, a prompt `isReplay`;
//  - the old names of tools (`Task` → `Agent`), and the upper case of names of tools that are neither the SDK's nor an MCP server's;
//  - which of several kinds an error was (`authentication_failed` covers all that need a login).
import type { AssistantInfo, FilePart, Message, MessageError, Part, ToolPart, UserInfo } from "../../parts.ts"
import { toolOfPartName } from "../tools/tool-names.ts"

type Json = Readonly<Record<string, unknown>>

/** An SDKMessage, as JSON. */
export type SdkMessage = Json & { readonly type: string }

/**
 * The messages in SDK form, in order. `uuidOf` returns the uuid for a piece that has none, from the id of its part or message,
 * with `/result` for the result of a call. With a pure `uuidOf` the same messages always return the same.
 */
export const partsToSdkMessages = (
  messages: ReadonlyArray<Message>,
  uuidOf: (piece: string) => string,
): ReadonlyArray<SdkMessage> => {
  const threads = new Threads(uuidOf)
  for (const message of messages) threads.add(message)
  return threads.end()
}

/** A finished call whose result has not been emitted yet. */
interface OpenResult {
  readonly part: ToolPart
  readonly sessionId: string
}

class Threads {
  readonly #messages: Array<SdkMessage> = []
  readonly #uuidOf: (piece: string) => string
  /** The open results, by the thread's parent call; null is the main thread. */
  readonly #open = new Map<string | null, Array<OpenResult>>()

  constructor(uuidOf: (piece: string) => string) {
    this.#uuidOf = uuidOf
  }

  add({ info, parts }: Message): void {
    const thread = info.sdk?.parentToolUseId ?? null
    this.#settle(thread)
    if (info.role === "user") this.#user(info, parts, thread)
    else this.#assistant(info, parts, thread)
  }

  end(): ReadonlyArray<SdkMessage> {
    for (const thread of [null, ...this.#open.keys()]) this.#settle(thread)
    return this.#messages
  }

  /** Emits the results of a thread's calls, after everything that happened inside those calls. */
  #settle(thread: string | null): void {
    const open = this.#open.get(thread) ?? []
    this.#open.delete(thread)
    for (const { part, sessionId } of open.toSorted((a, b) => endOf(a.part) - endOf(b.part))) {
      this.#settle(part.callID)
      this.#messages.push({
        type: "user",
        message: { role: "user", content: [resultBlock(part)] },
        parent_tool_use_id: thread,
        session_id: sessionId,
        uuid: this.#uuidOf(`${part.id}/result`),
        timestamp: new Date(endOf(part)).toISOString(),
        ...structuredResult(part),
      })
    }
  }

  #user(info: UserInfo, parts: ReadonlyArray<Part>, thread: string | null): void {
    const ids = { session_id: info.sessionID, uuid: info.sdk?.uuid ?? this.#uuidOf(info.id) }
    const compaction = parts.find((part) => part.type === "compaction")
    if (compaction !== undefined) {
      const compact_metadata = { trigger: compaction.auto ? "auto" : "manual", pre_tokens: 0 }
      this.#messages.push({ type: "system", subtype: "compact_boundary", compact_metadata, ...ids })
    }
    const content = parts.flatMap(userBlock)
    if (content.length === 0) return
    this.#messages.push({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: thread,
      ...ids,
      timestamp: new Date(info.time.created).toISOString(),
      ...authorFields(parts, thread),
    })
  }

  #assistant(info: AssistantInfo, parts: ReadonlyArray<Part>, thread: string | null): void {
    const blocks: Array<{ readonly id: string; readonly block: Json }> = []
    const results: Array<OpenResult> = []
    for (const part of parts) {
      if (part.type === "retry") this.#retry(info, part)
      const block = assistantBlock(part)
      if (block !== undefined) blocks.push({ id: part.id, block })
      if (part.type === "tool" && hasResult(part)) results.push({ part, sessionId: info.sessionID })
    }
    const failure = info.error === undefined ? {} : errorFields(info.error)
    blocks.forEach(({ id, block }, index) => {
      this.#messages.push({
        type: "assistant",
        message: { ...head(info), content: [block] },
        parent_tool_use_id: thread,
        session_id: info.sessionID,
        uuid: index === 0 ? info.sdk.uuid : this.#uuidOf(id),
        timestamp: new Date(info.time.created).toISOString(),
        ...failure,
      })
    })
    if (results.length > 0) this.#open.set(thread, results)
  }

  #retry(info: AssistantInfo, part: Extract<Part, { type: "retry" }>): void {
    const { statusCode } = part.error.data
    this.#messages.push({
      type: "system",
      subtype: "api_retry",
      attempt: part.attempt,
      max_retries: part.attempt,
      retry_delay_ms: 0,
      error_status: statusCode ?? null,
      error: kindOf(statusCode),
      session_id: info.sessionID,
      uuid: this.#uuidOf(part.id),
    })
  }
}

/** The fields that mark a user message: a person's prompt as a replay, a user text inside a turn as written by the loop. */
const authorFields = (parts: ReadonlyArray<Part>, thread: string | null): Json => {
  if (parts.some((part) => part.type === "text" && part.synthetic === true)) return { isSynthetic: true }
  return thread === null ? { isReplay: true } : {}
}

const head = (info: AssistantInfo): Json => ({
  id: info.id,
  type: "message",
  role: "assistant",
  model: info.modelID,
  stop_reason: info.finish === undefined || info.finish === "cancelled" ? null : info.finish,
  stop_sequence: null,
  usage: {
    input_tokens: info.tokens.input,
    output_tokens: info.tokens.output,
    cache_read_input_tokens: info.tokens.cache.read,
    cache_creation_input_tokens: info.tokens.cache.write,
    output_tokens_details: { thinking_tokens: info.tokens.reasoning },
  },
})

const assistantBlock = (part: Part): Json | undefined => {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text }
    case "reasoning":
      return { type: "thinking", thinking: part.text, signature: part.signature ?? "" }
    case "redacted-reasoning":
      return { type: "redacted_thinking", data: part.data }
    case "tool":
      return { type: "tool_use", id: part.callID, name: toolOfPartName(part.tool), input: part.state.input }
    default:
      return undefined
  }
}

const userBlock = (part: Part): ReadonlyArray<Json> => {
  if (part.type === "text") return [{ type: "text", text: part.text }]
  // A file with a source is one that the text mentions, so it has no block of its own.
  return part.type === "file" && part.source === undefined ? [fileBlock(part)] : []
}

/** An image or document block. Data URLs are base64, or text in URL encoding. */
const fileBlock = ({ url, mime, filename }: FilePart): Json => {
  const type = mime.startsWith("image/") ? "image" : "document"
  const titled = filename === undefined ? {} : { title: filename }
  const comma = url.indexOf(",")
  if (!url.startsWith("data:") || comma === -1) {
    const file = url.startsWith("file_id:")
    return { type, source: file ? { type: "file", file_id: url.slice(8) } : { type: "url", url }, ...titled }
  }
  const data = url.slice(comma + 1)
  return url.slice(0, comma).endsWith(";base64")
    ? { type, source: { type: "base64", media_type: mime, data }, ...titled }
    : { type, source: { type: "text", media_type: mime, data: decodeURIComponent(data) }, ...titled }
}

/** False for a call that was interrupted: it has an error without metadata, and never had a result. */
const hasResult = ({ state }: ToolPart): boolean =>
  state.status === "completed" || (state.status === "error" && state.metadata !== undefined)

const endOf = ({ state }: ToolPart): number =>
  state.status === "completed" || state.status === "error" ? state.time.end : 0

const resultBlock = ({ callID, state }: ToolPart): Json => {
  const at = { tool_use_id: callID, type: "tool_result" }
  if (state.status === "error") return { ...at, content: state.error, is_error: true }
  if (state.status !== "completed") return at
  if (state.attachments === undefined) return { ...at, content: state.output }
  const text = state.output === "" ? [] : [{ type: "text", text: state.output }]
  return { ...at, content: [...text, ...state.attachments.map(fileBlock)] }
}

const structuredResult = ({ state }: ToolPart): Json => {
  const metadata = state.status === "completed" || state.status === "error" ? state.metadata : undefined
  return metadata !== undefined && "tool_use_result" in metadata ? { tool_use_result: metadata["tool_use_result"] } : {}
}

const kindOf = (status: number | undefined): string => {
  if (status === 429) return "rate_limit"
  if (status === 529) return "overloaded"
  return status === undefined || status >= 500 ? "server_error" : "invalid_request"
}

/** The SDK's fields for an error. An aborted answer has none: the SDK reports it in the result of the turn. */
const errorFields = (error: MessageError): Json => {
  switch (error.name) {
    case "ProviderAuthError":
      return { error: "authentication_failed", is_api_error_message: true }
    case "MessageOutputLengthError":
      return { error: "max_output_tokens", is_api_error_message: true }
    case "UnknownError":
      return { error: "unknown", is_api_error_message: true }
    case "MessageAbortedError":
      return {}
    case "APIError": {
      const { statusCode } = error.data
      const status = statusCode === undefined ? {} : { api_error_status: statusCode }
      return { error: kindOf(statusCode), is_api_error_message: true, ...status }
    }
  }
}
