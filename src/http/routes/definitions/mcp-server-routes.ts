// The routes of the MCP servers that a tenant stores for its sessions.
// Invariant: the values of headers, a client's secret and the query of an address are stored encrypted and never shown.
import { entryIssues } from "../../../mcp/remote/server-rules.ts"
import type { PutMcpServer } from "../../../schemas/api/mcp-servers.ts"
import type { RefusedField } from "../../../schemas/errors/rpc-error.ts"
import { maskServer } from "../../../schemas/sdk/options/masked-options.ts"
import { mcpServerRefusal } from "../../../schemas/sdk/options/mcp-server-refusal.ts"
import { remoteSettings } from "../../bodies/check-options.ts"
import { mcpServerRows } from "../../contract/definitions/mcp-servers.ts"
import type { App, Caller } from "../../handle.ts"
import { definitionRoutes } from "./definition-routes.ts"

export const mcpServerRoutes = (app: App): void =>
  definitionRoutes(app, mcpServerRows, { kind: "mcp_server", noun: "MCP server", issues, split })

const issue = (field: string, message: string): RefusedField => ({ field, message: `${field} ${message}` })

const issues = (name: string, value: PutMcpServer, { env }: Caller): ReadonlyArray<RefusedField> => {
  const why = mcpServerRefusal(value)
  if (why !== undefined) return [{ field: "type", message: `type: the server ${name} ${why}` }]
  const { type, url, command, args, env: variables, ...rest } = value
  const local = Object.entries({ command, args, env: variables }).filter(([, given]) => given !== undefined)
  return [
    ...local.map(([field]) => issue(field, "belongs to a local process, and Perch starts none")),
    ...(rest.transport === undefined || type === "remote"
      ? []
      : [issue("transport", "is for servers of type remote: `type` specifies the transport")]),
    ...(url === undefined ? [issue("url", "is missing")] : addressIssues({ ...rest, url, type }, env)),
  ]
}

const addressIssues = (
  { type, ...fields }: PutMcpServer & { readonly url: string },
  env: Caller["env"],
): ReadonlyArray<RefusedField> => {
  const entry = { ...fields, type: type === "sse" ? type : "http" } as const
  return entryIssues(entry, remoteSettings(env)).map(({ field, message }) => issue(field, message))
}

/** Separates the fields that `maskServer` changes: these are the secret ones. */
const split = (value: PutMcpServer) => {
  const shown = maskServer(value)
  const secret = Object.entries(value).filter(([name, given]) => JSON.stringify(shown[name]) !== JSON.stringify(given))
  return { shown, secret: secret.length === 0 ? null : Object.fromEntries(secret) }
}
