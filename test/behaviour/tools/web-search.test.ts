// WebSearch through the whole loop: a search that the scripted API answers, who is asked, and the cost.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const opened = loop()
const { finish, start, scripted } = opened

const SONNET = { ...BYPASS, model: "claude-sonnet-4-5" }

interface Usage {
  readonly usage: { readonly input_tokens: number }
  readonly modelUsage: Readonly<Record<string, { readonly inputTokens: number; readonly webSearchRequests: number }>>
  readonly total_cost_usd: number
}

const found = (query: string) => [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [
      { type: "web_search_result", title: "Perch", url: "https://perch.example.com/", encrypted_content: "x" },
      { type: "web_search_result", title: "Fish", url: "https://fish.example.com/", page_age: "1 day" },
    ],
  },
  { type: "text", text: "A perch is a fish, " },
  { type: "text", text: "and a place to sit." },
]
const FAILED = [
  { type: "server_tool_use", id: "srvtoolu_2", name: "web_search", input: { query: "q" } },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_2",
    content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
  },
]

const search = (content: ReadonlyArray<object>, requests: number, more = {}) => {
  const script = scripted([
    { content, usage: { input_tokens: 500, output_tokens: 50, server_tool_use: { web_search_requests: requests } } },
  ])
  return { script, use: call("WebSearch", { query: `[[script:${script}]] perch`, ...more }) }
}

describe("WebSearch", () => {
  it("has the session's model search, and returns what was found", async () => {
    const { script, use } = search(found("perch"), 1, { allowed_domains: ["example.com"] })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]
    expect(output).toMatchObject({
      query: use.input["query"],
      results: [
        {
          tool_use_id: "srvtoolu_1",
          content: [
            { title: "Perch", url: "https://perch.example.com/" },
            { title: "Fish", url: "https://fish.example.com/" },
          ],
        },
        "A perch is a fish, and a place to sit.",
      ],
      searchCount: 1,
    })
    const content = String(toolResultsOf(events())[0]?.content)
    expect(content).toContain('{"title":"Fish","url":"https://fish.example.com/"}')
    expect(content).toContain("A perch is a fish, and a place to sit.")
    const [request] = opened.api.log.filter((entry) => entry.script === script)
    expect(request?.body).toMatchObject({
      model: "claude-sonnet-4-5",
      tools: [{ type: "web_search_20250305", name: "web_search", allowed_domains: ["example.com"], max_uses: 8 }],
      tool_choice: { type: "tool", name: "web_search" },
      thinking: { type: "disabled" },
    })
  })

  it("costs ten dollars per thousand searches in addition to the tokens", async () => {
    const { use } = search(found("perch"), 3)
    const { result } = await finish([{ content: [use] }, DONE], {}, SONNET)
    const { total_cost_usd, modelUsage, usage } = result() as unknown as Usage
    const tokens = (2 * (100 * 3 + 10 * 15) + 500 * 3 + 50 * 15) / 1e6
    expect(total_cost_usd).toBeCloseTo(tokens + 3 * 0.01, 12)
    expect(modelUsage["claude-sonnet-4-5"]).toMatchObject({ webSearchRequests: 3, inputTokens: 700 })
    expect(usage).toMatchObject({ input_tokens: 200, server_tool_use: { web_search_requests: 0 } })
  })

  it("reports what failed, and what was found before", async () => {
    const { use } = search([...found("perch"), ...FAILED], 1)
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"] as { results: ReadonlyArray<unknown> }
    expect(output.results.at(-1)).toBe("The web search failed: max_uses_exceeded.")
    expect(toolResultsOf(events())[0]?.content).toContain("max_uses_exceeded")
  })

  it.each([
    ["allowed and blocked domains at once", { allowed_domains: ["a.com"], blocked_domains: ["b.com"] }, "same call"],
    ["a query of one letter", { query: "a" }, "two characters"],
  ])("with %s is refused before any hook", async (_, input, reason) => {
    const use = call("WebSearch", { query: "perch", ...input })
    const { events } = await finish([{ content: [use] }, DONE], { PreToolUse: {} }, SONNET)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining(reason) })
    expect(hooksOf(events())).not.toContain("PreToolUse")
  })

  it("opens asks with its query", async () => {
    const { use } = search(found("perch"), 1)
    const { client, idle, events } = await start([{ content: [use] }, DONE], {}, { model: "claude-sonnet-4-5" })
    client.onAsk = () => ({ behavior: "allow" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      description: use.input["query"],
      permission_suggestions: [{ rules: [{ toolName: "WebSearch" }] }],
    })
    expect(toolResultsOf(events())[0]?.content).toContain("A perch is a fish")
  })
})
