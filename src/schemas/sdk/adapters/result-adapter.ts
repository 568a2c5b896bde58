// Receives a tool's result in one form and returns it in another: Perch's own result, the SDK's tool_result block
// with its `tool_use_result`, and MCP's CallToolResult.
// Invariant: text, images, documents, the error flag and the structured output survive a conversion there and back. Content
// that the target form has no field for is written as text, never dropped.
// Lost in MCP's form: `is_error: false` (a missing flag means the same), and whether one text was a string or a block.
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/sdk/types.js"
import type { ToolErrorReason } from "../tools/tool-error-reason.ts"
import { isPlainObject } from "../../plain-object.ts"
import { textOf } from "../../json/text-field.ts"

type Json = Readonly<Record<string, unknown>>

/** A block of a tool result, as the Messages API accepts it. */
export type ResultBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: Json }
  | { readonly type: "document"; readonly source: Json }

/**
 * A tool's result: `content` is what the model reads, `output` the SDK's structured `tool_use_result`, `reason` why a call
 * failed, if the tool reported it.
 */
export interface ToolResult {
  readonly content: string | ReadonlyArray<Json>
  readonly is_error?: boolean
  readonly output: unknown
  readonly reason?: ToolErrorReason
}

/** The SDK's form: a `tool_result` block, and the structured result that its user message has next to it. */
export interface SdkToolResult {
  readonly block: {
    readonly tool_use_id: string
    readonly type: "tool_result"
    readonly content: ToolResult["content"]
    readonly is_error?: boolean
  }
  readonly tool_use_result: unknown
}

export const toSdkResult = (toolUseId: string, result: ToolResult): SdkToolResult => ({
  block: {
    tool_use_id: toolUseId,
    type: "tool_result",
    content: result.content,
    ...(result.is_error === undefined ? {} : { is_error: result.is_error }),
  },
  tool_use_result: result.output,
})

export const fromSdkResult = ({ block, tool_use_result }: SdkToolResult): ToolResult => ({
  content: block.content,
  ...(block.is_error === undefined ? {} : { is_error: block.is_error }),
  output: tool_use_result,
})

/** The key in `_meta` of an output that is not in `structuredContent`, because it is no JSON object or has a plain form. */
const OUTPUT = "perch/output"

/** Converts a result to MCP's form. `plain` replaces the output as `structuredContent`, for clients without the SDK's types. */
export const toCallToolResult = ({ output, ...result }: ToolResult, plain?: Json): CallToolResult => {
  const blocks = typeof result.content === "string" ? [{ type: "text", text: result.content }] : result.content
  const structured = plain ?? (isPlainObject(output) ? output : undefined)
  return {
    content: blocks.map(toContent),
    ...(structured === undefined ? {} : { structuredContent: { ...structured } }),
    ...(structured === output || output === undefined ? {} : { _meta: { [OUTPUT]: output } }),
    ...(result.is_error === true ? { isError: true } : {}),
  }
}

const toContent = (block: Json, index: number): ContentBlock => {
  const source = isPlainObject(block["source"]) ? block["source"] : {}
  const mimeType = textOf(source["media_type"])
  if (block["type"] === "text") return { type: "text", text: textOf(block["text"]) }
  if (block["type"] === "image" && source["type"] === "base64") {
    return { type: "image", data: textOf(source["data"]), mimeType }
  }
  if (block["type"] === "document") {
    const resource = { uri: `perch:document/${index}`, mimeType }
    if (source["type"] === "base64")
      return { type: "resource", resource: { ...resource, blob: textOf(source["data"]) } }
    if (source["type"] === "text") return { type: "resource", resource: { ...resource, text: textOf(source["data"]) } }
  }
  // An image or document given by URL, or a kind of block that MCP does not have.
  return { type: "text", text: JSON.stringify(block) }
}

export const fromCallToolResult = (result: CallToolResult): ToolResult => {
  const meta = result._meta ?? {}
  const blocks = result.content.map(fromContent)
  const [only] = blocks
  const content = blocks.length === 1 && only?.type === "text" ? only.text : blocks
  return {
    content,
    ...(result.isError === true ? { is_error: true } : {}),
    output: OUTPUT in meta ? meta[OUTPUT] : result.structuredContent,
  }
}

const IMAGE = /^image\/(?:jpeg|png|gif|webp)$/

const fromContent = (content: ContentBlock): ResultBlock => {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text }
    case "image":
      if (!IMAGE.test(content.mimeType)) return note(`an image of type ${content.mimeType}`)
      return { type: "image", source: { type: "base64", media_type: content.mimeType, data: content.data } }
    case "audio":
      return note(`audio of type ${content.mimeType}`)
    case "resource_link":
      return note(`${content.name} at ${content.uri}`)
    case "resource":
      return fromResource(content.resource)
  }
}

type Resource = Extract<ContentBlock, { type: "resource" }>["resource"]

const fromResource = (resource: Resource): ResultBlock => {
  const { mimeType = "text/plain" } = resource
  if (!("blob" in resource)) {
    return { type: "document", source: { type: "text", media_type: mimeType, data: resource.text } }
  }
  if (IMAGE.test(mimeType)) {
    return { type: "image", source: { type: "base64", media_type: mimeType, data: resource.blob } }
  }
  if (mimeType !== "application/pdf") return note(`${resource.uri} of type ${mimeType}`)
  return { type: "document", source: { type: "base64", media_type: mimeType, data: resource.blob } }
}

/** A text in place of content that the Messages API does not support. */
const note = (what: string): ResultBlock => ({ type: "text", text: `[${what}: it can't be shown here]` })
