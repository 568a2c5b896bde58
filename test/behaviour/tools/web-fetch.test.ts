// WebFetch through the whole loop: a page of a local server, which the settings allow by name, who is asked, and the cost.
import { describe, expect, it } from "vitest"
import { call, scriptName, text } from "../../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { pageServer } from "../../support/server/page-server.ts"

const opened = loop()
const { finish, start, harnessOf } = opened
const pages = pageServer()

const SONNET = { ...BYPASS, model: "claude-sonnet-4-5" }
const INNER = { usage: { input_tokens: 1000, output_tokens: 100 } }

/** A prompt for WebFetch that makes the scripted API answer the small model's request. */
const about = (reply: string, more: object = INNER): string => {
  const name = scriptName("page")
  opened.api.set(name, { turns: [DONE], side: { content: [text(reply)], ...more } })
  return `[[script:${name}]] What is a perch?`
}

const fetchCall = (path: string, reply = "A fish.", more = {}) =>
  call("WebFetch", { url: `${pages.origin}${path}`, prompt: about(reply), ...more })

const innerRequests = () => opened.api.log.filter((entry) => entry.kind === "side").map(({ body }) => body)

interface Usage {
  readonly usage: { readonly input_tokens: number }
  readonly modelUsage: Readonly<Record<string, { readonly inputTokens: number; readonly webSearchRequests: number }>>
  readonly total_cost_usd: number
}

describe("WebFetch", () => {
  it("has a small model read the page as Markdown, and returns its answer", async () => {
    const { events, workspace } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    expect(workspace.exists("/workspace")).toBe(true)
    const [result] = toolResultsOf(events())
    expect(result).toMatchObject({ content: "A fish." })
    expect(result).not.toHaveProperty("is_error")
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]
    expect(output).toMatchObject({ code: 200, codeText: "OK", result: "A fish.", url: `${pages.origin}/page` })
    const [request] = innerRequests()
    expect(request).toMatchObject({ model: "claude-haiku-5-5", thinking: { type: "disabled" } })
    expect(request).not.toHaveProperty("tools")
    const sent = JSON.stringify(request?.messages)
    expect(sent).toContain("Title: Birds")
    expect(sent).toContain("A perch is a **fish**.")
    expect(sent).not.toContain("no()")
  })

  it("costs as much as its model's answer, in addition to the turn's own usage", async () => {
    const { result, events, session } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    // The API's usage per request: 100 input tokens and 10 output tokens, unless the script sets others.
    const { usage, modelUsage, total_cost_usd } = result() as unknown as Usage
    expect(usage.input_tokens).toBe(200)
    expect(modelUsage["claude-haiku-5-5"]?.inputTokens).toBe(1000)
    expect(modelUsage["claude-sonnet-4-5"]?.inputTokens).toBe(200)
    const own = 2 * (100 * 3 + 10 * 15)
    expect(total_cost_usd).toBeCloseTo((own + 1000 * 0.1 + 100 * 0.5) / 1e6, 12)
    const [inner] = events().filter((event) => event.name === "call:finished" && event.parent_tool_use_id !== null)
    expect(inner?.payload).toMatchObject({ model: "claude-haiku-5-5", usd: 0.00015 })
    expect(session.memory.accounting.lastUsage).toMatchObject({ input_tokens: 100 })
  })

  it("adds only its call and result to the conversation", async () => {
    const { sent } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    expect(
      sent()
        .at(-1)
        ?.map((message) => message.content.map((block) => block.type)),
    ).toEqual([["text"], ["tool_use"], ["tool_result"]])
  })

  it("caches a page, and calls the model about it each time", async () => {
    const uses = [{ content: [fetchCall("/data", "One.")] }, { content: [fetchCall("/data#x", "Two.")] }, DONE]
    const { events } = await finish(uses, {}, SONNET)
    expect(toolResultsOf(events()).map((block) => block.content)).toEqual(["One.", "Two."])
    expect(pages.asked).toEqual(["GET /data"])
    expect(JSON.stringify(innerRequests()[1]?.messages)).toContain(String.raw`{\"birds\":3}`)
  })

  it("starts at the requested offset of a long page, and names where to continue", async () => {
    const uses = [
      { content: [fetchCall("/long", "First.")] },
      { content: [fetchCall("/long", "Last.", { offset: 100_000 })] },
      DONE,
    ]
    const { events } = await finish(uses, {}, SONNET)
    const [first, last] = toolResultsOf(events())
    expect(first?.content).toContain("Call again with offset 100000")
    expect(last?.content).toContain("about characters 100000 to 100007 of 100007")
    expect(JSON.stringify(innerRequests()[0]?.messages)).not.toContain("the end")
    expect(JSON.stringify(innerRequests()[1]?.messages)).toContain("the end")
  })

  it("reports a redirect to another host without a model request, and follows one on the same host", async () => {
    const uses = [{ content: [fetchCall("/moved")] }, { content: [fetchCall("/near")] }, DONE]
    const { events } = await finish(uses, {}, SONNET)
    const [moved, near] = toolResultsOf(events())
    expect(moved?.content).toContain("https://elsewhere.example.com/there")
    expect(near?.content).toBe("A fish.")
    expect(pages.asked).toEqual(["GET /moved", "GET /near", "GET /page"])
    expect(innerRequests()).toHaveLength(1)
  })

  it("reports a redirect on the same host to an address that a rule asks about", async () => {
    const options = { ...SONNET, permission: { webfetch: { "*": "allow", "*/page": "ask" } } } as const
    const { events } = await finish([{ content: [fetchCall("/near")] }, DONE], {}, options)
    const [near] = toolResultsOf(events())
    expect(near?.content).toContain(`which was not followed: ${pages.origin}/page`)
    expect(pages.asked).toEqual(["GET /near"])
    expect(innerRequests()).toHaveLength(0)
  })

  it.each([
    ["a private address", () => "http://10.0.0.1/", "not a public address"],
    ["an address with a password", () => "http://user:secret@127.0.0.1/", "without a user name or password"],
    ["another scheme", () => "file:///etc/passwd", "Only http and https"],
    ["what is no address", () => "perch", "not an absolute URL"],
  ])("refuses %s with the reason", async (_, url, reason) => {
    const use = call("WebFetch", { url: url(), prompt: "What is it?" })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining(reason) })
    expect(innerRequests()).toEqual([])
  })

  it("describes an error status, and is no failure", async () => {
    const { events } = await finish([{ content: [fetchCall("/nothing")] }, DONE], {}, SONNET)
    const [result] = toolResultsOf(events())
    expect(result).not.toHaveProperty("is_error")
    expect(result?.content).toContain("status 404 Not Found")
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]
    expect(output).toMatchObject({ bytes: 0, code: 404, codeText: "Not Found", result: result?.content })
    const hooks = payloadsOf(events(), "hook:fired").map(({ hook_event_name }) => hook_event_name)
    expect(hooks).toContain("PostToolUse")
    expect(hooks).not.toContain("PostToolUseFailure")
    expect(innerRequests()).toEqual([])
  })

  it("saves what is not text as a file, which its result names", async () => {
    const { events, workspace } = await finish([{ content: [fetchCall("/picture")] }, DONE], {}, SONNET)
    const [result] = toolResultsOf(events())
    expect(result).not.toHaveProperty("is_error")
    const [, path = ""] = /image\/png \(6 bytes\).* saved to (\S+)$/.exec(String(result?.content)) ?? []
    expect(workspace.readBytes(path)).toHaveLength(6)
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]
    expect(output).toMatchObject({ bytes: 6, code: 200 })
    expect(innerRequests()).toEqual([])
  })

  it("whose model fails is an error with the reason", async () => {
    const error = { error: { status: 400, type: "invalid_request_error", message: "too odd" } }
    const use = call("WebFetch", { url: `${pages.origin}/data`, prompt: about("", error) })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining("too odd") })
  })

  it("uses the session's own model if the small one is unknown", async () => {
    const name = scriptName("page")
    const missing = { error: { status: 404, type: "not_found_error", message: "model: claude-haiku-5-5" } }
    const known = { content: [text("Own.")] }
    opened.api.set(name, {
      allowNoTools: true,
      turns: [known],
      byModel: { "claude-haiku-5-5": missing, "claude-sonnet-4-5": known },
    })
    const use = call("WebFetch", { url: `${pages.origin}/data`, prompt: `[[script:${name}]] What?` })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]?.content).toBe("Own.")
  })

  it("opens asks with its address, and is allowed and denied by its domain", async () => {
    const turns = () => [{ content: [fetchCall("/page")] }, DONE]
    const { client, events, idle } = await start(turns(), {}, { model: "claude-sonnet-4-5" })
    client.onAsk = () => ({ behavior: "deny", message: "no" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      tool_name: "WebFetch",
      description: `${pages.origin}/page`,
      permission_suggestions: [
        { type: "addRules", rules: [{ toolName: "WebFetch", ruleContent: "domain:127.0.0.1" }], behavior: "allow" },
      ],
    })
    expect(toolResultsOf(events())[0]?.content).toBe("no")
    const allowed = await finish(
      turns(),
      {},
      { model: "claude-sonnet-4-5", allowedTools: ["WebFetch(domain:127.0.0.1)"] },
    )
    expect(toolResultsOf(allowed.events())[0]?.content).toBe("A fish.")
    const denied = await finish(turns(), {}, { ...SONNET, disallowedTools: ["WebFetch(domain:127.0.0.1)"] })
    expect(toolResultsOf(denied.events())[0]).toMatchObject({ is_error: true })
    const other = await finish(turns(), {}, { ...SONNET, disallowedTools: ["WebFetch(domain:example.com)"] })
    expect(toolResultsOf(other.events())[0]?.content).toBe("A fish.")
  })

  it("called by a client, outside any turn, is paid for and belongs to no turn", async () => {
    const harness = harnessOf(SONNET)
    const { directCalls, log, session } = harness.boot()
    const called = await directCalls.call("WebFetch", { url: `${pages.origin}/data`, prompt: about("Three.") })
    expect(called).toMatchObject({ content: "Three.", output: { code: 200, result: "Three." } })
    const events = [...log.all()].map(({ event }) => event)
    expect(events.map(({ name, turn }) => [name, turn])).toEqual([
      ["call:finished", null],
      ["hook:fired", null],
      ["hook:fired", null],
      ["tool:called", null],
    ])
    expect(session.memory.accounting.totalUsd).toBeCloseTo(0.00015, 12)
  })
})
