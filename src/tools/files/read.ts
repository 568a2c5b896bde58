// Read: receives a path; returns numbered lines, an image, a PDF or the cells of a notebook.
// Invariant: never more than the limits below, whatever the file; a note says at which offset the rest can be read.
import * as Effect from "effect/Effect"
import { FileReadInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { FileReadOutput, ImageType } from "../../schemas/sdk/tools/tool-outputs.ts"
import { release } from "../../net/release.ts"
import { normalizePath } from "../../workspace/paths.ts"
import { hasNul, isText, utf8Of, withPlainEnds } from "../../workspace/file-text.ts"
import { mustBeAllowed, onWorkspace } from "./file-access.ts"
import { MAX_READ_CHARACTERS } from "../../workspace/text-limits.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { invalidInput, makeTool, READS } from "../make-tool.ts"
import { cellsOf, parseNotebook } from "./notebook.ts"
import { notebookContent } from "./notebook-content.ts"
import { readContent } from "../output-content.ts"
import { type ImageSize, imageSize, isTooLarge, MAX_SIDE } from "../../schemas/image-size.ts"
import { isPdf, pageRange, readPdf } from "./pdf-file.ts"
import { noteHash } from "../known-files.ts"
import { cutLines } from "./text-lines.ts"
import { ToolError, type ToolOutcome } from "../tool.ts"
import { withResolvedPath } from "./resolved-path.ts"
import { withoutBlanks } from "./search-root.ts"

const MAX_CHARACTERS_LARGE = 1_000_000
/** The Messages API accepts images up to 5 MB of base64. */
const MAX_IMAGE_BYTES = 3_750_000
/** The most characters of a notebook's cells, without images. */
const MAX_NOTEBOOK_CHARACTERS = 256_000

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false })

const startsWith = (bytes: Uint8Array, magic: ReadonlyArray<number>, at = 0): boolean =>
  magic.every((byte, index) => bytes[at + index] === byte)

const imageType = (bytes: Uint8Array): ImageType | null => {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png"
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg"
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38])) return "image/gif"
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8)) return "image/webp"
  return null
}

const readImage = (bytes: Uint8Array, type: ImageType, path: string): ToolOutcome => {
  if (bytes.length > MAX_IMAGE_BYTES) {
    throw new ToolError({
      reason: "command_failed",
      message: `${path} is an image of ${bytes.length} bytes; images over ${MAX_IMAGE_BYTES} bytes can't be shown.`,
    })
  }
  const originalSize = bytes.length
  const size = imageSize(bytes)
  if (size !== null && isTooLarge(size)) {
    throw new ToolError({
      reason: "command_failed",
      message: `${path} is an image of ${size.width} x ${size.height} pixels; images of more than ${MAX_SIDE} along a side can't be shown.`,
    })
  }
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
  // The workspace reads the bytes again for each reader, so these can be released.
  release(bytes)
  const output: FileReadOutput = { type: "image", file: { base64, type, originalSize, ...dimensionsOf(size) } }
  return { content: [{ type: "image", source: { type: "base64", media_type: type, data: base64 } }], output }
}

/** The dimensions of an image, which is shown without scaling. */
const dimensionsOf = (size: ImageSize | null) =>
  size === null
    ? {}
    : {
        dimensions: {
          originalWidth: size.width,
          originalHeight: size.height,
          displayWidth: size.width,
          displayHeight: size.height,
        },
      }

/** A text that is not in the file, only for the model. */
const reminder = (text: string): string => `<system-reminder>${text}</system-reminder>`

const UNDECODABLE =
  "(This file is not UTF-8 text: bytes that can't be decoded are shown as U+FFFD. Write and Edit refuse it; change it with Bash, " +
  "byte for byte, or ask whether it may be converted to UTF-8.)"

const WITH_NUL =
  "(This file has NUL bytes, so it is binary, or text in UTF-16 or UTF-32 without a mark. Write and Edit refuse it; change it with " +
  "Bash, or ask whether it may be converted to UTF-8.)"

/** `bytes` is the text in UTF-8, `file` the unconverted content of the file, and `hash` that of the content. */
const readText = (bytes: Uint8Array, input: FileReadInput, file: Uint8Array, hash?: string): ToolOutcome => {
  const first = Math.max(input.offset ?? 1, 1)
  // As the official SDK: the lines are numbered from the offset, also from 0.
  const shift = input.offset === 0 ? 1 : 0
  const limit = Math.max(input.limit ?? Number.MAX_SAFE_INTEGER, 1)
  const most = input.allow_large === true ? MAX_CHARACTERS_LARGE : MAX_READ_CHARACTERS
  const { part, total } = cutLines(bytes, first, limit)
  const text = withPlainEnds(decoder.decode(part.subarray(0, most * 4)))
  const lines = first > total ? [] : text.split("\n")
  const shown: Array<string> = []
  let characters = 0
  for (const [index, line] of lines.entries()) {
    const start = line.length > most ? `${line.slice(0, most)} [line cut]` : line
    characters += start.length + 8
    if (characters > most && index > 0) break
    shown.push(`${first + index - shift}\t${start}`)
  }
  const last = first + shown.length - 1
  const notes: Array<string> = []
  if (bytes.length === 0) notes.push(reminder("The file exists but is empty."))
  else if (first > total) notes.push(reminder(`The file has only ${total} lines; offset ${first} is after its end.`))
  else if (last < total) notes.push(`(Lines ${first}-${last} of ${total}. Continue with offset ${last + 1}.)`)
  if (hasNul(file)) notes.push(WITH_NUL)
  else if (text.includes("\uFFFD") && !isText(file)) notes.push(UNDECODABLE)
  const cut =
    part.length > most * 4 ||
    (first <= total && last < Math.min(total, first + (input.limit ?? Number.MAX_SAFE_INTEGER) - 1))
  const output = {
    type: "text",
    file: {
      filePath: input.file_path,
      content: lines.slice(0, shown.length).join("\n"),
      numLines: shown.length,
      startLine: first - shift,
      totalLines: total,
      ...(cut ? { truncatedByTokenCap: true } : {}),
    },
  } satisfies FileReadOutput
  if (hash !== undefined) noteHash(output.file, hash, file.length)
  const body = bytes.length === 0 ? "" : shown.join("\n")
  return { content: [body, ...notes].filter((piece) => piece !== "").join("\n\n"), output }
}

const isNotebook = (path: string): boolean => path.toLowerCase().endsWith(".ipynb")

const readNotebook = (bytes: Uint8Array, path: string): ToolOutcome => {
  const notebook = parseNotebook(bytes)
  if ("broken" in notebook) {
    throw new ToolError({ reason: "command_failed", message: `${path} is not a valid notebook: ${notebook.broken}.` })
  }
  const cells = cellsOf(notebook)
  const content = notebookContent(cells)
  const texts =
    typeof content === "string" ? [] : content.map((block) => (block.type === "text" ? block.text.length : 0))
  const characters = texts.reduce((sum, length) => sum + length, 0)
  if (characters > MAX_NOTEBOOK_CHARACTERS) {
    throw new ToolError({
      reason: "command_failed",
      message:
        `${path} has ${cells.length} cells of ${characters} characters; at most ${MAX_NOTEBOOK_CHARACTERS} can be shown. ` +
        "Read parts of it with Bash, such as: jq '.cells[:20]' FILE, or jq '.cells | length' FILE.",
    })
  }
  const output: FileReadOutput = { type: "notebook", file: { filePath: path, cells } }
  return { content, output }
}

/** Names of binary files. As in the official SDK, they are refused before any hook is called. */
const BINARY_ENDINGS: ReadonlySet<string> = new Set(
  (
    "3ds 7z a aac ai aiff apk app avi avif bin blend bmp bz2 class dat data db deb dll dmg doc docx dylib ear eot eps epub " +
    "exe feather fig fla flac flv gz heic heif ico idx iso jar lib lz4 m4a m4v max mdb mkv mov mp3 mp4 mpeg mpg msi node " +
    "npy npz o obj odp ods odt ogg opus otf parquet pickle ppt pptx psd pyc pyo rar rpm sketch so sqlite sqlite3 swf tar " +
    "tgz tif tiff ttf war wasm wav webm whl wma wmv woff woff2 xd xls xlsx xz z zip zst"
  ).split(" "),
)
const IMAGE = /\.(?:gif|jpe?g|png|webp)$/i

/** The most bytes of a text that is read without `limit` or `allow_large`. */
const MAX_WHOLE_BYTES = 256 * 1024

const tool = makeTool(FileReadInput, {
  name: "Read",
  description:
    "Reads a file of the workspace. Returns text with line numbers (number, tab, line), and `offset` and `limit` for a " +
    "part of a long file; PNG, JPEG, GIF and WebP as images, PDF files as documents, notebooks (.ipynb) as cells with their " +
    "outputs. Read a file before you edit or overwrite it.",
  ...READS,
  resolve: withResolvedPath,
  paths: (input, cwd) => [touchedPath(input.file_path, cwd)],
  validate: (input) => {
    const name = input.file_path.toLowerCase()
    if (BINARY_ENDINGS.has(/\.([^./]+)$/.exec(name)?.[1] ?? "")) {
      const message = `${input.file_path} is a binary file, judging by its name; Read shows text, images, PDF files and notebooks.`
      return Effect.fail(new ToolError({ reason: "invalid_arguments", message }))
    }
    const range = pageRange(input.pages)
    return typeof range === "string" ? Effect.fail(invalidInput("Read", [range])) : Effect.void
  },
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      const path = normalizePath(input.file_path, context.cwd)
      mustBeAllowed("read", path, context)
      return readFile(workspace.readBytes(path), input, path, workspace.hashOf(path))
    }),
  contentOf: readContent,
})

export const readTool = withoutBlanks(tool, ["pages"])

/** The outcome of reading a file with these bytes, whose SHA-256 is `hash`. Throws ToolError when it can't be shown. */
export const readFile = (bytes: Uint8Array, input: FileReadInput, path: string, hash?: string): ToolOutcome => {
  if (isPdf(path)) {
    const range = pageRange(input.pages)
    return readPdf(bytes, path, typeof range === "string" ? null : range)
  }
  if (isNotebook(path)) return readNotebook(bytes, path)
  if (IMAGE.test(path)) {
    const image = imageType(bytes)
    if (image !== null) return readImage(bytes, image, path)
    throw new ToolError({
      reason: "command_failed",
      message: `${path} has the name of an image but does not contain PNG, JPEG, GIF or WebP data. Read it as text with Bash, such as: head -c 500 FILE`,
    })
  }
  if (bytes.length > MAX_WHOLE_BYTES && input.limit === undefined && input.allow_large !== true) {
    throw new ToolError({
      reason: "command_failed",
      message: `${path} has ${bytes.length} bytes; files over ${MAX_WHOLE_BYTES} are read in parts. Set offset and limit, search it with Grep, or set allow_large if you need all of it.`,
    })
  }
  return readText(utf8Of(bytes), input, bytes, hash)
}
