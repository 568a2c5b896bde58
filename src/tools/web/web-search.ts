// WebSearch: receives a query; the session's model searches with the API's own tool, and its findings are returned.
// Invariant: one model request per call, whose searches are counted and charged as the API reports them.
import * as Effect from "effect/Effect"
import { WebSearchInput } from "../../schemas/sdk/tools/tool-inputs-remote.ts"
import type { WebSearchOutput } from "../../schemas/sdk/tools/tool-outputs-remote.ts"
import { makeTool, READS } from "../make-tool.ts"
import { searchText, webSearchContent } from "../output-content.ts"
import type { ModelReply } from "../context-parts.ts"
import { type ToolContext, ToolError, type ToolOutcome } from "../tool.ts"
import { usageCount } from "../../schemas/sdk/messages/usage.ts"

const MAX_SEARCHES = 8
const MAX_ANSWER_TOKENS = 8192
const SEARCH = "web_search"

const SYSTEM =
  "You search the web for another model, which waits for your findings and may ask again. Search once, then summarize " +
  "the results briefly."

type Results = WebSearchOutput["results"]
type Hit = Extract<Results[number], object>["content"][number]

const textAt = (fields: unknown, key: string): string | undefined => {
  const value: unknown = typeof fields === "object" && fields !== null ? Reflect.get(fields, key) : undefined
  return typeof value === "string" ? value : undefined
}

const hitOf = (found: unknown): ReadonlyArray<Hit> => {
  const title = textAt(found, "title")
  const url = textAt(found, "url")
  return title === undefined || url === undefined ? [] : [{ title, url }]
}

/** The answer's texts and search results in order; texts that citations split are joined. */
const resultsOf = (content: ModelReply["content"]): Results => {
  const results: Array<Results[number]> = []
  for (const block of content) {
    const last = results.at(-1)
    const text = block["type"] === "text" ? String(block["text"]) : ""
    if (text !== "" && typeof last === "string") results[results.length - 1] = last + text
    else if (text.trim() !== "") results.push(text)
    if (block["type"] !== "web_search_tool_result") continue
    const found = block["content"]
    if (Array.isArray(found))
      results.push({ tool_use_id: textAt(block, "tool_use_id") ?? "", content: found.flatMap(hitOf) })
    else results.push(`The web search failed: ${textAt(found, "error_code") ?? "unknown error"}.\n`)
  }
  return results.map((one) => (typeof one === "string" ? one.trim() : one))
}

const searchesOf = ({ usage }: ModelReply): number => {
  const used = usage["server_tool_use"]
  const count: unknown =
    typeof used === "object" && used !== null ? Reflect.get(used, "web_search_requests") : undefined
  return usageCount(count)
}

const run = (input: WebSearchInput, { ask }: ToolContext): Effect.Effect<ToolOutcome, ToolError> =>
  Effect.gen(function* () {
    const started = performance.now()
    const { query, allowed_domains: allowed, blocked_domains: blocked } = input
    const reply = yield* ask({
      model: "session",
      system: SYSTEM,
      text: `Search the web for this query: ${query}`,
      maxTokens: MAX_ANSWER_TOKENS,
      tools: [
        {
          type: "web_search_20250305",
          name: SEARCH,
          ...(isGiven(allowed) ? { allowed_domains: allowed } : {}),
          ...(isGiven(blocked) ? { blocked_domains: blocked } : {}),
          max_uses: MAX_SEARCHES,
        },
      ],
      toolChoice: { type: "tool", name: SEARCH },
    })
    const output: WebSearchOutput = {
      query,
      results: resultsOf(reply.content),
      durationSeconds: (performance.now() - started) / 1000,
      searchCount: searchesOf(reply),
    }
    return { content: searchText(output), output }
  })

const isGiven = (domains: ReadonlyArray<string> | undefined): boolean => domains !== undefined && domains.length > 0

const invalid = (message: string) => Effect.fail(new ToolError({ reason: "invalid_arguments", message }))

export const webSearchTool = makeTool(WebSearchInput, {
  name: "WebSearch",
  description:
    "Searches the web and returns titles, URLs and a summary of the results. `allowed_domains` or " +
    "`blocked_domains` (not both) restrict it. Cite the pages that you used as Markdown links in your answer.",
  ...READS,
  paths: () => [],
  subject: (input) => input.query,
  validate: ({ query, allowed_domains: allowed, blocked_domains: blocked }) => {
    if (query.trim().length < 2) return invalid("Error: The query needs at least two characters.")
    if (isGiven(allowed) && isGiven(blocked))
      return invalid("Error: allowed_domains and blocked_domains can't be given in the same call.")
    return Effect.void
  },
  run,
  contentOf: webSearchContent,
})
