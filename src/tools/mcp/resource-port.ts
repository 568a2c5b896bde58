// The port with which tools read the resources of the session's MCP servers.
// Invariant: the size of everything that is returned has been bounded, whatever a server sends.
import type * as Effect from "effect/Effect"
import type { ListMcpResourcesOutput, ReadMcpResourceDirOutput } from "../../schemas/sdk/tools/tool-outputs-remote.ts"
import type { McpResourcePart } from "../../schemas/sdk/options/mcp-resources.ts"
import type { ToolError } from "../tool.ts"

export interface McpResources {
  /** The resources of one server, or of all that can be reached. */
  readonly list: (server: string | undefined) => Effect.Effect<ListMcpResourcesOutput, ToolError>
  /** The parts of one resource. */
  readonly read: (server: string, uri: string) => Effect.Effect<ReadonlyArray<McpResourcePart>, ToolError>
  /** The direct children of a resource that is a directory. */
  readonly readDirectory: (
    server: string,
    uri: string,
  ) => Effect.Effect<ReadMcpResourceDirOutput["resources"], ToolError>
}
