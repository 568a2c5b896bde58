// The data of an MCP tool's result that hosts receive in addition to its content.
import { Effect } from "effect"
import { expect, it } from "vitest"
import { mcpOutcome } from "../../src/mcp/call-result.ts"
import { resultExtras } from "../../src/mcp/result-extras.ts"

const text = { type: "text", text: "x" }

it("structured content, links and _meta are given as the server gave them", () => {
  const link = { type: "resource_link", uri: "file:///a", name: "a", title: "A", _meta: { z: 1 } }
  expect(resultExtras({ content: [text, link], structuredContent: {}, _meta: { ui: "x" } } as never)).toEqual({
    extras: {
      _meta: { ui: "x" },
      structuredContent: {},
      resourceLinks: [{ uri: "file:///a", name: "a", title: "A" }],
    },
  })
  for (const nothing of [{ content: [text] }, { _meta: {} }, { content: [text], _meta: null }])
    expect(resultExtras(nothing as never)).toEqual({})
})

it("no more than 50 links are given, and nothing that is too deep or too long", () => {
  const content = Array.from({ length: 60 }, (_, n) => ({ type: "resource_link", uri: `file:///${n}`, name: `${n}` }))
  expect(resultExtras({ content }).extras?.resourceLinks).toHaveLength(50)
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level += 1) deep = { deep }
  const long = "x".repeat(1_100_000)
  for (const value of [deep, long])
    expect(resultExtras({ content: [text], structuredContent: { value }, _meta: { value } } as never)).toEqual({})
})

it("links are kept for the model in addition to structured content", async () => {
  const result = { content: [{ type: "resource_link", uri: "file:///a", name: "a" }], structuredContent: { k: 1 } }
  // Nothing is saved.
  const { content } = await Effect.runPromise(mcpOutcome("s", "mcp__s__t", result, {} as never))
  expect(content).toEqual([
    { type: "text", text: "[Resource link: a] file:///a" },
    { type: "text", text: '{"k":1}' },
  ])
})
