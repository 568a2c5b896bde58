// Receives an MCP server's result of a call; returns the parts that only clients receive, not the model.
// Invariant: they are valid JSON, small enough for every client of the session; links are limited as in the official SDK.
import * as Schema from "effect/Schema"
import { type McpCallResult, type McpExtras, McpResourceLink } from "../schemas/sdk/options/mcp-tools.ts"
import { isPlainObject } from "../schemas/plain-object.ts"
import type { ToolOutcome } from "../tools/tool.ts"
import { sizeOf } from "./choose-tools.ts"

/** Approximate bytes of JSON. Longer structured content is complete in the file that the content names. */
const MAX_SIZE = 1_048_576
const MAX_LINKS = 50
/** Approximate characters of JSON. */
const MAX_LINKS_SIZE = 65_536

const isLink = Schema.is(McpResourceLink)

/** The result's structured content, links and metadata; no property if it has only content. */
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

/** False also for values that are nested too deeply: their size is infinite. */
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
