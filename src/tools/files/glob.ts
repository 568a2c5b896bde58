// Glob: receives a pattern; returns the paths of matching files, oldest first.
import * as Effect from "effect/Effect"
import { GlobInput } from "../../schemas/sdk/tools/tool-inputs.ts"
import type { GlobOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { globFiles, type GlobResult } from "../../workspace/search/glob.ts"
import { GlobError } from "../../workspace/search/glob-pattern.ts"
import { listedName } from "../../workspace/shown-name.ts"
import { isFile, isHidden, onWorkspace, shownPath } from "./file-access.ts"
import { touchedPath } from "../../workspace/touched-path.ts"
import { makeTool, READS } from "../make-tool.ts"
import { globContent } from "../output-content.ts"
import { searchRoot, withoutBlanks } from "./search-root.ts"
import { ToolError } from "../tool.ts"

export const MAX_FILES = 100
const NOTHING: GlobResult = { paths: [], total: 0, truncated: false }

const tool = makeTool(GlobInput, {
  name: "Glob",
  description:
    `Finds files by name with a glob such as \`**/*.ts\`, oldest first, at most ${MAX_FILES}. A pattern without a slash ` +
    "matches names at any depth.",
  ...READS,
  paths: (input, cwd) => [
    touchedPath(input.path ?? (input.pattern.startsWith("/") ? input.pattern.replace(/[*?[{].*$/s, "") : cwd), cwd),
  ],
  run: (input, context) =>
    Effect.suspend(() => {
      const started = performance.now()
      // As the official SDK: an empty pattern matches all files.
      const pattern = input.pattern === "" ? "**" : input.pattern
      return onWorkspace(context, (workspace) => {
        try {
          const root = searchRoot(input.path, context)
          if (root !== null && isFile(workspace, root))
            throw new ToolError({ reason: "invalid_arguments", message: `${root} is a file, not a directory.` })
          return root === null && !pattern.startsWith("/")
            ? NOTHING
            : globFiles(workspace, pattern, root ?? context.cwd, MAX_FILES, isHidden(context))
        } catch (error) {
          if (error instanceof GlobError) throw new ToolError({ reason: "invalid_arguments", message: error.message })
          throw error
        }
      }).pipe(
        Effect.map((result) => {
          const filenames = result.paths.map((path) => shownPath(path, context.cwd))
          const output: GlobOutput = {
            durationMs: Math.round(performance.now() - started),
            numFiles: filenames.length,
            filenames,
            truncated: result.truncated,
            totalMatches: result.total,
            countIsComplete: true,
          }
          const note = result.truncated
            ? [`(The first ${filenames.length} of ${result.total} files. Use a narrower pattern to see the others.)`]
            : []
          return {
            content: filenames.length === 0 ? "No files found" : [...filenames.map(listedName), ...note].join("\n"),
            output,
          }
        }),
      )
    }),
  contentOf: globContent,
})

export const globTool = withoutBlanks(tool, ["path"])
