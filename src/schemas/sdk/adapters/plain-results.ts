// Receives a tool's result; returns the plain forms of results for agents without the SDK's types: content of text and
// images, one small output per tool, and errors as `Error (<reason>): message`.
// Invariant: text, images and errors survive a conversion there and back; the small outputs only leave fields out.
import { ownValue } from "../../own-value.ts"
import { isPlainObject } from "../../plain-object.ts"
import { ToolErrorReason } from "../tools/tool-error-reason.ts"
import * as Schema from "effect/Schema"
import {
  BashOutput as SdkBash,
  FileEditOutput,
  FileReadOutput,
  FileWriteOutput,
  GlobOutput as SdkGlob,
  GrepOutput as SdkGrep,
  TodoWriteOutput as SdkTodoWrite,
} from "../tools/tool-outputs.ts"
import { WebFetchOutput as SdkWebFetch, WebSearchOutput as SdkWebSearch } from "../tools/tool-outputs-remote.ts"
import type { ToolResult } from "./result-adapter.ts"

export const TextContent = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
export const ImageContent = Schema.Struct({
  type: Schema.Literal("image"),
  data: Schema.String,
  mimeType: Schema.String,
})
export const ToolContent = Schema.Union([TextContent, ImageContent])
export type ToolContent = typeof ToolContent.Type

export const ReadOutput = Schema.Struct({
  content: Schema.Array(ToolContent),
  total_lines: Schema.optionalKey(Schema.Int),
  lines_returned: Schema.optionalKey(Schema.Int),
  truncated: Schema.optionalKey(Schema.Boolean),
})
export type ReadOutput = typeof ReadOutput.Type

export const EditOutput = Schema.Struct({
  message: Schema.String,
  replacements: Schema.Int,
  file_path: Schema.String,
  diff: Schema.optionalKey(Schema.String),
})
export type EditOutput = typeof EditOutput.Type

export const WriteOutput = Schema.Struct({
  message: Schema.String,
  file_path: Schema.String,
  bytes_written: Schema.optionalKey(Schema.Int),
})
export type WriteOutput = typeof WriteOutput.Type

/** `shellId` is the id of a command that continues in the background; `truncated` means that the output is incomplete. */
export const BashOutput = Schema.Struct({
  output: Schema.String,
  exitCode: Schema.Int,
  killed: Schema.optionalKey(Schema.Boolean),
  shellId: Schema.optionalKey(Schema.String),
  truncated: Schema.optionalKey(Schema.Boolean),
})
export type BashOutput = typeof BashOutput.Type

export const GrepOutput = Schema.Union([
  Schema.Struct({ mode: Schema.Literal("content"), content: Schema.String, total: Schema.Int }),
  Schema.Struct({
    mode: Schema.Literal("files_with_matches"),
    files: Schema.Array(Schema.String),
    total: Schema.Int,
  }),
  Schema.Struct({ mode: Schema.Literal("count"), content: Schema.String, total: Schema.Int }),
])
export type GrepOutput = typeof GrepOutput.Type

export const GlobOutput = Schema.Struct({
  files: Schema.Array(Schema.String),
  total: Schema.Int,
  truncated: Schema.optionalKey(Schema.Boolean),
})
export type GlobOutput = typeof GlobOutput.Type

export const WebFetchOutput = Schema.Struct({
  content: Schema.String,
  url: Schema.String,
  redirected: Schema.optionalKey(Schema.Boolean),
})
export type WebFetchOutput = typeof WebFetchOutput.Type

export const WebSearchOutput = Schema.Struct({
  query: Schema.String,
  results: Schema.Array(
    Schema.Struct({ title: Schema.String, url: Schema.String, snippet: Schema.optionalKey(Schema.String) }),
  ),
  total_results: Schema.optionalKey(Schema.Int),
})
export type WebSearchOutput = typeof WebSearchOutput.Type

export const TodoWriteOutput = Schema.Struct({ message: Schema.String, todos_count: Schema.Int })
export type TodoWriteOutput = typeof TodoWriteOutput.Type

/** The small output of each tool that has one. */
export const PLAIN_OUTPUTS: Readonly<Record<string, Schema.Top>> = {
  Read: ReadOutput,
  Write: WriteOutput,
  Edit: EditOutput,
  Bash: BashOutput,
  Grep: GrepOutput,
  Glob: GlobOutput,
  WebFetch: WebFetchOutput,
  WebSearch: WebSearchOutput,
  TodoWrite: TodoWriteOutput,
}

export type PlainOutput =
  | ReadOutput
  | WriteOutput
  | EditOutput
  | BashOutput
  | GrepOutput
  | GlobOutput
  | WebFetchOutput
  | WebSearchOutput
  | TodoWriteOutput

/** Converts content to texts and images; other blocks become their JSON as text. */
export const toPlainContent = (content: ToolResult["content"]): ReadonlyArray<ToolContent> => {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return content.map((block) => {
    const { source } = block
    if (block["type"] === "image" && isPlainObject(source) && source["type"] === "base64") {
      return { type: "image", data: String(source["data"]), mimeType: String(source["media_type"]) }
    }
    return { type: "text", text: block["type"] === "text" ? String(block["text"]) : JSON.stringify(block) }
  })
}

/** The inverse of `toPlainContent`. A single text becomes a string, as Perch's tools return it. */
export const fromPlainContent = (content: ReadonlyArray<ToolContent>): ToolResult["content"] => {
  const [only] = content
  if (content.length === 1 && only?.type === "text") return only.text
  return content.map((block) =>
    block.type === "text"
      ? block
      : { type: "image", source: { type: "base64", media_type: block.mimeType, data: block.data } },
  )
}

export interface PlainError {
  readonly reason: ToolErrorReason
  readonly message: string
}

export const toErrorText = ({ reason, message }: PlainError): string => `Error (${reason}): ${message}`

/** The error text of a failed call; undefined when it succeeded, or when its reason is not known. */
export const errorTextOf = ({ content, is_error, reason }: ToolResult): string | undefined =>
  is_error !== true || reason === undefined
    ? undefined
    : toErrorText({ reason, message: textOf(content).replaceAll(/<\/?tool_use_error>/g, "") })

const ERROR = /^Error \(([a-z_]+)\): /

/** The reason and message of an error text; undefined when the text has another form. */
export const fromErrorText = (text: string): PlainError | undefined => {
  const found = ERROR.exec(text)
  const reason = ToolErrorReason.literals.find((known) => known === found?.[1])
  return found === null || reason === undefined ? undefined : { reason, message: text.slice(found[0].length) }
}

/** The small output of a built-in tool's successful result; undefined for other tools and for failures. */
export const toPlainOutput = (tool: string, result: ToolResult): PlainOutput | undefined => {
  if (tool === "Bash") return bash(result)
  return result.is_error === true ? undefined : ownValue(PLAIN, tool)?.(result)
}

const isRead = Schema.is(FileReadOutput)
const isEdit = Schema.is(FileEditOutput)
const isGrep = Schema.is(SdkGrep)
const isGlob = Schema.is(SdkGlob)
const isWrite = Schema.is(FileWriteOutput)
const isBash = Schema.is(SdkBash)
const isWebFetch = Schema.is(SdkWebFetch)
const isWebSearch = Schema.is(SdkWebSearch)
const isTodoWrite = Schema.is(SdkTodoWrite)

const read = ({ content, output }: ToolResult): ReadOutput | undefined => {
  if (!isRead(output)) return undefined
  const result = { content: toPlainContent(content) }
  if (output.type !== "text") return result
  const { totalLines, numLines, startLine } = output.file
  const truncated = startLine > 1 || numLines < totalLines
  return { ...result, total_lines: totalLines, lines_returned: numLines, ...(truncated ? { truncated } : {}) }
}

const write = ({ content, output }: ToolResult): WriteOutput | undefined =>
  isWrite(output)
    ? {
        message: textOf(content),
        file_path: output.filePath,
        bytes_written: new TextEncoder().encode(output.content).byteLength,
      }
    : undefined

const edit = ({ content, output }: ToolResult): EditOutput | undefined => {
  if (!isEdit(output)) return undefined
  const { originalFile, oldString, replaceAll, filePath, structuredPatch } = output
  const all = replaceAll && originalFile !== null && oldString !== ""
  const diff = structuredPatch.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ])
  return {
    message: textOf(content),
    replacements: all ? originalFile.split(oldString).length - 1 : 1,
    file_path: filePath,
    ...(diff.length === 0 ? {} : { diff: diff.join("\n") }),
  }
}

const EXIT = /^Exit code (\d{1,3})(?:\n|$)/
/** The exit code of a command that was killed at its time limit. */
const KILLED = 143

/** The first line of a failed script's output is its exit code. A call that never ran has none. */
const bash = ({ content, is_error, output }: ToolResult): BashOutput | undefined => {
  const text = textOf(content)
  if (is_error !== true) {
    const { backgroundTaskId, persistedOutputPath }: Partial<SdkBash> = isBash(output) ? output : {}
    return {
      output: text,
      exitCode: 0,
      ...(backgroundTaskId === undefined ? {} : { shellId: backgroundTaskId }),
      ...(persistedOutputPath === undefined ? {} : { truncated: true }),
    }
  }
  const found = EXIT.exec(text)
  if (found === null) return undefined
  const exitCode = Number(found[1])
  return { output: text.slice(found[0].length), exitCode, ...(exitCode === KILLED ? { killed: true } : {}) }
}

const grep = ({ output }: ToolResult): GrepOutput | undefined => {
  if (!isGrep(output)) return undefined
  const { mode = "files_with_matches", content = "", filenames, numFiles, numLines = 0, numMatches = 0 } = output
  if (mode === "content") return { mode, content, total: numLines }
  return mode === "count" ? { mode, content, total: numMatches } : { mode, files: filenames, total: numFiles }
}

const glob = ({ output }: ToolResult): GlobOutput | undefined => {
  if (!isGlob(output)) return undefined
  const { filenames, totalMatches, truncated } = output
  return { files: filenames, total: totalMatches ?? filenames.length, ...(truncated ? { truncated } : {}) }
}

const webFetch = ({ output }: ToolResult): WebFetchOutput | undefined => {
  if (!isWebFetch(output)) return undefined
  const { result, url, code } = output
  return { content: result, url, ...(code >= 300 && code < 400 ? { redirected: true } : {}) }
}

const webSearch = ({ output }: ToolResult): WebSearchOutput | undefined => {
  if (!isWebSearch(output)) return undefined
  const results = output.results.flatMap((one) => (typeof one === "string" ? [] : one.content))
  return { query: output.query, results, total_results: results.length }
}

const todoWrite = ({ content, output }: ToolResult): TodoWriteOutput | undefined =>
  isTodoWrite(output) ? { message: textOf(content), todos_count: output.newTodos.length } : undefined

const PLAIN: Readonly<Record<string, (result: ToolResult) => PlainOutput | undefined>> = {
  Read: read,
  Write: write,
  Edit: edit,
  Grep: grep,
  Glob: glob,
  WebFetch: webFetch,
  WebSearch: webSearch,
  TodoWrite: todoWrite,
}

const textOf = (content: ToolResult["content"]): string =>
  toPlainContent(content)
    .map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`))
    .join("\n")
