// An MCP server's reports about itself, its tools and the result of a call, in the protocol's shapes.
// Invariant: shapes only, and as lenient as servers need: unknown fields are kept or ignored, never refused.
import * as Schema from "effect/Schema"
import { AnyRecord, open } from "../open.ts"

const opt = Schema.optionalKey

/** A server's hints about how a tool behaves. */
const McpToolAnnotations = open({
  title: opt(Schema.String),
  readOnlyHint: opt(Schema.Boolean),
  destructiveHint: opt(Schema.Boolean),
  idempotentHint: opt(Schema.Boolean),
  openWorldHint: opt(Schema.Boolean),
})

/** One entry of the answer to `tools/list`. */
export const McpToolInfo = Schema.Struct({
  name: Schema.String,
  title: opt(Schema.String),
  description: opt(Schema.String),
  inputSchema: AnyRecord,
  annotations: opt(McpToolAnnotations),
  _meta: opt(AnyRecord),
})
export type McpToolInfo = typeof McpToolInfo.Type

/** The answer to `initialize`. */
export const McpInitializeResult = open({
  protocolVersion: Schema.String,
  capabilities: opt(
    open({ tools: opt(AnyRecord), resources: opt(AnyRecord), prompts: opt(AnyRecord), extensions: opt(AnyRecord) }),
  ),
  serverInfo: opt(open({ name: Schema.String, version: Schema.String })),
  instructions: opt(Schema.String),
})

/** A page of the answer to `tools/list`; each tool is decoded by itself. */
export const McpToolsPage = open({ tools: Schema.Array(Schema.Unknown), nextCursor: opt(Schema.String) })

/** The answer to `tools/call`; each block is decoded by itself. */
export const McpCallResult = open({
  content: opt(Schema.Array(Schema.Unknown)),
  structuredContent: opt(AnyRecord),
  isError: opt(Schema.Boolean),
})
export type McpCallResult = typeof McpCallResult.Type

/** As the official SDK: for hosts that display it, not for the model. `resourceLinks` are the links among the content's blocks. */
export interface McpExtras {
  readonly _meta?: Readonly<Record<string, unknown>>
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly resourceLinks?: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export const McpAudio = open({ type: Schema.Literal("audio"), data: Schema.String, mimeType: Schema.String })

/** A link to a resource. */
export const McpResourceLink = open({
  type: Schema.Literal("resource_link"),
  uri: Schema.String,
  name: Schema.String,
  description: opt(Schema.String),
})

/** A resource with its content. */
export const McpEmbeddedResource = open({
  type: Schema.Literal("resource"),
  resource: open({
    uri: Schema.String,
    mimeType: opt(Schema.String),
    text: opt(Schema.String),
    blob: opt(Schema.String),
  }),
})
