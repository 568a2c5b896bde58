// LS: receives a directory; returns its entries. Perch's own tool: the SDK lists directories with the shell.
import * as Schema from "effect/Schema"
import { ListInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import { ListOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { checkGlob, compileGlob, GlobError } from "../../workspace/search/glob-pattern.ts"
import { childOf, normalizePath } from "../../workspace/paths.ts"
import { listedName } from "../../workspace/shown-name.ts"
import { onWorkspace } from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { makeTool, READS } from "../make-tool.ts"
import { searchRoot } from "./search-root.ts"
import { ToolError } from "../tool.ts"

const MAX_ENTRIES = 1000
const MARKS = { file: "", directory: "/", symlink: "@" } as const

const ignoreTests = (globs: ReadonlyArray<string>): Array<(name: string) => boolean> => {
  try {
    for (const glob of globs) checkGlob(glob)
    return globs.map(compileGlob)
  } catch (error) {
    if (error instanceof GlobError) throw new ToolError({ reason: "invalid_arguments", message: error.message })
    throw error
  }
}

export const listTool = makeTool(ListInput, {
  name: "LS",
  description:
    "Lists a directory. Directories end with a slash, symbolic links with @. To find files by name, use Glob.",
  ...READS,
  paths: (input, cwd) => [touchedPath(input.path, cwd)],
  run: (input, context) =>
    onWorkspace(context, (workspace) => {
      const root = searchRoot(input.path, context)
      const path = root ?? normalizePath(input.path, context.cwd)
      const ignored = ignoreTests(input.ignore ?? [])
      const all = (root === null ? [] : workspace.readdir(root)).filter(
        ({ name }) => !ignored.some((test) => test(name)),
      )
      const entries = all.slice(0, MAX_ENTRIES).map(({ name, type }) => ({
        name,
        type,
        size: type === "file" ? workspace.lstat(childOf(path, name)).size : 0,
      }))
      const output: ListOutput = { path, entries, truncated: all.length > entries.length }
      return { content: asText(output, all.length - entries.length), output }
    }),
  contentOf: (output) => (isOutput(output) ? asText(output) : null),
})

const isOutput = Schema.is(ListOutput)

/** `more` is the number of entries that are left out, if it is known. */
const asText = ({ entries, truncated }: ListOutput, more?: number): string => {
  const lines = entries.map(({ name, type }) => listedName(name) + MARKS[type])
  if (truncated) lines.push(more === undefined ? "(more entries)" : `(${more} more entries)`)
  return lines.length === 0 ? "(The directory is empty.)" : lines.join("\n")
}
