// Receives an MCP server's response to a call; returns the outcome as the official SDK does: blocks of text and images
// unchanged, other bytes as notes about saved files, structured content as its JSON text, an error as its message.
// Invariant: the Messages API accepts every block; a note replaces what has no place in a tool result. Results are not cut here.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ImageContent, TextContent } from "../schemas/sdk/adapters/plain-results.ts"
import { McpAudio, McpCallResult, McpEmbeddedResource, McpResourceLink } from "../schemas/sdk/options/mcp-tools.ts"
import { isBase64 } from "../schemas/base64.ts"
import { imageBlocks, imageType, MAX_IMAGES } from "../tools/image-blocks.ts"
import type { SavedBlobs } from "../tools/mcp/saved-blobs.ts"
import { ToolError, type ToolOutcome, type ToolResultBlock } from "../tools/tool.ts"
import { WorkspaceError } from "../workspace/workspace-error.ts"
import { sizeOf } from "./choose-tools.ts"
import { resultExtras } from "./result-extras.ts"

/** The most characters of all texts together, for what is not saved to a file when it is too long: errors and prompts. */
const MAX_CHARACTERS = 100_000
const MAX_BLOCKS = 200

const isCallResult = Schema.is(McpCallResult)
const isText = Schema.is(TextContent)
const isImage = Schema.is(ImageContent)
const isAudio = Schema.is(McpAudio)
const isLink = Schema.is(McpResourceLink)
const isResource = Schema.is(McpEmbeddedResource)

/** The outcome of a call of `tool`; its commit saves `files`. Fails with the server's message when the call failed there. */
export const mcpOutcome = (
  server: string,
  tool: string,
  result: unknown,
  files: SavedBlobs,
): Effect.Effect<ToolOutcome, ToolError> => {
  if (!isCallResult(result)) return failed("The MCP server returned something that is not a tool result.")
  const { content = [], structuredContent, isError } = result
  const extras = resultExtras(result)
  if (isError === true) {
    const message = content.slice(0, MAX_BLOCKS).flatMap(errorText).join("\n")
    return failed(message.trim() === "" ? "The tool failed without an explanation." : cutText(message, MAX_CHARACTERS))
  }
  const named = new Set<ToolResultBlock>()
  const blocks = allBlocks({ server, source: tool, files, named }, content)
  const saved = files.commit === undefined ? {} : { commit: files.commit }
  const images = blocks.some((block) => block.type === "image")
  if (structuredContent === undefined || images || named.size > 0) {
    // Structured content replaces the texts, which repeat it, but not images, files and links, which it can't contain.
    const shown = bounded(
      structuredContent === undefined ? blocks : [...pictures(blocks), ...named, text(jsonOf(structuredContent))],
      Number.POSITIVE_INFINITY,
    )
    return Effect.succeed({ content: shown.length === 0 ? NO_OUTPUT : shown, output: shown, ...extras, ...saved })
  }
  const json = jsonOf(structuredContent)
  return Effect.succeed({ content: json, output: json, ...extras })
}

/** A server's contents as blocks of a message, within the limits of a result. Images are named after `source`. */
export const contentBlocks = (
  server: string,
  source: string,
  content: ReadonlyArray<unknown>,
): ReadonlyArray<ToolResultBlock> => bounded(allBlocks({ server, source, named: new Set() }, content))

/** Where contents come from, and where bytes other than images are saved. */
interface Origin {
  readonly server: string
  readonly source: string
  readonly files?: SavedBlobs
  /** The blocks that name saved files and resources. */
  readonly named: Set<ToolResultBlock>
}

const allBlocks = (from: Origin, content: ReadonlyArray<unknown>): Array<ToolResultBlock> => {
  const blocks = content.slice(0, MAX_BLOCKS).flatMap((block, index) => blocksOf(from, block, index))
  if (content.length > MAX_BLOCKS) blocks.push(text(`(${content.length - MAX_BLOCKS} more blocks were left out.)`))
  return blocks
}

const NO_OUTPUT = "(The tool returned no output.)"

/** The images, each with the text that names it. */
const pictures = (blocks: ReadonlyArray<ToolResultBlock>): ReadonlyArray<ToolResultBlock> =>
  blocks.filter((block, index) => block.type === "image" || blocks[index - 1]?.type === "image")

const failed = (message: string): Effect.Effect<never, ToolError> =>
  Effect.fail(new ToolError({ reason: "command_failed", message }))

const text = (content: string): ToolResultBlock => ({ type: "text", text: content })

/** The JSON of a value, or a note if it is nested too deeply. */
const jsonOf = (value: unknown): string =>
  Number.isFinite(sizeOf(value)) ? JSON.stringify(value) : "(structured content that is too deep to be shown)"

const cutText = (long: string, room: number): string =>
  long.length <= room ? long : `${long.slice(0, room)}\n(Output cut here: ${long.length - room} more characters.)`

/** As the official SDK: an error's message consists of its texts, even empty ones, and the targets of its links. */
const errorText = (block: unknown): ReadonlyArray<string> => {
  if (isText(block)) return [block.text]
  return isLink(block) ? [`[Resource link: ${block.name}] ${block.uri}`] : []
}

/** A text that names the file to which a content was saved that can't be shown, or says why it was not saved. */
const fileNote = (
  { files, named }: Origin,
  about: string,
  blob: string | undefined,
  mimeType: string,
  index: number,
): ToolResultBlock => {
  if (files === undefined || blob === undefined) return text(`[${about}: ${mimeType}, which can't be shown here]`)
  if (!isBase64(blob)) return text(`[${about}] Its content (${mimeType}) is not valid base64`)
  try {
    const { path, size } = files.add(blob, mimeType, index)
    const note = text(`[${about}] Binary content (${mimeType}, ${size} bytes) saved to ${path}`)
    named.add(note)
    return note
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    return text(`[${about}] ${mimeType}, which could not be saved: ${error.message}`)
  }
}

const blocksOf = (from: Origin, block: unknown, index: number): ReadonlyArray<ToolResultBlock> => {
  const { server, source: tool } = from
  // The Messages API refuses texts of only white space.
  if (isText(block)) return block.text.trim() === "" ? [] : [text(block.text)]
  if (isImage(block)) return imageBlocks(tool, block.data, block.mimeType)
  if (isAudio(block)) return [fileNote(from, `Audio from ${server}`, block.data, block.mimeType, index)]
  if (isLink(block)) {
    const about = block.description === undefined ? "" : ` (${block.description})`
    const note = text(`[Resource link: ${block.name}] ${block.uri}${about}`)
    from.named.add(note)
    return [note]
  }
  if (isResource(block)) {
    const { uri, mimeType = "application/octet-stream", text: content, blob } = block.resource
    if (content !== undefined) return [text(`[Resource from ${server} at ${uri}] ${content}`)]
    if (blob !== undefined && imageType(blob) !== undefined)
      return [text(`[Resource from ${server} at ${uri}]`), ...imageBlocks(uri, blob, mimeType)]
    return [fileNote(from, `Resource from ${server} at ${uri}`, blob, mimeType, index)]
  }
  return [text("[A block of a kind that is not known here]")]
}

/** The blocks, with images within the limits of a result and at most `most` characters of text. */
const bounded = (
  blocks: ReadonlyArray<ToolResultBlock>,
  most: number = MAX_CHARACTERS,
): ReadonlyArray<ToolResultBlock> => {
  let characters = most
  let images = MAX_IMAGES
  let lost = 0
  const kept = blocks.flatMap((block): ReadonlyArray<ToolResultBlock> => {
    if (block.type === "text") {
      const room = characters
      characters = Math.max(0, room - block.text.length)
      if (block.text.length <= room) return [block]
      lost += block.text.length - room
      return room === 0 ? [] : [text(block.text.slice(0, room))]
    }
    const size = String(block.source["data"]).length
    if (size > images) return [text("[An image was left out: the result has too many]")]
    images -= size
    return [block]
  })
  return lost === 0 ? kept : [...kept, text(`(Output cut here: ${lost} more characters.)`)]
}
