// Edit: an exact piece of a file and what takes its place in; the file is changed after the commit.
// Invariant: the old text is there, exactly once unless `replace_all`, or nothing changes.
import { Effect } from "effect"
import type { ToolErrorReason } from "../schemas/sdk/tool-error-reason.ts"
import { FileEditInput } from "../schemas/sdk/tool-inputs.ts"
import type { FileEditOutput } from "../schemas/sdk/tool-outputs.ts"
import { normalizePath } from "../workspace/paths.ts"
import type { Workspace } from "../workspace/workspace.ts"
import { fileMissing, mustBeKnown, onWorkspace, touchedPath } from "./file-access.ts"
import { patchHunks } from "./file-patch.ts"
import { makeTool } from "./make-tool.ts"
import { type ToolContext, ToolError } from "./tool.ts"

interface Edited {
  readonly path: string
  /** null when the edit creates the file. */
  readonly before: string | null
  readonly after: string
}

const encoder = new TextEncoder()
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true })

const fail = (reason: ToolErrorReason, message: string): never => {
  throw new ToolError({ reason, message })
}

const readStrict = (workspace: Workspace, path: string): string => {
  const bytes = workspace.readBytes(path)
  try {
    return strict.decode(bytes)
  } catch {
    return fail("command_failed", `${path} is not UTF-8 text and can't be edited.`)
  }
}

/** The old and new text in the file's own line ends: the model sees lines without their carriage returns. */
const inLineEndsOf = (content: string, input: FileEditInput): readonly [old: string, next: string] => {
  if (!content.includes("\r\n") || content.includes(input.old_string)) return [input.old_string, input.new_string]
  const windows = (text: string): string => text.replace(/\r?\n/g, "\r\n")
  return [windows(input.old_string), windows(input.new_string)]
}

/** Works the edit out without changing anything; throws ToolError or WorkspaceError. */
const work = (workspace: Workspace, input: FileEditInput, context: ToolContext): Edited => {
  const path = normalizePath(input.file_path, context.cwd)
  if (input.old_string === input.new_string) {
    fail("unchanged", "old_string and new_string are the same: there is nothing to change.")
  }
  if (!workspace.exists(path)) {
    if (input.old_string === "") return { path, before: null, after: input.new_string }
    throw fileMissing(path, context.cwd)
  }
  const before = readStrict(workspace, path)
  const unknown = mustBeKnown(path, context)
  if (unknown !== null) throw unknown
  if (input.old_string === "") {
    if (before !== "") fail("invalid_arguments", `old_string is empty, but ${path} is not. Give the text to replace.`)
    return { path, before, after: input.new_string }
  }
  const [old, next] = inLineEndsOf(before, input)
  const first = before.indexOf(old)
  if (first === -1)
    fail("missing_old_text", `old_string is not in ${path}.\nold_string: ${input.old_string.slice(0, 2000)}`)
  if (input.replace_all === true) return { path, before, after: before.split(old).join(next) }
  if (before.indexOf(old, first + 1) !== -1) {
    const times = before.split(old).length - 1
    fail(
      "not_unique",
      `old_string is in ${path} ${times > 1 ? `${times} times` : "more than once"}. ` +
        "Give more of the text around it, or set replace_all to change every place.",
    )
  }
  return { path, before, after: before.slice(0, first) + next + before.slice(first + old.length) }
}

export const editTool = makeTool(FileEditInput, {
  name: "Edit",
  description:
    "Replaces an exact piece of text in a file. The file must have been read first. old_string must be there exactly " +
    "once, without the line numbers that Read shows; replace_all changes every occurrence instead.",
  defaults: { replace_all: false },
  readOnly: () => false,
  edits: () => true,
  outside: () => false,
  destructive: true,
  idempotent: false,
  paths: (input, cwd) => [touchedPath(input.file_path, cwd)],
  validate: (input, context) => Effect.asVoid(onWorkspace(context, (workspace) => work(workspace, input, context))),
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      const { path, before, after } = work(workspace, input, context)
      const { change } = workspace.prepareWrite(path, encoder.encode(after))
      const output: FileEditOutput = {
        filePath: path,
        oldString: input.old_string,
        newString: input.new_string,
        originalFile: before,
        structuredPatch: patchHunks(before ?? "", after),
        userModified: false,
        replaceAll: input.replace_all ?? false,
      }
      return {
        content: `${before === null ? "Created" : "Updated"} ${path}. You know its content now; there is no need to read it again.`,
        output,
        commit: () => workspace.apply([change]),
      }
    }),
})
