// The inputs of the tools that reach outside the session: the web and MCP servers.
import * as Schema from "effect/Schema"
import { AnyRecord } from "../open.ts"
import { Id, Line, list, optional, Page, described, Url } from "./tool-fields.ts"

export const WebFetchInput = Schema.Struct({
  url: described(Url, "The page to fetch."),
  prompt: described(Page, "What to find out from it."),
  offset: optional(Schema.Finite, "Where to start in a long page, in characters."),
})
export type WebFetchInput = typeof WebFetchInput.Type

export const WebSearchInput = Schema.Struct({
  query: described(Line, "What to search for."),
  allowed_domains: optional(list(Line, 100), "Only results from these domains."),
  blocked_domains: optional(list(Line, 100), "No results from these domains."),
})
export type WebSearchInput = typeof WebSearchInput.Type

export const ListMcpResourcesInput = Schema.Struct({ server: optional(Id, "Only this server's resources.") })
export type ListMcpResourcesInput = typeof ListMcpResourcesInput.Type

export const RefreshMcpToolsInput = Schema.Struct({ server: optional(Id, "Only this server's tools.") })
export type RefreshMcpToolsInput = typeof RefreshMcpToolsInput.Type

export const ReadMcpResourceInput = Schema.Struct({
  server: described(Id, "The server that provides the resource."),
  uri: described(Url, "The resource."),
})
export type ReadMcpResourceInput = typeof ReadMcpResourceInput.Type

export const ReadMcpResourceDirInput = Schema.Struct({
  server: described(Id, "The server that provides the resource."),
  uri: described(Url, "The resource that contains others."),
})
export type ReadMcpResourceDirInput = typeof ReadMcpResourceDirInput.Type

/** Any `mcp__server__tool`: the server's own schema defines its input. */
export const McpInput = AnyRecord
export type McpInput = typeof McpInput.Type
