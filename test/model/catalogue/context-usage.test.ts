import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ContextParts, contextUsage } from "../../../src/model/catalogue/context-usage.ts"
import { estimateTokens } from "../../../src/model/catalogue/estimate.ts"
import { decodeControlAnswer } from "../../../src/schemas/sdk/control/control.ts"

const tokens = (count: number): string => "x".repeat(count * 4)

const parts = (more: Partial<ContextParts> = {}): ContextParts => ({
  model: "claude-sonnet-4-5",
  system: tokens(1000),
  tools: [
    { name: "Read", tokensText: tokens(200) },
    { name: "Write", tokensText: tokens(300) },
    { name: "mcp__files__list", tokensText: tokens(50), mcp: "files" },
  ],
  messages: [{ role: "user", content: tokens(400) }],
  apiUsage: null,
  ...more,
})

const tokensById = (report: ReturnType<typeof contextUsage>) =>
  Object.fromEntries(report.categories.map(({ id, tokens: count }) => [id, count]))

describe("the usage of the context window", () => {
  it("is reported by category, in tokens and as a share of the model's window", () => {
    const report = contextUsage(parts())
    expect(Result.getOrThrow(decodeControlAnswer("get_context_usage", report))).toStrictEqual(report)
    expect(report.gridRows.flat()).toHaveLength(100)
    const message = estimateTokens(tokens(400))
    const total = 1550 + message
    expect(tokensById(report)).toEqual({
      system_prompt: 1000,
      system_tools: 500,
      mcp_tools: 50,
      messages: message,
      free_space: 200_000 - total,
    })
    expect(report).toMatchObject({
      model: "claude-sonnet-4-5",
      totalTokens: total,
      maxTokens: 200_000,
      percentage: 1,
      isAutoCompactEnabled: false,
      systemTools: [
        { name: "Read", tokens: 200 },
        { name: "Write", tokens: 300 },
      ],
      mcpTools: [{ name: "mcp__files__list", serverName: "files", tokens: 50, isLoaded: true }],
      apiUsage: null,
    })
  })

  it("is the API's count, once there is one", () => {
    const apiUsage = {
      input_tokens: 100,
      cache_read_input_tokens: 49_000,
      cache_creation_input_tokens: 800,
      output_tokens: 100,
    }
    const report = contextUsage(parts({ apiUsage }))
    expect(report).toMatchObject({ totalTokens: 49_900, percentage: 25, apiUsage })
    expect(tokensById(report)).toMatchObject({ messages: 49_900 - 1550 })
    const little = { ...apiUsage, cache_read_input_tokens: 0 }
    expect(tokensById(contextUsage(parts({ apiUsage: little })))).not.toHaveProperty("messages")
  })

  it("has the agents as a category of their own, whose list is part of a tool", () => {
    const agents = [{ agentType: "helper", source: "flagSettings", tokens: 40 }]
    const report = contextUsage(parts({ lists: { agents, memoryFiles: [] } }))
    expect(tokensById(report)).toMatchObject({ system_tools: 460, custom_agents: 40 })
    const without = contextUsage(parts({ tools: [], lists: { agents, memoryFiles: [] } }))
    expect(tokensById(without)).not.toHaveProperty("custom_agents")
  })

  it("reserves space for compaction if there is a threshold, as far as it is free", () => {
    const report = contextUsage(parts({ autoCompactThreshold: 167_000 }))
    expect(report).toMatchObject({ isAutoCompactEnabled: true, autoCompactThreshold: 167_000 })
    expect(tokensById(report)).toMatchObject({ autocompact_buffer: 33_000 })
    const messages = [{ role: "user", content: tokens(190_000) }] as const
    const full = tokensById(contextUsage(parts({ autoCompactThreshold: 167_000, messages })))
    expect(full["autocompact_buffer"]).toBeLessThan(10_000)
    expect(full).not.toHaveProperty("free_space")
  })

  it("is measured against the window of the selected model", () => {
    expect(contextUsage(parts({ model: "opus" }))).toMatchObject({ model: "claude-opus-5-5", maxTokens: 1_000_000 })
    expect(contextUsage(parts({ model: "new-model" }))).toMatchObject({ model: "new-model", maxTokens: 1_000_000 })
  })

  it("splits the messages by author and kind", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }
    const call = { type: "tool_use", id: "t1", name: "Read", input: { file_path: "/a" } }
    const result = { type: "tool_result", tool_use_id: "t1", content: tokens(500) }
    const stray = { type: "tool_result", tool_use_id: "t2", content: "x" }
    const prompt = { type: "text", text: "look" }
    const thinking = { type: "thinking", thinking: tokens(70), signature: "c2ln" }
    const messages = [
      { role: "user", content: [prompt, image] },
      { role: "assistant", content: [thinking, call] },
      { role: "user", content: [result, stray] },
    ] as const
    const { messageBreakdown } = contextUsage(parts({ messages }))
    expect(messageBreakdown).toEqual({
      toolCallTokens: estimateTokens(call),
      toolResultTokens: estimateTokens(result) + estimateTokens(stray),
      attachmentTokens: 1600,
      assistantMessageTokens: estimateTokens(thinking),
      userMessageTokens: estimateTokens(prompt),
      redirectedContextTokens: 0,
      unattributedTokens: expect.any(Number),
      toolCallsByType: [
        { name: "Read", callTokens: estimateTokens(call), resultTokens: estimateTokens(result) },
        { name: "unknown", callTokens: 0, resultTokens: estimateTokens(stray) },
      ],
      attachmentsByType: [{ name: "image", tokens: 1600 }],
    })
    const apiUsage = {
      input_tokens: 100_000,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 0,
    }
    const counted = contextUsage(parts({ messages, apiUsage })).messageBreakdown
    expect(counted?.unattributedTokens).toBeGreaterThan(90_000)
  })

  it("adds up to the window, or to more if the conversation exceeds it", () => {
    const size = fc.integer({ min: 0, max: 150_000 })
    fc.assert(
      fc.property(size, size, fc.option(fc.integer({ min: 1, max: 200_000 })), (system, written, threshold) => {
        const report = contextUsage(
          parts({
            system: tokens(system),
            messages: [{ role: "user", content: tokens(written) }],
            ...(threshold === null ? {} : { autoCompactThreshold: threshold }),
          }),
        )
        const sum = report.categories.reduce((all, { tokens: count }) => all + count, 0)
        expect(sum).toBe(Math.max(report.maxTokens, report.totalTokens))
        for (const category of report.categories) expect(category.tokens).toBeGreaterThan(0)
      }),
      { numRuns: 50 },
    )
  })
})
