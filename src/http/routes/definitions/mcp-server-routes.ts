// The routes of the MCP servers that a tenant stores for its sessions.
// Invariant: the values of headers, a client's secret and the query of an address are stored encrypted and never shown.
import { serverIssues } from "../../../mcp/remote/server-rules.ts"
import type { PutMcpServer } from "../../../schemas/api/mcp-servers.ts"
import type { RefusedField } from "../../../schemas/errors/rpc-error.ts"
import { MASK, maskServer } from "../../../schemas/sdk/options/masked-options.ts"
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
  if (why !== undefined) return [{ field: "type", message: `The server ${name} ${why}` }]
  const { type, url, command, args, env: variables, ...rest } = value
  const local = Object.entries({ command, args, env: variables }).filter(([, given]) => given !== undefined)
  const masked = Object.entries(rest.headers ?? {}).filter(([, given]) => given === MASK)
  return [
    ...local.map(([field]) => issue(field, "belongs to a local process, and Perch starts none")),
    ...(rest.transport === undefined || type === "remote"
      ? []
      : [issue("transport", "is for servers of type remote: `type` specifies the transport")]),
    ...masked.map(([header]) => issue(`headers.${header}`, "is the mask of a value. Send the value itself.")),
    ...(url === undefined ? [issue("url", "is missing")] : addressIssues(name, { ...rest, url, type }, env)),
    ...(url?.includes(`?${MASK}`) === true ? [issue("url", "contains a masked query. Send the URL itself.")] : []),
  ]
}

const addressIssues = (
  name: string,
  { url, type, headers, oauth }: PutMcpServer & { readonly url: string },
  env: Caller["env"],
): ReadonlyArray<RefusedField> => {
  const more = { ...(headers === undefined ? {} : { headers }), ...(oauth === undefined ? {} : { oauth }) }
  const entry = { type: type === "sse" ? type : "http", url, ...more } as const
  // Each field and message starts with the server's place among servers.
  const before = `servers.${name}.`.length
  return serverIssues("servers", { [name]: entry }, remoteSettings(env)).map(({ field, message }) => ({
    field: field.slice(before),
    message: message.slice(before),
  }))
}

/** Separates the fields that `maskServer` changes: these are the secret ones. */
const split = (value: PutMcpServer) => {
  const shown = maskServer(value)
  const secret = Object.entries(value).filter(([name, given]) => JSON.stringify(shown[name]) !== JSON.stringify(given))
  return { shown, secret: secret.length === 0 ? null : Object.fromEntries(secret) }
}
