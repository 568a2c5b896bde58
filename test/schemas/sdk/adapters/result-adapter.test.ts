// A tool's result in every vocabulary and back: SDK, MCP, and the plain forms; and a tool that is called over MCP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { type CallToolResult, CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js"
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ToolErrorReason } from "../../../../src/schemas/sdk/tools/tool-error-reason.ts"
import {
  fromErrorText,
  fromPlainContent,
  toErrorText,
  toPlainContent,
  PLAIN_OUTPUTS,
  toPlainOutput,
} from "../../../../src/schemas/sdk/adapters/plain-results.ts"
import {
  fromCallToolResult,
  fromSdkResult,
  toCallToolResult,
  type ToolResult,
  toSdkResult,
} from "../../../../src/schemas/sdk/adapters/result-adapter.ts"
import { mcpToolConfig, registerTool } from "../../../../src/schemas/sdk/adapters/tool-adapter.ts"
import { builtInTools } from "../../../../src/tools/registry.ts"
import type { SchemaTool } from "../../../../src/tools/make-tool.ts"
import type { ToolContext } from "../../../../src/tools/tool.ts"
import { fails, openContext, run, runAndCommit } from "../../../tools/tool-context.ts"

const text = fc.string({ unit: "binary", maxLength: 40 })
const base64 = fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes).toString("base64"))
const imageType = fc.constantFrom("image/png", "image/jpeg", "image/gif", "image/webp")
const textBlock = text.map((value) => ({ type: "text", text: value }))
const imageBlock = fc
  .tuple(imageType, base64)
  .map(([media_type, data]) => ({ type: "image", source: { type: "base64", media_type, data } }))
const documentBlock = fc.oneof(
  base64.map((data) => ({ type: "document", source: { type: "base64", media_type: "application/pdf", data } })),
  text.map((data) => ({ type: "document", source: { type: "text", media_type: "text/plain", data } })),
)

/** JSON that round-trips as text. */
const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)))
const result: fc.Arbitrary<ToolResult> = fc
  .record({
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock, documentBlock), { maxLength: 4 })),
    failed: fc.constantFrom(undefined, true, false),
    output: fc.oneof(json, fc.constant(undefined)),
  })
  .map(({ content, failed, output }) => ({ content, output, ...(failed === undefined ? {} : { is_error: failed }) }))

/** A result without what result-adapter.ts lists as lost. */
const kept = ({ content, is_error, output }: ToolResult): ToolResult => {
  const only = typeof content === "string" ? undefined : content[0]
  const one = content.length === 1 && only?.["type"] === "text" ? String(only["text"]) : content
  return { content: one, output, ...(is_error === true ? { is_error } : {}) }
}

describe("a result", () => {
  it("round-trips through the SDK's form", () => {
    fc.assert(
      fc.property(result, fc.string(), (given, id) => {
        expect(fromSdkResult(toSdkResult(id, given))).toEqual(given)
        expect(toSdkResult(id, given).block).toMatchObject({ type: "tool_result", tool_use_id: id })
      }),
      { numRuns: 500 },
    )
  })

  it("round-trips through MCP's form, as JSON and with MCP's own schema, except for what is listed", () => {
    fc.assert(
      fc.property(result, (given) => {
        // MCP's own schema drops a key with this name.
        fc.pre(!JSON.stringify(given).includes('"__proto__"'))
        const sent = CallToolResultSchema.parse(JSON.parse(JSON.stringify(toCallToolResult(given))))
        expect(fromCallToolResult(sent)).toEqual(kept(given))
      }),
      { numRuns: 2000 },
    )
  })

  it("of another server becomes text if the Messages API has no block for it", () => {
    const foreign: CallToolResult = {
      content: [
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
        { type: "image", data: "AAAA", mimeType: "image/tiff" },
        { type: "resource_link", uri: "https://example.com/a", name: "a" },
        { type: "resource", resource: { uri: "file:///a.zip", blob: "AAAA", mimeType: "application/zip" } },
        { type: "resource", resource: { uri: "file:///a.png", blob: "AAAA", mimeType: "image/png" } },
        { type: "resource", resource: { uri: "file:///a.txt", text: "hello" } },
      ],
    }
    expect(fromCallToolResult(foreign).content).toEqual([
      { type: "text", text: "[audio of type audio/wav: it can't be shown here]" },
      { type: "text", text: "[an image of type image/tiff: it can't be shown here]" },
      { type: "text", text: "[a at https://example.com/a: it can't be shown here]" },
      { type: "text", text: "[file:///a.zip of type application/zip: it can't be shown here]" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "hello" } },
    ])
  })

  it("with an image by URL keeps the URL", () => {
    const block = { type: "image", source: { type: "url", url: "https://example.com/a.png" } }
    expect(toCallToolResult({ content: [block], output: undefined }).content).toEqual([
      { type: "text", text: JSON.stringify(block) },
    ])
  })
})

describe("the plain forms", () => {
  it("round-trip text and images", () => {
    const content = fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 4 }))
    fc.assert(
      fc.property(content, (given) => {
        expect(fromPlainContent(toPlainContent(given))).toEqual(kept({ content: given, output: null }).content)
      }),
      { numRuns: 500 },
    )
  })

  it("write errors as `Error (<reason>): message`, and parse them", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ToolErrorReason.literals), text, (reason, message) => {
        expect(toErrorText({ reason, message })).toBe(`Error (${reason}): ${message}`)
        expect(fromErrorText(toErrorText({ reason, message }))).toEqual({ reason, message })
      }),
      { numRuns: 500 },
    )
    expect(fromErrorText("Error (no_such_reason): x")).toBeUndefined()
    expect(fromErrorText("It failed")).toBeUndefined()
  })

  it("contain the results of the workspace tools", async () => {
    const { context, knownFiles } = openContext()
    const call = async (name: string, input: unknown) => {
      const { content, output, isError } = await runAndCommit(tool(name), input, context)
      const given: ToolResult = { content, output, ...(isError === undefined ? {} : { is_error: isError }) }
      const plain = toPlainOutput(name, given)
      if (plain !== undefined) expect(Schema.is(PLAIN_OUTPUTS[name]!)(plain)).toBe(true)
      return plain
    }
    expect(await call("Write", { file_path: "a.txt", content: "a\nb\na\n" })).toEqual({
      message: expect.stringContaining("Created /workspace/a.txt"),
      file_path: "/workspace/a.txt",
      bytes_written: 6,
    })
    expect(await call("Write", { file_path: "é.txt", content: "é" })).toMatchObject({ bytes_written: 2 })
    const todos = [{ content: "Look", status: "pending", activeForm: "Looking" }]
    expect(await call("TodoWrite", { todos })).toEqual({ message: expect.stringContaining("1 item"), todos_count: 1 })
    expect(await call("Bash", { command: "seq 20000" })).toMatchObject({ exitCode: 0, truncated: true })
    knownFiles.add("/workspace/a.txt")
    expect(await call("Read", { file_path: "a.txt", limit: 2 })).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("a") }],
      lines_returned: 2,
      truncated: true,
    })
    const edited = await call("Edit", { file_path: "a.txt", old_string: "a", new_string: "c", replace_all: true })
    expect(edited).toMatchObject({ replacements: 2, diff: expect.stringContaining("-a") })
    expect(await call("Grep", { pattern: "c" })).toEqual({ mode: "files_with_matches", files: ["a.txt"], total: 1 })
    expect(await call("Grep", { pattern: "c", output_mode: "count" })).toMatchObject({ mode: "count", total: 2 })
    expect(await call("Grep", { pattern: "c", output_mode: "content" })).toMatchObject({ mode: "content", total: 2 })
    expect(await call("Glob", { pattern: "a*.txt" })).toMatchObject({ total: 1 })
    expect(await call("Bash", { command: "echo hi" })).toEqual({ output: "hi", exitCode: 0 })
    expect(await call("Bash", { command: "echo no; exit 3" })).toEqual({ output: "no", exitCode: 3 })
    expect(await call("LS", { path: "/workspace" })).toBeUndefined()
    const missing = await fails(tool("Read"), { file_path: "b.txt" }, context)
    expect(toErrorText(missing)).toMatch(/^Error \(not_found\): There is no file/)
  })
})

describe("the plain forms of results that no workspace produces", () => {
  const bash = { stdout: "", stderr: "", interrupted: false }
  const search = {
    query: "q q",
    durationSeconds: 1,
    results: ["Two pages.", { tool_use_id: "s", content: [{ title: "T", url: "https://e.org" }] }],
  }
  const page = { bytes: 9, code: 200, codeText: "OK", result: "A page.", durationMs: 3, url: "https://example.com/" }
  const table = [
    ["Bash", "It runs.", { ...bash, backgroundTaskId: "b1" }, { output: "It runs.", exitCode: 0, shellId: "b1" }],
    ["Bash", "Much.", { ...bash, persistedOutputPath: "/x" }, { output: "Much.", exitCode: 0, truncated: true }],
    ["WebFetch", "A page.", page, { content: "A page.", url: "https://example.com/" }],
    [
      "WebFetch",
      "Moved.",
      { ...page, code: 301 },
      { content: "A page.", url: "https://example.com/", redirected: true },
    ],
    ["WebSearch", "Two.", search, { query: "q q", results: [{ title: "T", url: "https://e.org" }], total_results: 1 }],
    ["WebSearch", "None.", { ...search, results: [] }, { query: "q q", results: [], total_results: 0 }],
  ] as const
  it.each(table)("%s: %s", (name, content, output, plain) => {
    expect(toPlainOutput(name, { content, output })).toEqual(plain)
    expect(Schema.is(PLAIN_OUTPUTS[name]!)(plain)).toBe(true)
    if (name !== "Bash")
      expect(toPlainOutput(name, { content, output: `Error: ${content}`, is_error: true })).toBeUndefined()
  })
})

const tool = (name: string): SchemaTool => builtInTools.find((one) => one.name === name)!

const adaptable = (one: SchemaTool, withSchema: boolean) => ({
  name: one.name,
  description: one.description,
  inputSchema: one.inputSchema,
  ...(withSchema ? { schema: one.agentSchema.source } : {}),
  readOnly: !one.destructive,
  destructive: one.destructive,
  idempotent: one.idempotent,
})

/** A client of a server that has every built-in tool. */
const connect = async (context: ToolContext, withSchema = true) => {
  const server = new McpServer({ name: "test", version: "1" })
  const sent: Array<ToolResult> = []
  for (const one of builtInTools) {
    registerTool(server, adaptable(one, withSchema), async (input) => {
      const { content, output, isError } = await run(one, input, context)
      const given: ToolResult = { content, output, ...(isError === undefined ? {} : { is_error: isError }) }
      sent.push(given)
      return given
    })
  }
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: "test", version: "1" })
  await Promise.all([server.connect(far), client.connect(near)])
  return { client, sent }
}

describe("a tool over MCP", () => {
  it.each([true, false])("is called, and its result arrives complete (Effect Schema: %s)", async (withSchema) => {
    const { context, workspace } = openContext()
    workspace.writeBytes("/workspace/notes.txt", new TextEncoder().encode("one\ntwo\nthree\n"))
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    )
    workspace.writeBytes("/workspace/dot.png", new Uint8Array(png))
    const { client, sent } = await connect(context, withSchema)
    const input = fc.oneof(
      fc.record({
        name: fc.constant("Read"),
        arguments: fc.record({
          file_path: fc.constantFrom("notes.txt", "/workspace/notes.txt", "dot.png"),
          offset: fc.integer({ min: 1, max: 3 }),
        }),
      }),
      fc.record({
        name: fc.constant("Grep"),
        arguments: fc.record({
          pattern: fc.constantFrom("o", "t.*e", "x"),
          output_mode: fc.constantFrom("content", "files_with_matches", "count"),
          "-n": fc.boolean(),
        }),
      }),
      fc.record({
        name: fc.constant("Bash"),
        arguments: fc.record({ command: fc.constantFrom("cat notes.txt", "exit 2", "echo error >&2; false") }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(input, async (params) => {
        const received = (await client.callTool(params)) as CallToolResult // the SDK's type also has an older form
        const given = sent.pop()
        expect(fromCallToolResult(received)).toEqual(kept(given!))
      }),
      { numRuns: 60 },
    )
    await client.close()
  })

  it("is rejected with the errors before it is called", async () => {
    const { client, sent } = await connect(openContext().context)
    for (const input of [{}, { file_path: 1 }, { file_path: "a", more: true }, { file_path: "a", offset: 1.5 }]) {
      expect(await client.callTool({ name: "Read", arguments: input })).toMatchObject({ isError: true })
    }
    expect(sent).toEqual([])
    await client.close()
  })

  it("has matching hints", () => {
    const hints = (name: string) => mcpToolConfig(adaptable(tool(name), true)).annotations
    expect(hints("Read")).toEqual({ readOnlyHint: true, openWorldHint: false })
    expect(hints("Bash")).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    })
  })
})
