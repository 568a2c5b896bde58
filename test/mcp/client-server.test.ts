import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { connectMcp, type ConnectedMcp, McpPipeError } from "../../src/mcp/client-server.ts"
import type { McpServerToolPolicy } from "../../src/schemas/sdk/options/mcp-config.ts"
import { calculator } from "./calculator.ts"
import { HELLO, listing, pipeTo, scripted, type TestPipe } from "./pipes.ts"

const connect = ({ pipe }: TestPipe, policies?: ReadonlyArray<McpServerToolPolicy>): Promise<ConnectedMcp> =>
  Effect.runPromise(connectMcp("s", pipe, policies))
const refusal = async ({ pipe }: TestPipe): Promise<unknown> =>
  Effect.runPromise(Effect.flip(connectMcp("s", pipe))).then((error) =>
    error instanceof McpPipeError ? error.message : error,
  )
const object = { type: "object", properties: {} }
const methods = ({ sent }: TestPipe) => sent.map(({ message }) => ("method" in message ? message.method : "answer"))

describe("initializing a server", () => {
  it("of the official SDK returns its name and its tools with their schemas", async () => {
    const test = await pipeTo(calculator().server)
    const connected = await Effect.runPromise(connectMcp("calc", test.pipe))
    expect(methods(test)).toEqual(["initialize", "notifications/initialized", "tools/list"])
    expect(connected).toMatchObject({ name: "calc", serverInfo: { name: "calc", version: "1.0.0" }, refused: [] })
    expect(connected.tools.map((tool) => tool.name)).toEqual(["add", "boom", "iserr", "pic", "struct", "wait"])
    expect(connected.tools[0]).toMatchObject({
      description: "Adds two numbers",
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a", "b"] },
    })
    expect(connected.tools.at(-1)?.annotations).toEqual({ readOnlyHint: true })
    expect(JSON.parse(JSON.stringify(connected))).toEqual(connected)
  })

  it("that has no tools gets no request for them", async () => {
    const test = await pipeTo(new McpServer({ name: "empty", version: "1" }, { instructions: "Say little." }))
    expect(await connect(test)).toEqual({
      name: "s",
      serverInfo: { name: "empty", version: "1" },
      instructions: "Say little.",
      tools: [],
      refused: [],
    })
    expect(methods(test)).toEqual(["initialize", "notifications/initialized"])
  })

  it("keeps a configured time limit of calls, and ignores one below a second", async () => {
    const { pipe } = listing([])
    expect((await Effect.runPromise(connectMcp("s", pipe, [], 5000))).timeout).toBe(5000)
    expect(await Effect.runPromise(connectMcp("s", pipe, [], 999))).not.toHaveProperty("timeout")
  })

  it.each<[string, TestPipe, string]>([
    ["that answers with an error", scripted(() => ({ error: { code: -1, message: "closed today" } })), "closed today"],
    ["that never answers", scripted(() => undefined), "took too long"],
    [
      "that answers with something else",
      scripted(() => ({ result: { hello: true } })),
      "The server answered initialize with a result that does not conform to MCP.",
    ],
    [
      "that uses a version of tomorrow",
      scripted(() => ({ result: { ...HELLO.result, protocolVersion: "2099-01-01" } })),
      "The server responded with MCP 2099-01-01, which Perch does not support.",
    ],
    [
      "whose list is none",
      scripted((method) => (method === "initialize" ? HELLO : { result: { tools: "all" } })),
      "The server answered tools/list with a result that does not conform to MCP.",
    ],
  ])("fails for one %s", async (_, test, message) => {
    expect(await refusal(test)).toBe(message)
  })

  it("truncates the message of an error", async () => {
    const error = await refusal(scripted(() => ({ error: { code: -1, message: "x".repeat(100_000) } })))
    expect(String(error).length).toBe(2001)
  })
})

describe("the list of tools", () => {
  it("is read page by page", async () => {
    const pages: Record<string, unknown> = {
      "": { tools: [{ name: "a", inputSchema: object }], nextCursor: "2" },
      "2": { tools: [{ name: "b", inputSchema: object }], nextCursor: "3" },
      "3": { tools: [{ name: "c", inputSchema: object }] },
    }
    const test = scripted((method, { cursor = "" }) =>
      method === "initialize" ? HELLO : { result: pages[String(cursor)] },
    )
    expect((await connect(test)).tools.map((tool) => tool.name)).toEqual(["a", "b", "c"])
  })

  it("ends at a repeated cursor, and after fifty pages", async () => {
    const again = scripted((method) => (method === "initialize" ? HELLO : { result: { tools: [], nextCursor: "x" } }))
    expect((await connect(again)).tools).toEqual([])
    expect(again.sent.length).toBe(4)
    let page = 0
    const endless = scripted((method) =>
      method === "initialize" ? HELLO : { result: { tools: [], nextCursor: String(page++) } },
    )
    await connect(endless)
    expect(page).toBe(50)
  })

  it("has at most five hundred tools per server", async () => {
    const many = Array.from({ length: 700 }, (_, index) => ({ name: `t${index}`, inputSchema: object }))
    const { tools, refused = [] } = await connect(listing(many))
    expect(tools.length).toBe(500)
    expect(refused.length).toBe(100)
    expect(refused[0]).toEqual({ name: "t500", reason: "exceeds the maximum of 500 tools per server" })
  })

  it("has at most two mebibytes of descriptions and schemas", async () => {
    const properties = { a: { description: "x".repeat(60_000) } }
    const large = Array.from({ length: 50 }, (_, index) => ({ name: `t${index}`, inputSchema: { properties } }))
    const { tools, refused = [] } = await connect(listing(large))
    expect(tools.length).toBe(34)
    expect(refused[0]?.reason).toMatch(/are too large together/)
  })

  it("omits each unusable tool, with the reason, and keeps the others", async () => {
    const deep: Record<string, unknown> = {}
    let at = deep
    for (let level = 0; level < 100_000; level++) at = at["properties"] = {} as Record<string, unknown>
    const { tools, refused } = await connect(
      listing([
        { name: "good", inputSchema: object, extra: 1 },
        { name: "list", inputSchema: { type: "array" } },
        { name: "remote", inputSchema: { properties: { a: { $ref: "https://example.com/x" } } } },
        { name: "large", inputSchema: { properties: { a: { description: "x".repeat(70_000) } } } },
        { name: "deep", inputSchema: deep },
        { name: "a.b", inputSchema: object },
        { name: "a_b", inputSchema: object },
        { name: "n".repeat(130), inputSchema: object },
        { name: "", inputSchema: object },
        { name: "no schema" },
        "no tool",
      ]),
    )
    expect(tools.map((tool) => tool.name)).toEqual(["good", "a.b"])
    expect(refused?.map(({ name, reason }) => [name.slice(0, 9), reason])).toEqual([
      ["list", "has a schema that can't be used: #: root-object-required"],
      ["remote", "has a schema that can't be used: #/properties/a: remote-ref-unsupported"],
      ["large", "has a schema of more than 65536 bytes"],
      ["deep", "does not fit: the tools of this server are too large together"],
      ["a_b", "has the name mcp__s__a_b, which another tool of this server has too"],
      ["nnnnnnnnn", "would have a name that is empty or longer than 128"],
      ["", "would have a name that is empty or longer than 128"],
      ["no schema", "does not conform to MCP's definition of a tool"],
      ["(without ", "does not conform to MCP's definition of a tool"],
    ])
  })

  it("has no tool that a policy denies", async () => {
    const { tools, refused } = await connect(
      listing(["a", "b", "c", "d"].map((name) => ({ name, inputSchema: object }))),
      [
        { name: "a", permission_policy: "always_deny" },
        { name: "b", permission_policy: "always_allow", org_max_permission: "blocked" },
        { name: "c", permission_policy: "always_ask" },
      ],
    )
    expect(tools.map((tool) => tool.name)).toEqual(["c", "d"])
    expect(refused).toEqual(["a", "b"].map((name) => ({ name, reason: "is denied by the policy of its server" })))
  })
})
