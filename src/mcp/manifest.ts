// Receives the answers that a client already has from its MCP server's handshake (`sdkMcpServerManifests`); returns a pipe
// that answers the handshake from them, so that connecting costs no messages.
// Invariant: everything but the handshake goes to the server itself, and a list is bounded as one that was asked for.
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js"
import { Effect, Schema } from "effect"
import type { JsonRpcMessage } from "../schemas/sdk/options/mcp-config.ts"
import { McpInitializeResult, McpManifest, McpToolsPage } from "../schemas/sdk/options/mcp-tools.ts"
import type { McpPipe } from "./client-server.ts"

/** The fate of a manifest, as the answer to the control protocol's `initialize` names it. */
export type ManifestFate = "parked" | "protocol_version_mismatch" | "malformed"

const isManifest = Schema.is(McpManifest)
const isInitialize = Schema.is(McpInitializeResult)
const isPage = Schema.is(McpToolsPage)

/** The pipe to connect over. Unless the manifest is `parked` it is `pipe` itself. */
export const parkManifest = (
  manifest: unknown,
  pipe: McpPipe,
): { readonly fate: ManifestFate; readonly pipe: McpPipe } => {
  if (!isManifest(manifest)) return { fate: "malformed", pipe }
  const { initializeResult, toolsListResult } = manifest
  if (!isInitialize(initializeResult) || (toolsListResult !== undefined && !isPage(toolsListResult))) {
    return { fate: "malformed", pipe }
  }
  if (initializeResult.protocolVersion !== LATEST_PROTOCOL_VERSION) return { fate: "protocol_version_mismatch", pipe }
  const known: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = {
    initialize: initializeResult,
    "tools/list": toolsListResult,
  }
  return {
    fate: "parked",
    pipe: {
      send: (message, timeoutMs) => {
        if (!("method" in message)) return pipe.send(message, timeoutMs)
        // The client has already ended the handshake with its server.
        if (message.method === "notifications/initialized") return Effect.succeed(null)
        const result = Object.hasOwn(known, message.method) ? known[message.method] : undefined
        if (result === undefined || message.id === undefined) return pipe.send(message, timeoutMs)
        const answer: JsonRpcMessage = { jsonrpc: "2.0", id: message.id, result }
        return Effect.succeed(answer)
      },
    },
  }
}
