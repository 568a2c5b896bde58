import { Effect, Exit, Fiber } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { connectMcp, type ConnectedMcp } from "../../src/mcp/client-server.ts"
import { mcpTool, policyRules } from "../../src/mcp/mcp-tool.ts"
import type { McpToolInfo } from "../../src/schemas/sdk/options/mcp-tools.ts"
import type { Tool } from "../../src/tools/tool.ts"
import { fails, openContext, run } from "../tools/tool-context.ts"
import { calculator, PNG } from "./calculator.ts"
import { pipeTo, scripted, type TestPipe } from "./pipes.ts"

const { context } = openContext()
let calc: ReturnType<typeof calculator>
let test: TestPipe
let server: ConnectedMcp

beforeEach(async () => {
  calc = calculator()
  test = await pipeTo(calc.server)
  server = await Effect.runPromise(connectMcp("calc", test.pipe))
  test.sent.length = 0
})

const tool = (name: string): Tool =>
  mcpTool(
    server,
    server.tools.find((one) => one.name === name)!,
    test.pipe,
  )

/** A tool whose server returns this for every call. */
const giving = (result: unknown, more: Partial<McpToolInfo> = {}, timeout?: number): Tool => {
  const info = { name: "t", inputSchema: { type: "object" }, ...more }
  const connected = { name: "s", tools: [info], ...(timeout === undefined ? {} : { timeout }) }
  return mcpTool(connected, info, scripted(() => ({ result })).pipe)
}
const text = (value: string) => ({ type: "text", text: value })

/** Sent with each call: the ids by which the server recognizes a repeated call. */
const META = (progressToken: number) => ({
  "claudecode/toolUseId": "toolu_test",
  "idempotency-key": "session:toolu_test",
  progressToken,
})

describe("a call of an MCP tool", () => {
  it("is sent to the server with the call's id, and its blocks are returned unchanged", async () => {
    const outcome = await run(tool("add"), { a: 2, b: 40 }, context)
    expect(outcome).toEqual({ content: [text("42")], output: [text("42")] })
    const { message } = test.sent[0] as unknown as { readonly message: { readonly id: number } } // a request
    expect(message).toEqual({
      jsonrpc: "2.0",
      id: message.id,
      method: "tools/call",
      params: {
        name: "add",
        arguments: { a: 2, b: 40 },
        _meta: META(message.id),
      },
    })
    expect(calc.seen).toEqual([{ input: { a: 2, b: 40 }, meta: META(message.id) }])
  })

  it("with invalid input fails with the server's message", async () => {
    const error = await fails(tool("add"), { a: "2", c: 1 }, context)
    expect(error).toMatchObject({ reason: "command_failed", message: expect.stringContaining("-32602") })
  })

  it("with input that is not an object never reaches the server", async () => {
    expect(await fails(tool("add"), null, context)).toMatchObject({
      message: expect.stringContaining("The input is expected as `object` but provided as `null`"),
    })
    expect(test.sent).toEqual([])
  })

  it("that throws or reports a failure is an error with the server's message", async () => {
    expect(await fails(tool("boom"), {}, context)).toMatchObject({ message: "tool exploded" })
    expect(await fails(tool("iserr"), {}, context)).toMatchObject({ reason: "command_failed", message: "bad thing" })
    expect(await fails(giving({ content: [], isError: true }), {}, context)).toMatchObject({
      message: "The tool failed without an explanation.",
    })
  })

  it.each([
    ["two texts", [text("one"), text("two")], "one\ntwo"],
    ["an empty text between others", [text("one"), text(""), text("three")], "one\n\nthree"],
    ["a text and an image", [text("look"), { type: "image", data: PNG, mimeType: "image/png" }], "look"],
    ["a text and a resource", [text("see"), { type: "resource", resource: { uri: "a:b", text: "inner" } }], "see"],
    ["a link", [{ type: "resource_link", uri: "a:b", name: "n" }], "[Resource link: n] a:b"],
    [
      "an image alone",
      [{ type: "image", data: PNG, mimeType: "image/png" }],
      "The tool failed without an explanation.",
    ],
  ])("that failed with %s is an error of its texts and links", async (_, content, message) => {
    expect(await fails(giving({ content, isError: true }), {}, context)).toMatchObject({ message })
  })

  it("of a tool that the server lacks, or that gets no answer, is an error", async () => {
    const gone = mcpTool(server, { name: "gone", inputSchema: { type: "object" } }, test.pipe)
    expect((await fails(gone, {}, context)).message).toMatch(/gone not found/)
    const silent = mcpTool({ name: "s", tools: [] }, { name: "t", inputSchema: {} }, scripted(() => undefined).pipe)
    expect(await fails(silent, {}, context)).toMatchObject({ message: "took too long" })
    expect(await fails(giving("what"), {}, context)).toMatchObject({
      message: "The MCP server returned something that is not a tool result.",
    })
  })

  it("returns an image as base64 with a text that names its source", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }
    const blocks = [text("see it"), image, text("[Image: source: mcp__calc__pic]")]
    expect(await run(tool("pic"), {}, context)).toEqual({ content: blocks, output: blocks })
  })

  it("returns structured content as its JSON text", async () => {
    const json = '{"k":1,"list":["a"]}'
    const extras = { structuredContent: { k: 1, list: ["a"] } }
    expect(await run(tool("struct"), {}, context)).toEqual({ content: json, output: json, extras })
  })

  it("that is abandoned is cancelled at the server", async () => {
    const fiber = Effect.runFork(tool("wait").run({}, context))
    await calc.begun
    const exit = await Effect.runPromise(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)))
    await calc.cancelled
    expect(Exit.isFailure(exit)).toBe(true)
    const [call, cancel] = test.sent as unknown as ReadonlyArray<{ message: { id: number; params: unknown } }> // both
    expect(cancel?.message).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: call?.message.id },
    })
  })

  it("has the configured time limit, or an hour", async () => {
    const sent = async (timeout?: number) => {
      const { pipe, sent: messages } = scripted(() => ({ result: { content: [] } }))
      const connected = { name: "s", tools: [], ...(timeout === undefined ? {} : { timeout }) }
      await run(mcpTool(connected, { name: "t", inputSchema: {} }, pipe), {}, context)
      return messages[0]?.timeoutMs
    }
    expect([await sent(), await sent(5000), await sent(1e12)]).toEqual([3_600_000, 5000, 86_400_000])
  })
})

describe("content without a form in a tool result becomes text", () => {
  const block = async (content: unknown): Promise<unknown> =>
    (await run(giving({ content: [content] }), {}, context)).content

  it.each<[string, unknown, unknown]>([
    ["an empty text", text(""), "(The tool returned no output.)"],
    ["a blank text", text(" \n"), "(The tool returned no output.)"],
    [
      "audio",
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      [
        text(
          "[Audio from s] Binary content (audio/wav, 3 bytes) saved to /workspace/.perch/tool-results/toolu_test-0.wav",
        ),
      ],
    ],
    [
      "a link",
      { type: "resource_link", uri: "file:///a.txt", name: "a.txt", description: "The letter" },
      [text("[Resource link: a.txt] file:///a.txt (The letter)")],
    ],
    [
      "a resource of text",
      { type: "resource", resource: { uri: "mem:a", text: "hello" } },
      [text("[Resource from s at mem:a] hello")],
    ],
    [
      "a resource of other bytes",
      { type: "resource", resource: { uri: "mem:a", mimeType: "application/zip", blob: "AAAA" } },
      [
        text(
          "[Resource from s at mem:a] Binary content (application/zip, 3 bytes) saved to " +
            "/workspace/.perch/tool-results/toolu_test-0.zip",
        ),
      ],
    ],
    [
      "audio that is not valid base64",
      { type: "audio", data: "no!", mimeType: "audio/wav" },
      [text("[Audio from s] Its content (audio/wav) is not valid base64")],
    ],
    [
      "a resource without content",
      { type: "resource", resource: { uri: "mem:a", mimeType: "application/zip" } },
      [text("[Resource from s at mem:a: application/zip, which can't be shown here]")],
    ],
    [
      "a resource that is an image",
      { type: "resource", resource: { uri: "mem:a", mimeType: "image/png", blob: PNG } },
      [
        text("[Resource from s at mem:a]"),
        { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
        text("[Image: source: mem:a]"),
      ],
    ],
    [
      "an image of another kind",
      { type: "image", data: "AAAA", mimeType: "image/tiff" },
      [text("[Image of type image/tiff from mcp__s__t: it can't be shown here, it is not PNG, JPEG, GIF or WebP]")],
    ],
    ["a block of tomorrow", { type: "smell", data: "rose" }, [text("[A block of a kind that is not known here]")]],
    ["no block", 7, [text("[A block of a kind that is not known here]")]],
  ])("%s", async (_, content, expected) => {
    expect(await block(content)).toEqual(expected)
  })

  it("an image has the type of its bytes, not the one that the server declares", async () => {
    expect(await block({ type: "image", data: PNG, mimeType: "image/jpeg" })).toMatchObject([
      { source: { media_type: "image/png" } },
      {},
    ])
    expect(await block({ type: "image", data: `${PNG.slice(0, -3)}!==`, mimeType: "image/png" })).toMatchObject([
      { type: "text" },
    ])
  })

  it("structured content with an image is not lost", async () => {
    const content = [{ type: "image", data: PNG, mimeType: "image/png" }]
    expect((await run(giving({ content, structuredContent: { k: 1 } }), {}, context)).content).toMatchObject([
      { type: "image" },
      { type: "text" },
      text('{"k":1}'),
    ])
  })
})

describe("content that is too long", () => {
  it("is returned complete, as texts and as structured content: the session saves it", async () => {
    const content = [text("a".repeat(60_000)), text("b".repeat(60_000)), text("c".repeat(10))]
    expect((await run(giving({ content }), {}, context)).content).toEqual(content)
    const structuredContent = { a: "x".repeat(200_000) }
    expect((await run(giving({ structuredContent }), {}, context)).content).toBe(JSON.stringify(structuredContent))
  })

  it("is truncated, and the rest counted: error messages and the number of blocks", async () => {
    const { message } = await fails(giving({ content: [text("x".repeat(200_000))], isError: true }), {}, context)
    expect(message).toMatch(/x\n\(Output cut here: 100000 more characters\.\)$/)
    const many = Array.from({ length: 5000 }, () => text("."))
    const { content } = await run(giving({ content: many }), {}, context)
    expect(content.length).toBe(201)
    expect(content.at(-1)).toEqual(text("(4800 more blocks were left out.)"))
  })

  it("images that are too large, or too many, become a text", async () => {
    const image = (length: number) => ({
      type: "image",
      data: PNG.slice(0, 12).padEnd(length, "A"),
      mimeType: "image/png",
    })
    const { content } = await run(
      giving({ content: [image(6_000_000), image(4_800_000), image(4_800_000), image(4_800_000)] }),
      {},
      context,
    )
    expect(
      (content as ReadonlyArray<{ type: string; text?: string }>).map((block) => block.text ?? block.type), // blocks
    ).toEqual([
      "[Image of type image/png from mcp__s__t: it can't be shown here, it is too large]",
      "image",
      "[Image: source: mcp__s__t]",
      "image",
      "[Image: source: mcp__s__t]",
      "[An image was left out: the result has too many]",
      "[Image: source: mcp__s__t]",
    ])
  })

  it("structured content that is too deep to be serialized becomes a text", async () => {
    const deep: Record<string, unknown> = {}
    let at = deep
    for (let level = 0; level < 100_000; level++) at = at["a"] = {} as Record<string, unknown>
    expect((await run(giving({ structuredContent: deep }), {}, context)).content).toBe(
      "(structured content that is too deep to be shown)",
    )
  })
})

describe("the description of a tool", () => {
  it("carries its server, its display name and its schema", () => {
    expect(tool("add")).toMatchObject({
      name: "mcp__calc__add",
      display: "Add",
      serverTool: "add",
      mcpServer: { name: "calc", source: "sdk" },
      description: "Adds two numbers",
      inputSchema: { type: "object", required: ["a", "b"] },
    })
    expect(giving({}, { name: "get_the.thing", title: "Get it!" })).toMatchObject({
      name: "mcp__s__get_the_thing",
      display: "Get it!",
    })
    expect(giving({}, { name: "get_the-thing.now" }).display).toBe("Get The-Thing Now")
  })

  it("allows parallel calls if the server declares that they only read, but never without permission", () => {
    const facts = (annotations: McpToolInfo["annotations"] | null) => {
      const one = giving({}, annotations === null || annotations === undefined ? {} : { annotations })
      return {
        readOnly: one.readOnly({}),
        concurrent: one.concurrent?.({}),
        outside: one.hasOutsideEffects({}),
        destructive: one.destructive,
        internal: one.internal === true,
      }
    }
    const base = { readOnly: false, internal: false }
    expect(facts(null)).toEqual({ ...base, concurrent: false, outside: true, destructive: true })
    expect(facts({ readOnlyHint: true })).toEqual({ ...base, concurrent: true, outside: false, destructive: false })
    expect(facts({ idempotentHint: true })).toEqual({ ...base, concurrent: false, outside: true, destructive: true })
    expect(facts({ destructiveHint: false })).toEqual({ ...base, concurrent: false, outside: true, destructive: false })
  })

  it("leaves references, nulls and formats of its schema to the server", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        who: { $ref: "#/$defs/name" },
        note: { type: ["string", "null"] },
        day: { type: "string", format: "date" },
      },
      required: ["who", "note"],
      $defs: { name: { type: "string", minLength: 1 } },
    }
    const one = giving({ content: [text("ok")] }, { inputSchema })
    expect((await run(one, { who: "me", note: null, day: "2026-02-28" }, context)).content).toEqual([text("ok")])
    expect((await run(one, { who: "", note: 1, day: "2026-02-30" }, context)).content).toEqual([text("ok")])
  })

  it("throws for a schema that would have been omitted when connecting", () => {
    expect(() => giving({}, { inputSchema: { type: "array" } })).toThrow("#: root-object-required")
  })
})

it("turns policies into rules, and an organisation's ceiling takes precedence", () => {
  expect(
    policyRules("my server", [
      { name: "a", permission_policy: "always_allow" },
      { name: "b", permission_policy: "always_allow", org_max_permission: "ask" },
      { name: "c", permission_policy: "always_ask" },
      { name: "d", permission_policy: "always_deny" },
      { name: "e" },
    ]),
  ).toEqual({ allow: ["mcp__my_server__a"], ask: ["mcp__my_server__b", "mcp__my_server__c"] })
})
