// Receives the remote MCP servers of a session's options, before they are stored; returns the issues with them, by field.
// Invariant: no issue repeats a header's value or more of a URL than its host, and a URL that is refused here would not be
// requested later either: it is checked again at each request.
import { addressIssues, headerIssues } from "../../hooks/http-hook-rules.ts"
import type { FetchSettings } from "../../net/guarded-fetch.ts"
import type { RefusedField } from "../../schemas/errors/rpc-error.ts"
import { entriesIn } from "../../schemas/sdk/options/agent-servers.ts"
import type { AgentDefinition } from "../../schemas/sdk/options/agents.ts"
import type { McpSdkServerConfig } from "../../schemas/sdk/options/mcp-config.ts"
import type { McpServerEntry } from "../../schemas/sdk/options/mcp-entries.ts"
import { MASK } from "../../schemas/sdk/options/masked-options.ts"
import type { OAuthConfig } from "../../schemas/sdk/options/mcp-oauth.ts"
import { algorithmOf } from "../oauth/assertion.ts"
import { MAX_CALL_MS } from "../mcp-tool.ts"
import { remoteServersOf } from "./remote-config.ts"

/** The issues with some servers. `at` is the path of the servers in the request body: `options.mcpServers`. */
export const serverIssues = (
  at: string,
  entries: Readonly<Record<string, McpServerEntry>>,
  settings: FetchSettings,
): ReadonlyArray<RefusedField> =>
  Object.entries(entries).flatMap(([name, entry]) =>
    entryIssues(entry, settings).map(({ field, message }) => {
      const place = `${at}.${name.slice(0, MAX_NAME)}${field && "."}${field}`
      return { field: place, message: `${place} ${message}` }
    }),
  )

/** The issues with one server. A field is relative to the server, and a message continues a sentence that begins with it. */
export const entryIssues = (entry: McpServerEntry, settings: FetchSettings): ReadonlyArray<RefusedField> => {
  const server = remoteServersOf({ entry }).servers.get("entry")
  if (server === undefined) return otherIssues(entry)
  const { url, headers, oauth } = server
  return [
    ...addressIssues("url", url, settings),
    ...headerIssues("headers", headers),
    ...ownHeaders(headers),
    ...callIssues(server),
    ...(oauth === undefined ? [] : oauthIssues(oauth, headers, settings)),
  ]
}

/** The issues with a server inside the client, or with an entry that is skipped; either may have fields of any name. */
const otherIssues = (entry: McpServerEntry) => [
  ...("type" in entry && entry.type === "sdk" ? callIssues(entry) : []),
  ...(JSON.stringify(entry).length > MAX_ENTRY
    ? [{ field: "", message: `JSON has more than ${MAX_ENTRY} characters` }]
    : []),
]

/** The issues with the fields that servers of every kind have: `timeout` and `tools`. */
const callIssues = ({ timeout, tools = [] }: Pick<McpSdkServerConfig, "timeout" | "tools">) => [
  ...(timeout === undefined || (timeout > 0 && timeout <= MAX_CALL_MS)
    ? []
    : [{ field: "timeout", message: `must be a number of milliseconds up to ${MAX_CALL_MS}` }]),
  ...(tools.length > MAX_TOOLS ? [{ field: "tools", message: `has more than ${MAX_TOOLS} entries` }] : []),
  ...tools.flatMap((tool, index) =>
    tool.name.length > MAX_TOOL_NAME
      ? [{ field: `tools[${index}].name`, message: `has more than ${MAX_TOOL_NAME} characters` }]
      : [],
  ),
]

/** The issues with the agents' own servers. `at` is the path of the definitions in the request body: `options.agents`. */
export const agentServerIssues = (
  at: string,
  agents: Readonly<Record<string, AgentDefinition>>,
  settings: FetchSettings,
): ReadonlyArray<RefusedField> =>
  Object.entries(agents).flatMap(([name, { mcpServers = [] }]) =>
    mcpServers.flatMap((servers, index) =>
      typeof servers === "string"
        ? []
        : serverIssues(`${at}.${name.slice(0, MAX_NAME)}.mcpServers[${index}]`, entriesIn(servers), settings),
    ),
  )

const oauthIssues = (oauth: OAuthConfig, headers: Readonly<Record<string, string>>, settings: FetchSettings) => {
  const page = oauth.grant === "authorization_code" ? oauth.authorizationUrl : undefined
  const given = Object.keys(headers).find((name) => name.toLowerCase() === "authorization")
  return [
    ...(oauth.tokenUrl === undefined ? [] : addressIssues("oauth.tokenUrl", oauth.tokenUrl, settings)),
    ...(page === undefined ? [] : addressIssues("oauth.authorizationUrl", page, settings)),
    ...(["clientSecret", "privateKey"] as const)
      .filter((name) => oauth[name] === MASK)
      .map((name) => ({ field: `oauth.${name}`, message: "is masked: it is never shown. Send the real value." })),
    ...credentialIssues(oauth),
    ...(given === undefined ? [] : [{ field: `headers.${given}`, message: "can't be combined with oauth" }]),
  ]
}

const credentialIssues = ({ grant, clientId, clientSecret, privateKey, keyId, signingAlgorithm }: OAuthConfig) => {
  if (privateKey === undefined) {
    const unused = keyId !== undefined ? "keyId" : signingAlgorithm !== undefined ? "signingAlgorithm" : undefined
    if (unused !== undefined)
      return [{ field: `oauth.${unused}`, message: "belongs to oauth.privateKey, which is missing" }]
    if (clientSecret === undefined && grant === "client_credentials") {
      return [
        { field: "oauth.clientSecret", message: "is missing: a client needs it, or oauth.privateKey, to sign in" },
      ]
    }
  } else if (clientSecret !== undefined) {
    return [{ field: "oauth.privateKey", message: "can't be combined with oauth.clientSecret" }]
  } else if (privateKey !== MASK && algorithmOf(privateKey, signingAlgorithm) === null) {
    return [{ field: "oauth.privateKey", message: KEY_RULE }]
  }
  const secret = clientSecret ?? privateKey
  return secret !== undefined && clientId === undefined
    ? [{ field: "oauth.clientId", message: "is missing: a secret belongs to a client" }]
    : []
}

const KEY_RULE =
  "must be a private key in PKCS #8 (-----BEGIN PRIVATE KEY-----), RSA, EC (P-256, P-384) or Ed25519, as its signing algorithm needs"

const MAX_NAME = 200
const MAX_TOOL_NAME = 1000
const MAX_TOOLS = 1000
const MAX_ENTRY = 100_000

/** Headers that the protocol sets itself, in addition to those that no caller may choose. */
const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
])

const ownHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.keys(headers)
    .filter((name) => PROTOCOL_HEADERS.has(name.toLowerCase()))
    .map((name) => ({ field: `headers.${name}`, message: "is set by the server and can't be chosen" }))
