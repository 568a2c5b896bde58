// Receives what an MCP server answered to a call; returns what a host is sent of it beside the content that the model reads.
// Invariant: it can be written as JSON, of a size that every client of the session can be sent; links are limited as in the official SDK.
import * as Schema from "effect/Schema"
import { type McpCallResult, type McpExtras, McpResourceLink } from "../schemas/sdk/options/mcp-tools.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { ToolOutcome } from "../tools/tool.ts"
import { sizeOf } from "./choose-tools.ts"

/** Bytes of JSON, about. Longer structured content is whole in the file that the content names. */
const MAX_SIZE = 1_048_576
const MAX_LINKS = 50
/** Characters of JSON, about. */
const MAX_LINKS_SIZE = 65_536

const isLink = Schema.is(McpResourceLink)

/** Nothing where there is nothing beside the content. */
export const resultExtras = (result: McpCallResult): Pick<ToolOutcome, "extras"> => {
  const { content = [], structuredContent } = result
  const meta: unknown = Reflect.get(result, "_meta")
  const resourceLinks = linksOf(content)
  const extras: McpExtras = {
    ...(isPlainObject(meta) && Object.keys(meta).length > 0 && fits(meta) ? { _meta: meta } : {}),
    ...(structuredContent !== undefined && fits(structuredContent) ? { structuredContent } : {}),
    ...(resourceLinks.length === 0 ? {} : { resourceLinks }),
  }
  return Object.keys(extras).length === 0 ? {} : { extras }
}

/** What goes too deep to be written has no end. */
const fits = (value: unknown): boolean => sizeOf(value) <= MAX_SIZE

const linksOf = (content: ReadonlyArray<unknown>): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  let room = MAX_LINKS_SIZE
  return content
    .filter(isLink)
    .slice(0, MAX_LINKS)
    .map((link) => Object.fromEntries(Object.entries(link).filter(([name]) => name !== "type" && name !== "_meta")))
    .filter((link) => {
      room -= sizeOf(link)
      return room >= 0
    })
}
