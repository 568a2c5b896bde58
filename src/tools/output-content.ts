// Receives an output with which a hook replaced a tool's own; returns the content for the model, or null when it is not an
// output of that tool.
// Invariant: the content has the same form as that of the tool itself.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { BashOutput, FileReadOutput, GlobOutput, GrepOutput } from "../schemas/sdk/tools/tool-outputs.ts"
import { WebFetchOutput, WebSearchOutput } from "../schemas/sdk/tools/tool-outputs-remote.ts"
import { listedName } from "../workspace/shown-name.ts"
import { notebookContent } from "./files/notebook-content.ts"
import { pdfContent } from "./files/pdf-file.ts"
import { printedImage } from "./bash/printed-image.ts"
import type { ToolOutcome } from "./tool.ts"

type ContentOf = (output: unknown) => ToolOutcome["content"] | null

/** Returns a function that decodes an output of the schema and formats it; it returns null for any other value. */
export const shownAs = <A>(
  schema: Schema.Codec<A, unknown>,
  show: (output: A) => ToolOutcome["content"],
): ContentOf => {
  const decode = Schema.decodeUnknownResult(schema)
  return (output) => {
    const decoded = decode(output)
    return Result.isSuccess(decoded) ? show(decoded.success) : null
  }
}

const joined = (lines: ReadonlyArray<string>): string => lines.filter((line) => line !== "").join("\n")

const listed = (filenames: ReadonlyArray<string>, head: string): string =>
  filenames.length === 0 ? "No files found" : joined([head, ...filenames.map(listedName)])

export const bashContent = shownAs(BashOutput, ({ stdout, stderr, isImage }) => {
  const image = isImage === true ? printedImage(stdout) : null
  if (image !== null && "block" in image) return [image.block]
  return joined([stdout, stderr]) || "(The command printed no output.)"
})

const areCells = Schema.is(
  Schema.Array(
    Schema.Struct({
      cellType: Schema.String,
      source: Schema.String,
      execution_count: Schema.optionalKey(Schema.Number),
      cell_id: Schema.String,
      language: Schema.optionalKey(Schema.String),
      outputs: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            output_type: Schema.String,
            text: Schema.optionalKey(Schema.String),
            image: Schema.optionalKey(
              Schema.Struct({ image_data: Schema.String, media_type: Schema.Literals(["image/png", "image/jpeg"]) }),
            ),
          }),
        ),
      ),
    }),
  ),
)

export const readContent = shownAs(FileReadOutput, (output) => {
  if (output.type === "image") {
    const { base64, type } = output.file
    return [{ type: "image", source: { type: "base64", media_type: type, data: base64 } }]
  }
  if (output.type === "pdf") {
    const { filePath, base64, originalSize } = output.file
    return pdfContent(filePath, base64, originalSize)
  }
  if (output.type === "notebook") {
    const { cells } = output.file
    return areCells(cells) ? notebookContent(cells) : JSON.stringify(cells)
  }
  if (output.type !== "text") return JSON.stringify(output)
  const { content, startLine } = output.file
  return content
    .split("\n")
    .map((line, index) => `${startLine + index}\t${line}`)
    .join("\n")
})

export const globContent = shownAs(GlobOutput, ({ filenames }) => listed(filenames, ""))

export const grepContent = shownAs(GrepOutput, ({ mode, content = "", filenames, numFiles }) => {
  if (mode === "content" || mode === "count") return content === "" ? "No matches found" : content
  return listed(filenames, `Found ${numFiles} file${numFiles === 1 ? "" : "s"}`)
})

export const webFetchContent = shownAs(WebFetchOutput, ({ result }) => result)

/** Formats a search for the model. */
export const searchText = ({ query, results }: WebSearchOutput): string => {
  const parts = results.map((one) => {
    if (typeof one === "string") return one
    return one.content.length === 0 ? "No links were found." : `Links: ${JSON.stringify(one.content)}`
  })
  return [
    `Web search results for "${query}":`,
    ...(parts.length === 0 ? ["Nothing was found."] : parts),
    "Cite the sources that you use as Markdown links in your answer.",
  ].join("\n\n")
}

export const webSearchContent = shownAs(WebSearchOutput, searchText)
