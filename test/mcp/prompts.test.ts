// Prompts of MCP servers: what is listed, the arguments of a call, and the use of the answer.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as z from "zod"
import { expandPrompt, listPrompts, promptCommand, promptHint } from "../../src/mcp/prompts.ts"
import type { McpPromptInfo } from "../../src/schemas/sdk/options/mcp-prompts.ts"
import { PNG } from "./calculator.ts"
import { pipeTo, scripted, type TestPipe } from "./pipes.ts"

const GREET: McpPromptInfo = { name: "greet", arguments: [{ name: "who", required: true }, { name: "how" }] }

const expanded = (pipe: TestPipe, text: string, prompt = GREET) =>
  Effect.runPromise(expandPrompt("far", prompt, pipe.pipe, text))

/** A server that answers every `prompts/get` with these messages. */
const saying = (...contents: ReadonlyArray<unknown>): TestPipe =>
  scripted(() => ({ result: { messages: contents.map((content) => ({ role: "user", content })) } }))

describe("prompts", () => {
  it("of a server of the official SDK are listed and become messages", async () => {
    const official = new McpServer({ name: "notes", version: "1.0.0" })
    const about = { title: "Greeting", description: "Greets", argsSchema: { who: z.string() } }
    official.registerPrompt("greet", about, ({ who }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }],
    }))
    const server = await pipeTo(official)
    const [greet] = await Effect.runPromise(listPrompts(server.pipe))
    expect(greet).toEqual({
      name: "greet",
      title: "Greeting",
      description: "Greets",
      arguments: [{ name: "who", required: true }],
    })
    expect(await expanded(server, "Ada", greet)).toEqual([{ type: "text", text: "Greet Ada" }])
  })

  it("that are invalid, or have no usable name, are omitted, and a server that fails has none", async () => {
    const listed = ["x", { name: 1 }, { name: "" }, { name: "n".repeat(201) }, { name: "a", arguments: [] }]
    const { pipe } = scripted(() => ({ result: { prompts: listed } }))
    expect(await Effect.runPromise(listPrompts(pipe))).toEqual([{ name: "a", arguments: [] }])
    const broken = scripted(() => ({ error: { code: -32603, message: "no" } }))
    expect(await Effect.runPromise(listPrompts(broken.pipe))).toEqual([])
  })

  it("have commands of characters that a command may have, and a hint of their arguments", () => {
    expect(promptCommand("my server", { name: "two words" })).toBe("mcp__my_server__two_words")
    expect(promptHint(GREET)).toBe("who [how]")
  })
})

describe("the arguments of a prompt", () => {
  it.each([
    ["Ada", { who: "Ada" }],
    ["Ada warmly", { who: "Ada", how: "warmly" }],
    ['Ada "very loudly"', { who: "Ada", how: '"very' }],
    ["  a\tb  c d", { who: "a", how: "b" }],
  ])("%j are words in their order", async (text, given) => {
    const server = saying({ type: "text", text: "hello" })
    await expanded(server, text)
    expect(server.sent[0]?.message).toMatchObject({
      method: "prompts/get",
      params: { name: "greet", arguments: given },
    })
  })

  it("that are missing are reported, and the server is not called", async () => {
    const server = saying()
    expect(await expanded(server, " ")).toEqual({
      fault: "Missing required argument: who. Usage: /mcp__far__greet who [how]",
    })
    expect(server.sent).toEqual([])
  })
})

describe("the answer to a prompt", () => {
  it("becomes texts, images and resources, whatever the roles", async () => {
    const server = saying(
      { type: "text", text: "one" },
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:1", text: "milk" } },
    )
    expect(await expanded(server, "Ada")).toEqual([
      { type: "text", text: "one" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "text", text: "[Image: source: mcp__far__greet]" },
      { type: "text", text: "[Resource from far at a:1] milk" },
    ])
  })

  it("is an error when it is an error, empty, or missing", async () => {
    const broken = scripted(() => ({ error: { code: -32602, message: "who is that?" } }))
    expect(await expanded(broken, "Ada")).toEqual({ fault: "The MCP server far: who is that?" })
    expect(await expanded(saying(), "Ada")).toEqual({ fault: "The MCP server far returned an empty prompt." })
    const odd = scripted(() => ({ result: { messages: 1 } }))
    expect(await expanded(odd, "Ada")).toMatchObject({ fault: expect.stringContaining("does not conform to MCP") })
    expect(
      await expanded(
        scripted(() => undefined),
        "Ada",
      ),
    ).toMatchObject({ fault: expect.stringContaining("too long") })
  })

  it("is truncated if it is too long", async () => {
    const long = await expanded(saying({ type: "text", text: "x".repeat(300_000) }), "Ada")
    expect(JSON.stringify(long).length).toBeLessThan(101_000)
  })
})
