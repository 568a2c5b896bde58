// The structured results of the tools that reach outside the session: the web and MCP servers.
import * as Schema from "effect/Schema"
import { AnyRecord } from "../open.ts"

const Text = Schema.String
const opt = Schema.optionalKey

export const WebFetchOutput = Schema.Struct({
  bytes: Schema.Finite,
  code: Schema.Finite,
  codeText: Text,
  result: Text,
  durationMs: Schema.Finite,
  url: Text,
  artifactRead: opt(Schema.Struct({ slug: Text, ver: opt(Text), seeded: opt(Schema.Literal(false)) })),
})
export type WebFetchOutput = typeof WebFetchOutput.Type

export const WebSearchOutput = Schema.Struct({
  query: Text,
  results: Schema.Array(
    Schema.Union([
      Schema.Struct({
        tool_use_id: Text,
        content: Schema.Array(Schema.Struct({ title: Text, url: Text, snippet: opt(Text) })),
      }),
      Text,
    ]),
  ),
  durationSeconds: Schema.Finite,
  searchCount: opt(Schema.Finite),
})
export type WebSearchOutput = typeof WebSearchOutput.Type

export const ListMcpResourcesOutput = Schema.Array(
  Schema.Struct({ uri: Text, name: Text, mimeType: opt(Text), description: opt(Text), server: Text }),
)
export type ListMcpResourcesOutput = typeof ListMcpResourcesOutput.Type

export const RefreshMcpToolsOutput = Schema.Array(
  Schema.Struct({
    server: Text,
    status: Schema.Literals(["refreshed", "error", "not_connected"]),
    toolCount: opt(Schema.Finite),
    added: opt(Schema.Array(Text)),
    removed: opt(Schema.Array(Text)),
    error: opt(Text),
  }),
)
export type RefreshMcpToolsOutput = typeof RefreshMcpToolsOutput.Type

export const ReadMcpResourceOutput = Schema.Struct({
  contents: Schema.Array(Schema.Struct({ uri: Text, mimeType: opt(Text), text: opt(Text), blobSavedTo: opt(Text) })),
  error: opt(Text),
})
export type ReadMcpResourceOutput = typeof ReadMcpResourceOutput.Type

export const ReadMcpResourceDirOutput = Schema.Struct({
  resources: Schema.Array(Schema.Struct({ uri: Text, name: Text, mimeType: opt(Text) })),
  error: opt(Text),
})
export type ReadMcpResourceDirOutput = typeof ReadMcpResourceDirOutput.Type

/** The result of an MCP tool: text, content blocks, or its own structured result. */
export const McpOutput = Schema.Union([
  Text,
  Schema.Array(Schema.StructWithRest(Schema.Struct({ type: Text }), [AnyRecord])),
  AnyRecord,
])
export type McpOutput = typeof McpOutput.Type
