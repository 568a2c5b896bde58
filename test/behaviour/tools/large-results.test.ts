// Results of 5 MB from every kind of tool: what the model receives, where the whole is stored, and that it survives a crash.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PNG } from "../../mcp/calculator.ts"
import { LARGE, startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { projectSession } from "../../support/session/project-session.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const setting = loop()
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

/** 5 MB of lines; the last one is `the end`. */
const LINES = [...Array.from({ length: LARGE / 64 }, (_, index) => `${index} `.padEnd(63, "x")), "the end"]
const TEXT = LINES.join("\n")
/** The maximum size of a request in addition to its results. */
const REQUEST_BYTES = 150_000

const HELPER = { description: "Helps.", prompt: "You help.", tools: ["Read"] }
const CLIENT_TOOL = { name: "ask_app", description: "Asks the app.", inputSchema: { type: "object" } }
const options = () => ({
  ...BYPASS,
  agents: { helper: HELPER },
  clientTools: [CLIENT_TOOL],
  mcpServers: { far: { type: "http" as const, url: server.http } },
})

/**
 * Makes one call in a session, with a file of 5 MB if the call reads it; `answer` is the client's answer if the call opens an
 * ask.
 */
const calling = async (use: ReturnType<typeof call>, answer?: Readonly<Record<string, unknown>>) => {
  const files = JSON.stringify(use.input).includes("big.txt") ? { "big.txt": `${TEXT}\n` } : {}
  const opened = await projectSession(setting, files, options())
  const running = opened.uses(use)
  if (answer !== undefined) {
    await until(() => opened.session.askStore.open.length > 0)
    opened.session.asks.answer(opened.session.askStore.open[0]!.requestId, answer)
  }
  const sent = await running
  expect(JSON.stringify(sent).length).toBeLessThan(REQUEST_BYTES)
  const [result] = toolResultsOf(opened.events())
  const shown = typeof result?.content === "string" ? result.content : JSON.stringify(result?.content)
  return { ...opened, shown, result, path: `/workspace/.perch/tool-results/${use.id}.txt` }
}

const agentCall = () => {
  const script = setting.scripted([textAnswer(TEXT)])
  return call("Agent", {
    description: "help",
    subagent_type: "helper",
    prompt: promptFor(script),
    run_in_background: false,
  })
}

describe("the result of 5 MB", () => {
  it.each<[string, () => ReturnType<typeof call>, Readonly<Record<string, unknown>>?]>([
    ["Bash", () => call("Bash", { command: "cat big.txt", description: "Show it" })],
    ["an MCP tool, as text", () => call("mcp__far__large", { form: "text" })],
    ["an MCP tool, next to an image", () => call("mcp__far__large", { form: "image" })],
    ["a client's tool, as text", () => call("ask_app", {}), { content: TEXT }],
    ["a client's tool, as blocks", () => call("ask_app", {}), textAnswer(TEXT)],
    ["a client's tool that failed", () => call("ask_app", {}), { content: TEXT, is_error: true }],
    ["an agent", agentCall],
  ])("of %s is in a file that Read reads, after a crash too", async (_, made, answer) => {
    const { harness, shown, path } = await calling(made(), answer)
    expect(shown).toContain("<persisted-output>")
    expect(shown).toContain(path)
    expect(shown).not.toContain("the end")
    expect(shown.length).toBeLessThan(10_000)
    harness.crash()
    const again = harness.boot()
    expect(again.workspace.readText(path)).toContain(TEXT)
    const script = setting.scripted([
      { content: [call("Read", { file_path: path, offset: LINES.length, limit: 10 })] },
      DONE,
    ])
    prompt(again.session, promptFor(script))
    await again.idle()
    expect(JSON.stringify(toolResultsOf(eventsOf(again.log)).at(-1)?.content)).toContain("the end")
  })

  it("of an MCP tool keeps its image in the request", async () => {
    const { result } = await calling(call("mcp__far__large", { form: "image" }))
    expect(result?.content).toEqual([
      { type: "text", text: expect.stringContaining("<persisted-output>") },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
    ])
  })

  it.each(["mcp__far__large", "ReadMcpResourceTool"])("of one line, from %s, names how to read it", async (name) => {
    const input = name === "ReadMcpResourceTool" ? { server: "far", uri: "notes://long" } : {}
    const { uses, shown, path, workspace, events } = await calling(call(name, input))
    expect(shown).toContain("In Bash, head -c and cut -c show all of them.")
    expect(workspace.stat(path).size).toBeGreaterThanOrEqual(LARGE)
    await uses(call("Bash", { command: `cut -c 5000001-5000010 ${path}`, description: "Look" }))
    expect(toolResultsOf(events()).at(-1)?.content).toBe("x".repeat(10))
  })

  it("that is structured is saved as JSON", async () => {
    const { workspace, path, shown, events } = await calling(call("mcp__far__large", { form: "structured" }))
    expect(JSON.parse(workspace.readText(path))).toEqual({ lines: LINES })
    // Clients are shown the same as the model.
    expect(payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]).toBe(shown)
  })

  it("of Read is rejected, and names how to read it in parts", async () => {
    const { result, uses, events } = await calling(call("Read", { file_path: "/workspace/big.txt" }))
    expect(result).toMatchObject({ is_error: true, content: expect.stringContaining("Set offset and limit") })
    await uses(call("Read", { file_path: "/workspace/big.txt", offset: LINES.length, limit: 10 }))
    expect(toolResultsOf(events()).at(-1)?.content).toContain("the end")
  })

  it("of Grep ends at its limit, and continues after an offset", async () => {
    const grep = (more: object) =>
      call("Grep", { pattern: "x|the end", path: "/workspace/big.txt", output_mode: "content", ...more })
    const { shown, uses, events } = await calling(grep({}))
    expect(shown).not.toContain("the end")
    await uses(grep({ offset: LINES.length - 1 }))
    expect(JSON.stringify(toolResultsOf(events()).at(-1)?.content)).toContain("the end")
  })

  it("that does not fit into the workspace is truncated, and the rest is counted", async () => {
    const opened = await projectSession(setting, {}, options())
    opened.workspace.writeBytes("/workspace/.perch/tool-results", "a file in the way")
    await opened.uses(call("mcp__far__large", { form: "text" }))
    const [result] = toolResultsOf(opened.events())
    const [block] = (result?.content ?? []) as ReadonlyArray<{ readonly text: string }>
    const shown = typeof result?.content === "string" ? result.content : String(block?.text)
    expect(shown).toContain(`(Output cut here: ${TEXT.length - 50_000} more characters.)`)
    expect(shown.length).toBeLessThan(51_000)
  })
})
