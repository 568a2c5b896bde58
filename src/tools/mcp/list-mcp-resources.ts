// ListMcpResourcesTool: the resources of one MCP server of the session, or of all, as JSON.
// Invariant: only complete entries are shown, as many as fit.
import * as Effect from "effect/Effect"
import { ListMcpResourcesInput } from "../../schemas/sdk/tools/tool-inputs-remote.ts"
import { ListMcpResourcesOutput } from "../../schemas/sdk/tools/tool-outputs-remote.ts"
import { makeTool, READS } from "../make-tool.ts"
import { shownAs } from "../output-content.ts"
import { entriesThatFit } from "./entries-that-fit.ts"

export const listMcpResourcesTool = makeTool(ListMcpResourcesInput, {
  name: "ListMcpResourcesTool",
  description:
    "Lists the resources that MCP servers offer: each with its URI, its name, and the `server` that provides it. Read one with ReadMcpResourceTool.",
  ...READS,
  paths: () => [],
  readsServer: ({ server }) => server,
  run: ({ server }, { resources }) =>
    Effect.map(resources === undefined ? Effect.succeed([]) : resources.list(server), (output) => ({
      content: listText(output),
      output,
    })),
  contentOf: shownAs(ListMcpResourcesOutput, (output) => listText(output)),
})

const listText = (output: ListMcpResourcesOutput): string => {
  if (output.length === 0) return "There are no resources. The servers may still have tools."
  const { json, left } = entriesThatFit(output)
  return left === 0
    ? json
    : `${json}\n(${left} more resources were left out. Set server to list the resources of one server.)`
}
