// ReadMcpResourceDirTool: returns the direct children of a directory among the resources of an MCP server, as JSON.
// Invariant: only complete entries are shown, as many as fit.
import * as Effect from "effect/Effect"
import { ReadMcpResourceDirInput } from "../../schemas/sdk/tools/tool-inputs-remote.ts"
import { ReadMcpResourceDirOutput } from "../../schemas/sdk/tools/tool-outputs-remote.ts"
import { makeTool, READS } from "../make-tool.ts"
import { shownAs } from "../output-content.ts"
import { entriesThatFit } from "./entries-that-fit.ts"
import { NO_SERVERS } from "./read-mcp-resource.ts"

export const readMcpResourceDirTool = makeTool(ReadMcpResourceDirInput, {
  name: "ReadMcpResourceDirTool",
  description:
    "Lists the contents of a directory among the resources of an MCP server, by its `server` and `uri`: direct children only. " +
    'A child whose mimeType is "inode/directory" is a directory itself. Only some servers support listing directories.',
  ...READS,
  paths: () => [],
  subject: ({ uri }) => uri,
  readsServer: ({ server }) => server,
  run: ({ server, uri }, { resources }) =>
    resources === undefined
      ? Effect.fail(NO_SERVERS)
      : Effect.map(resources.readDirectory(server, uri), (children) => {
          const output: ReadMcpResourceDirOutput = { resources: children }
          return { content: shown(output), output }
        }),
  contentOf: shownAs(ReadMcpResourceDirOutput, (output) => shown(output)),
})

const shown = ({ resources }: ReadMcpResourceDirOutput): string => {
  const { json, left } = entriesThatFit(resources)
  const text = `{"resources":${json}}`
  return left === 0 ? text : `${text}\n(${left} more entries were left out.)`
}
