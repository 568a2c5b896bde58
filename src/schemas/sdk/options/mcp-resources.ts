// An MCP server's reports about its resources, in the protocol's shapes.
// Invariant: shapes only; unknown fields are ignored, never refused.
import * as Schema from "effect/Schema"
import { open } from "../open.ts"

const opt = Schema.optionalKey

/** A page of the answer to `resources/list`; each resource is decoded by itself. */
export const McpResourcesPage = open({ resources: Schema.Array(Schema.Unknown), nextCursor: opt(Schema.String) })

/** One resource of a page. */
export const McpResourceInfo = open({
  uri: Schema.String,
  name: Schema.String,
  description: opt(Schema.String),
  mimeType: opt(Schema.String),
  title: opt(Schema.Unknown),
  size: opt(Schema.Unknown),
  annotations: opt(Schema.Unknown),
  _meta: opt(Schema.Unknown),
})
export type McpResourceInfo = typeof McpResourceInfo.Type

/** The answer to `resources/read`; each part is decoded by itself. */
export const McpReadResult = open({ contents: Schema.Array(Schema.Unknown) })

/** One part of a resource: a text, or base64. */
export const McpResourcePart = open({
  uri: Schema.String,
  mimeType: opt(Schema.String),
  text: opt(Schema.String),
  blob: opt(Schema.String),
})
export type McpResourcePart = typeof McpResourcePart.Type
