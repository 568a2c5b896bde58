// Rows of the route table: the MCP servers that a tenant stores for its sessions.
import { CreateMcpServer, McpServerName, PutMcpServer, StoredMcpServer } from "../../../schemas/api/mcp-servers.ts"
import { definitionRows } from "./definition-rows.ts"

export const mcpServerRows = definitionRows({
  id: "McpServer",
  noun: "MCP server",
  path: "mcp-servers",
  tag: "mcp",
  name: McpServerName,
  create: CreateMcpServer,
  put: PutMcpServer,
  shown: StoredMcpServer,
  about:
    "Every session of the tenant uses it, unless the session has `strictMcpConfig` or its own server with this name; headers are never shown.",
  example: {
    name: "issues",
    type: "http",
    url: "https://mcp.acme.com/mcp",
    headers: { Authorization: "Bearer a-token-of-the-server" },
  },
})
