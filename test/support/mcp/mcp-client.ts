// The official MCP client on `/mcp` of a server.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js"
import { afterEach } from "vitest"

/** Connects clients, which are closed after each test of the file. */
export const mcpClients = (server: { readonly url: string; readonly key: string }) => {
  const open: Array<Client> = []

  afterEach(async () => {
    for (const client of open.splice(0)) await client.close()
  })

  const connect = async (session: string, headers: Record<string, string> = {}, query = "") => {
    const client = new Client({ name: "test", version: "1" })
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${query}`), {
      requestInit: {
        headers: {
          authorization: `Bearer ${server.key}`,
          ...(query === "" ? { "perch-session-id": session } : {}),
          ...headers,
        },
      },
    })
    open.push(client)
    await client.connect(transport)
    return client
  }

  return { connect }
}

/** Makes a call as a client does; the SDK's result type also allows an older form that this server never sends. */
export const callTool = async (client: Client, name: string, input: Record<string, unknown>): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: input })) as CallToolResult
