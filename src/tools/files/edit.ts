// Edit: receives an exact piece of a file and its replacement; the commit changes the file.
// Invariant: nothing changes unless the old text is in the file, exactly once if `replace_all` is not set; or, as in the official
// SDK, unless the old text is empty and so is the file, or there is none.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileEditInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { FileEditOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { encodeText, hasNul, isText, textOf, withPlainEnds } from "../../workspace/file-text.ts"
import { normalizePath } from "../../workspace/paths.ts"
import type { Workspace } from "../../workspace/workspace.ts"
import {
  changedSince,
  commitChanges,
  fail,
  fileMissing,
  mustBeAllowed,
  notRead,
  notText,
  onWorkspace,
} from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { patchHunks } from "./file-patch.ts"
import { makeTool } from "../make-tool.ts"
import { inFormOf, replaceText } from "./replace-text.ts"
import type { ToolContext } from "../tool.ts"
import { withResolvedPath } from "./resolved-path.ts"

interface Edited {
  readonly path: string
  /** The bytes of the file before the edit. */
  readonly file: Uint8Array
  readonly before: string
  readonly after: string
  /** The old text in the form that the file has; `next` is its replacement. */
  readonly old: string
  readonly next: string
  /** The file had changed since the model saw it. */
  readonly stale: boolean
  /** There is more in the file than the model has seen. */
  readonly unseen: boolean
}

/** The output as the official SDK sends it, with more fields than its types declare. */
interface EditOutput extends FileEditOutput {
  readonly staleRecovered?: true
  readonly contentNotInModelContext?: true
}

const NO_BYTES = new Uint8Array(0)

/** An edit with an empty `old_string`: the new text becomes the whole content of the file. */
const FILLED = { old: "", stale: false, unseen: false } as const

/** Computes the edit without applying it; throws ToolError or WorkspaceError. */
const work = (workspace: Workspace, input: FileEditInput, context: ToolContext): Edited => {
  const path = normalizePath(input.file_path, context.cwd)
  if (input.old_string === input.new_string) {
    fail("unchanged", "old_string and new_string are the same: there is nothing to change.")
  }
  const fills = input.old_string === ""
  if (!workspace.exists(path) && !fills) throw fileMissing(path, context.cwd)
  if (path.toLowerCase().endsWith(".ipynb")) {
    fail("invalid_arguments", `${path} is a notebook. Use NotebookEdit to change its cells.`)
  }
  if (!workspace.exists(path)) {
    return { ...FILLED, path, file: NO_BYTES, before: "", after: input.new_string, next: input.new_string }
  }
  const file = workspace.readBytes(path)
  if (!isText(file) || hasNul(file)) throw notText(path)
  const before = textOf(file)
  const knowledge = context.knownFiles.knowledge(workspace, path)
  if (knowledge === "none") throw notRead(path)
  if (fills && before.trim() !== "") {
    fail("invalid_arguments", `${path} is not empty, and old_string is. Give the text to replace as old_string.`)
  }
  if (fills) return { ...FILLED, path, file, before, after: input.new_string, next: input.new_string }
  const stale = knowledge === "stale"
  const [old, next] = inFormOf(before, input)
  const after = replaceText(before, input)
  const edited = { path, file, before, after, old, next, stale, unseen: stale || knowledge === "part" }
  const first = before.indexOf(old)
  if (first === -1) {
    if (stale) throw changedSince(path, "missing_old_text")
    fail("missing_old_text", `old_string is not in ${path}.\nold_string: ${input.old_string.slice(0, 2000)}`)
  }
  if (input.replace_all !== true && before.indexOf(old, first + 1) !== -1) {
    if (stale) throw changedSince(path, "not_unique")
    const times = before.split(old).length - 1
    fail(
      "not_unique",
      `old_string is in ${path} ${times > 1 ? `${times} times` : "more than once"}. ` +
        `Include more of the surrounding text, or set replace_all to replace every occurrence.\nold_string: ${input.old_string.slice(0, 2000)}`,
    )
  }
  return edited
}

/** A note for the model about what it knows of the file after its edit. */
const noteOf = ({ stale, unseen }: Pick<Edited, "stale" | "unseen">): string => {
  if (stale) {
    return (
      " The file had been changed since you read it: your edit was applied, but the file contains changes that you have not " +
      "seen. Read it before an edit that depends on the surrounding text."
    )
  }
  return unseen ? "" : " You know its content now; there is no need to read it again."
}

export const editTool = makeTool(FileEditInput, {
  name: "Edit",
  description:
    "Replaces an exact piece of text in a file. The file must have been read first. `old_string` must occur " +
    "exactly once, without the line numbers that Read shows; `replace_all` changes every occurrence instead. " +
    "To create a file, use Write, or an empty `old_string`.",
  defaults: { replace_all: false },
  readOnly: () => false,
  edits: () => true,
  hasOutsideEffects: () => false,
  destructive: true,
  idempotent: false,
  resolve: withResolvedPath,
  paths: (input, cwd) => [touchedPath(input.file_path, cwd)],
  validate: (input, context) => Effect.asVoid(onWorkspace(context, (workspace) => work(workspace, input, context))),
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      mustBeAllowed("change", normalizePath(input.file_path, context.cwd), context)
      const edited = work(workspace, input, context)
      const { path, file, before, after, old, next } = edited
      const { change } = workspace.prepareWrite(path, encodeText(after, file))
      const original = withPlainEnds(before)
      const output: EditOutput = {
        filePath: path,
        oldString: withPlainEnds(old),
        newString: withPlainEnds(next),
        originalFile: original,
        structuredPatch: patchHunks(original, withPlainEnds(after)),
        userModified: false,
        replaceAll: input.replace_all ?? false,
        ...(edited.stale ? { staleRecovered: true } : {}),
        ...(edited.unseen ? { contentNotInModelContext: true } : {}),
      }
      return {
        content: asText(output),
        output,
        commit: () => commitChanges(context, [change]),
      }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(FileEditOutput)

const asText = ({ filePath, staleRecovered, contentNotInModelContext }: EditOutput): string =>
  `Updated ${filePath}.${noteOf({ stale: staleRecovered === true, unseen: contentNotInModelContext === true })}`
