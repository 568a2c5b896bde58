import { describe, expect, it } from "vitest"
import { mcpTool } from "../../../src/mcp/mcp-tool.ts"
import type { Tool } from "../../../src/tools/tool.ts"
import { scripted } from "../../mcp/pipes.ts"
import { openContext, run } from "../tool-context.ts"

const text = (value: string) => ({ type: "text", text: value })

/** A tool whose server returns this for every call. */
const giving = (result: unknown): Tool => {
  const info = { name: "t", inputSchema: { type: "object" } }
  return mcpTool({ name: "s", tools: [info] }, info, scripted(() => ({ result })).pipe)
}

describe("bytes in the result of an MCP tool", () => {
  it("are saved as files with the result, also when there is structured content", async () => {
    const opened = openContext()
    const pdf = { type: "resource", resource: { uri: "mem:a", mimeType: "application/pdf", blob: "JVBERi0=" } }
    const content = [text("x"), pdf, { type: "audio", data: "AAAA", mimeType: "audio/mpeg" }]
    const place = (ending: string) => `/workspace/.perch/tool-results/toolu_test-${ending}`
    const outcome = await run(giving({ content, structuredContent: { k: 1 } }), {}, opened.context)
    expect(outcome.content).toEqual([
      text(`[Resource from s at mem:a] Binary content (application/pdf, 5 bytes) saved to ${place("1.pdf")}`),
      text(`[Audio from s] Binary content (audio/mpeg, 3 bytes) saved to ${place("2.mp3")}`),
      text('{"k":1}'),
    ])
    expect(opened.workspace.exists(place("1.pdf"))).toBe(false)
    outcome.commit?.([])
    expect(opened.workspace.readText(place("1.pdf"))).toBe("%PDF-")
    expect(opened.workspace.readBytes(place("2.mp3"))).toEqual(new Uint8Array(3))
  })

  it("that do not fit into the workspace are reported, and the call succeeds", async () => {
    const opened = openContext({ quotas: () => ({ maxFileBytes: 4 }) })
    const content = [{ type: "audio", data: "A".repeat(16), mimeType: "audio/wav" }]
    const outcome = await run(giving({ content }), {}, opened.context)
    expect(outcome.content).toMatchObject([{ text: expect.stringContaining("could not be saved: EFBIG") }])
    expect(outcome.commit).toBeUndefined()
  })

  it("of a call that failed are not saved", async () => {
    const opened = openContext()
    const content = [text("no"), { type: "audio", data: "AAAA", mimeType: "audio/wav" }]
    await expect(run(giving({ content, isError: true }), {}, opened.context)).rejects.toThrow("no")
    expect(opened.workspace.list("/", null, 10).files).toEqual([])
  })
})
