// ReadMcpResourceTool: reads one resource of an MCP server. Texts are shown as JSON and images as images; all binary parts are
// saved as files in the directory of saved results.
// Invariant: images are within the limits of a result, and every file that the result names exists once it is committed.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ReadMcpResourceInput } from "../../schemas/sdk/tools/tool-inputs-remote.ts"
import { ReadMcpResourceOutput } from "../../schemas/sdk/tools/tool-outputs-remote.ts"
import type { McpResourcePart } from "../../schemas/sdk/options/mcp-resources.ts"
import { onWorkspace } from "../files/file-access.ts"
import { isBase64 } from "../../schemas/base64.ts"
import { imageBlocks, imageType, MAX_IMAGES } from "../image-blocks.ts"
import { makeTool, READS } from "../make-tool.ts"
import { shownAs } from "../output-content.ts"
import { ToolError, type ToolResultBlock } from "../tool.ts"
import { SavedBlobs } from "./saved-blobs.ts"

type Content = ReadMcpResourceOutput["contents"][number]

export const readMcpResourceTool = makeTool(ReadMcpResourceInput, {
  name: "ReadMcpResourceTool",
  description:
    "Reads one resource of an MCP server, by its `server` and `uri` as ListMcpResourcesTool returns them. Images are shown; " +
    "content that is neither text nor an image is saved to a file, whose path is in the result.",
  ...READS,
  paths: () => [],
  subject: ({ uri }) => uri,
  readsServer: ({ server }) => server,
  run: ({ server, uri }, context) => {
    const { resources } = context
    if (resources === undefined) return Effect.fail(NO_SERVERS)
    return Effect.flatMap(resources.read(server, uri), (parts) =>
      onWorkspace(context, () => {
        const files = new SavedBlobs(context, "resource")
        const images: Array<ToolResultBlock> = []
        const contents = shown(server, parts, files, images)
        const output: ReadMcpResourceOutput = { contents }
        const json = JSON.stringify(output)
        return {
          content: images.length === 0 ? json : [{ type: "text" as const, text: json }, ...images],
          output,
          ...(files.commit === undefined ? {} : { commit: files.commit }),
        }
      }),
    ).pipe(
      // A resource that does not exist is no failure of the call.
      Effect.catch((error) =>
        isOutput(error.output) ? Effect.succeed({ content: error.message, output: error.output }) : Effect.fail(error),
      ),
    )
  },
  contentOf: shownAs(ReadMcpResourceOutput, (output) => JSON.stringify(output)),
})

const isOutput = Schema.is(ReadMcpResourceOutput)

export const NO_SERVERS = new ToolError({ reason: "not_found", message: "No MCP server is available to this call." })

/** Converts the parts for the output; adds binary parts to `files`, and images to show to `images`. */
const shown = (
  server: string,
  parts: ReadonlyArray<McpResourcePart>,
  files: SavedBlobs,
  images: Array<ToolResultBlock>,
): ReadonlyArray<Content> => {
  let pictures = MAX_IMAGES
  return parts.map(({ uri, mimeType, text, blob }, index): Content => {
    const about = { uri, ...(mimeType === undefined ? {} : { mimeType }) }
    if (blob === undefined) {
      return { ...about, text: text ?? "" }
    }
    const kind = mimeType ?? "unknown type"
    if (!isBase64(blob))
      return { ...about, text: `[Resource from ${server} at ${uri}] Its content is not valid base64` }
    const { path, size } = files.add(blob, mimeType, index)
    if (imageType(blob) !== undefined && blob.length <= pictures) {
      pictures -= blob.length
      images.push(...imageBlocks(uri, blob, kind))
    }
    const note = `[Resource from ${server} at ${uri}] Binary content (${kind}, ${size} bytes) saved to ${path}`
    return { ...about, blobSavedTo: path, text: note }
  })
}
