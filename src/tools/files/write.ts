// Write: receives a path and the complete content; the commit writes the file.
// Invariant: whatever can fail (paths, sizes, quotas) fails in `run`, before anything changes.
import { FileWriteInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import * as Schema from "effect/Schema"
import { FileWriteOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { ancestorsOf, normalizePath } from "../../workspace/paths.ts"
import { encodeText, hasNul, isText, markedAs, textOf, withPlainEnds } from "../../workspace/file-text.ts"
import { changedSince, commitChanges, isFile, mustBeAllowed, mustBeKnown, notText, onWorkspace } from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { patchHunks } from "./file-patch.ts"
import { makeTool } from "../make-tool.ts"
import { ToolError } from "../tool.ts"
import { withResolvedPath } from "./resolved-path.ts"

/** The most bytes of a replaced file that the result still includes. */
const MAX_ORIGINAL_BYTES = 1_000_000

export const writeTool = makeTool(FileWriteInput, {
  name: "Write",
  description:
    "Creates a file, with the directories above it, or replaces its whole content. An existing file must " +
    "have been read first. To change a part of a file, use Edit.",
  readOnly: () => false,
  edits: () => true,
  hasOutsideEffects: () => false,
  destructive: true,
  idempotent: true,
  resolve: withResolvedPath,
  paths: (input, cwd) => [touchedPath(input.file_path, cwd)],
  validate: (input, context) =>
    onWorkspace(context, (workspace) => {
      const path = normalizePath(input.file_path, context.cwd)
      if (isFile(workspace, path)) return mustBeKnown(path, context)
      if (workspace.exists(path) && workspace.stat(path).type === "directory")
        throw new ToolError({
          reason: "invalid_arguments",
          message: `${path} is a directory, not a file. To create a file in it, add the file's name.`,
        })
      const above = ancestorsOf(path).find((one) => isFile(workspace, one))
      if (above !== undefined)
        throw new ToolError({
          reason: "invalid_arguments",
          message: `${above} is a file, so ${path} can't be created in it. Choose a path in a directory.`,
        })
    }),
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      const path = normalizePath(input.file_path, context.cwd)
      mustBeAllowed("change", path, context)
      const old = isFile(workspace, path) ? workspace.readBytes(path) : new Uint8Array(0)
      const content = markedAs(input.content, old)
      const { change, before } = workspace.prepareWrite(path, encodeText(content, old))
      // The file may have changed since the call was checked: the user may have been asked in between.
      if (isFile(workspace, path) && context.knownFiles.knowledge(workspace, path) === "stale") throw changedSince(path)
      if (!isText(old) || hasNul(old)) throw notText(path)
      // As in the official SDK, a file that was empty counts as created.
      const created = before === null || old.length === 0
      const original = created || before.size > MAX_ORIGINAL_BYTES ? null : withPlainEnds(textOf(old))
      const output: FileWriteOutput = {
        type: created ? "create" : "update",
        filePath: path,
        content,
        structuredPatch: original === null ? [] : patchHunks(original, content),
        originalFile: original,
        userModified: false,
      }
      return {
        content: asText(output),
        output,
        commit: () => commitChanges(context, [change]),
      }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(FileWriteOutput)

const asText = ({ type, filePath }: FileWriteOutput): string =>
  `${type === "create" ? "Created" : "Updated"} ${filePath}. You know its content now; there is no need to read it again.`
