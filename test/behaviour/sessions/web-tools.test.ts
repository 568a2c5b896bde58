// WebFetch and WebSearch through the whole loop: a page of a server on this machine, which the settings allow by name,
// a search that the scripted API answers, who is asked, and what it all costs.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { call, scriptName, text } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const opened = loop()
const { finish, start, scripted, harnessOf } = opened

let server: http.Server
let origin = ""
const asked: Array<string> = []

const PAGES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/page": ["text/html", "<title>Birds</title><h1>Perch</h1><p>A perch is a <b>fish</b>.</p><script>no()</script>"],
  "/data": ["application/json", '{"birds":3}'],
  "/picture": ["image/png", "123456"],
  "/long": ["text/plain", `${"a".repeat(100_000)}the end`],
}

beforeAll(async () => {
  server = http.createServer((request, response) => {
    const path = request.url ?? "/"
    asked.push(`${request.method} ${path}`)
    if (path === "/moved") {
      response.writeHead(302, { location: "https://elsewhere.example.com/there" })
      return response.end()
    }
    if (path === "/near") {
      response.writeHead(301, { location: "/page" })
      return response.end()
    }
    const [type, body] = PAGES[path] ?? []
    response.writeHead(body === undefined ? 404 : 200, type === undefined ? {} : { "content-type": type })
    return response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  asked.length = 0
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const SONNET = { ...BYPASS, model: "claude-sonnet-4-5" }
const INNER = { usage: { input_tokens: 1000, output_tokens: 100 } }

/** A prompt for WebFetch that makes the scripted API answer the small model's request. */
const about = (reply: string, more: object = INNER): string => {
  const name = scriptName("page")
  opened.api.set(name, { turns: [DONE], side: { content: [text(reply)], ...more } })
  return `[[script:${name}]] What is a perch?`
}

const fetchCall = (path: string, reply = "A fish.", more = {}) =>
  call("WebFetch", { url: `${origin}${path}`, prompt: about(reply), ...more })

const innerRequests = () => opened.api.log.filter((entry) => entry.kind === "side").map(({ body }) => body)

interface Usage {
  readonly usage: { readonly input_tokens: number }
  readonly modelUsage: Readonly<Record<string, { readonly inputTokens: number; readonly webSearchRequests: number }>>
  readonly total_cost_usd: number
}

describe("WebFetch", () => {
  it("has a small model read the page as Markdown, and gives its answer", async () => {
    const { events, workspace } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    expect(workspace.exists("/workspace")).toBe(true)
    const [result] = toolResultsOf(events())
    expect(result).toMatchObject({ content: "A fish." })
    expect(result).not.toHaveProperty("is_error")
    const output = payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]
    expect(output).toMatchObject({ code: 200, codeText: "OK", result: "A fish.", url: `${origin}/page` })
    const [request] = innerRequests()
    expect(request).toMatchObject({ model: "claude-haiku-5-5", thinking: { type: "disabled" } })
    expect(request).not.toHaveProperty("tools")
    const sent = JSON.stringify(request?.messages)
    expect(sent).toContain("Title: Birds")
    expect(sent).toContain("A perch is a **fish**.")
    expect(sent).not.toContain("no()")
  })

  it("costs what its model's answer costs, beside the turn's own usage", async () => {
    const { result, events, session } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    // The API's usage: 100 tokens in and 10 out a request, unless the script sets others.
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

  it("is no part of the conversation but for its call and result", async () => {
    const { sent } = await finish([{ content: [fetchCall("/page")] }, DONE], {}, SONNET)
    expect(
      sent()
        .at(-1)
        ?.map((message) => message.content.map((block) => block.type)),
    ).toEqual([["text"], ["tool_use"], ["tool_result"]])
  })

  it("reads a page once in a while, and asks about it each time", async () => {
    const uses = [{ content: [fetchCall("/data", "One.")] }, { content: [fetchCall("/data#x", "Two.")] }, DONE]
    const { events } = await finish(uses, {}, SONNET)
    expect(toolResultsOf(events()).map((block) => block.content)).toEqual(["One.", "Two."])
    expect(asked).toEqual(["GET /data"])
    expect(JSON.stringify(innerRequests()[1]?.messages)).toContain(String.raw`{\"birds\":3}`)
  })

  it("begins where it is asked to in a long page, and names where to read on", async () => {
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

  it("reports a redirect to another host, follows one on the same, and asks no model about the first", async () => {
    const uses = [{ content: [fetchCall("/moved")] }, { content: [fetchCall("/near")] }, DONE]
    const { events } = await finish(uses, {}, SONNET)
    const [moved, near] = toolResultsOf(events())
    expect(moved?.content).toContain("https://elsewhere.example.com/there")
    expect(near?.content).toBe("A fish.")
    expect(asked).toEqual(["GET /moved", "GET /near", "GET /page"])
    expect(innerRequests()).toHaveLength(1)
  })

  it.each([
    ["a private address", () => "http://10.0.0.1/", "not a public address"],
    ["an address with a password", () => "http://user:secret@127.0.0.1/", "without a user name or password"],
    ["another scheme", () => "file:///etc/passwd", "Only http and https"],
    ["a picture", () => `${origin}/picture`, "image/png (6 bytes)"],
    ["a page that is not there", () => `${origin}/nothing`, "status 404 Not Found"],
    ["what is no address", () => "perch", "no complete address"],
  ])("refuses %s with the reason", async (_, url, reason) => {
    const use = call("WebFetch", { url: url(), prompt: "What is it?" })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining(reason) })
    expect(innerRequests()).toEqual([])
  })

  it("whose model fails is an error with the reason", async () => {
    const error = { error: { status: 400, type: "invalid_request_error", message: "too odd" } }
    const use = call("WebFetch", { url: `${origin}/data`, prompt: about("", error) })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining("too odd") })
  })

  it("asks the session's own model where the small one is not known", async () => {
    const name = scriptName("page")
    const missing = { error: { status: 404, type: "not_found_error", message: "model: claude-haiku-5-5" } }
    const known = { content: [text("Own.")] }
    opened.api.set(name, {
      allowNoTools: true,
      turns: [known],
      byModel: { "claude-haiku-5-5": missing, "claude-sonnet-4-5": known },
    })
    const use = call("WebFetch", { url: `${origin}/data`, prompt: `[[script:${name}]] What?` })
    const { events } = await finish([{ content: [use] }, DONE], {}, SONNET)
    expect(toolResultsOf(events())[0]?.content).toBe("Own.")
  })

  it("asks with its address, and is allowed and denied by its domain", async () => {
    const turns = () => [{ content: [fetchCall("/page")] }, DONE]
    const { client, events, idle } = await start(turns(), {}, { model: "claude-sonnet-4-5" })
    client.onAsk = () => ({ behavior: "deny", message: "no" })
    await idle()
    expect(client.asked("can_use_tool")[0]?.request).toMatchObject({
      tool_name: "WebFetch",
      description: `${origin}/page`,
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

  it("of a client, outside any turn, is paid and belongs to none", async () => {
    const harness = harnessOf(SONNET)
    const { toolCalls, log, session } = harness.boot()
    const called = await toolCalls.call("WebFetch", { url: `${origin}/data`, prompt: about("Three.") })
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
  it("asks the session's model to search, and gives what was found", async () => {
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

  it("costs ten dollars a thousand searches beside the tokens", async () => {
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

  it("is asked about with its query", async () => {
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

describe("curl in the shell", () => {
  const bash = (command: string) => ({ content: [call("Bash", { command })] })

  it("is not there unless the session allows it", async () => {
    const { events } = await finish([bash(`curl -s ${origin}/data`), DONE], {}, BYPASS)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining("curl") })
    expect(asked).toEqual([])
  })

  it("fetches through the same guard where it does", async () => {
    const options = { ...BYPASS, shell_network: true }
    const script = `curl -s ${origin}/data | jq .birds; curl -s http://169.254.169.254/x; curl -sL ${origin}/moved`
    const { events } = await finish([bash(script), DONE], {}, options)
    expect(asked).toEqual(["GET /data", "GET /moved"])
    expect(String(toolResultsOf(events())[0]?.content)).toMatch(/^(?:Exit code \d+\n)?3\b/)
  })

  it("reaches no host that a WebFetch rule denies", async () => {
    const options = { ...BYPASS, shell_network: true, disallowedTools: ["WebFetch(domain:127.0.0.1)"] }
    const { events } = await finish([bash(`curl -sS ${origin}/data`), DONE], {}, options)
    expect(asked).toEqual([])
    expect(toolResultsOf(events())[0]).toMatchObject({ content: expect.stringContaining("permission rule") })
  })

  it("is not run again after a crash", async () => {
    const harness = harnessOf({ ...BYPASS, shell_network: true })
    const script = scripted([bash(`echo hi > f; curl -s ${origin}/data`), DONE])
    const first = harness.boot()
    harness.onCommit = () => {
      if (harness.twin.sql.exec("SELECT 1 FROM tool_runs").toArray().length > 0) harness.crash()
    }
    prompt(first.session, `[[script:${script}]] go`)
    await first.idle()
    harness.onCommit = () => undefined
    const again = harness.boot()
    await again.idle()
    const events = [...again.log.all()].map(({ event }) => event)
    expect(toolResultsOf(events)[0]).toMatchObject({ is_error: true, content: expect.stringContaining("unknown") })
    expect(again.workspace.exists("/workspace/f")).toBe(false)
  })
})
