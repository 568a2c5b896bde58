// Resources of a session's MCP servers, through the whole loop: the tools that list and read them, how files and images are
// returned, and rules about the server.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { PNG } from "../../mcp/calculator.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call } from "../../support/session/scripts.ts"

const { finish } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const withServer = (more: SessionOptions = {}, type: "http" | "sse" = "http"): SessionOptions => ({
  permission_prompts: "deny",
  mcpServers: { far: { type, url: server[type] } },
  ...more,
})
const list = (input: Readonly<Record<string, unknown>> = {}) => call("ListMcpResourcesTool", input)
const read = (uri: string, name = "far") => call("ReadMcpResourceTool", { server: name, uri })
const oneByOne = (...calls: ReadonlyArray<ReturnType<typeof call>>) => [
  ...calls.map((one) => ({ content: [one] })),
  DONE,
]
const toolsOf = (events: Parameters<typeof payloadsOf>[0]) => payloadsOf(events, "sdk:system/init")[0]?.["tools"]

describe.each(["http", "sse"] as const)("resources of a server of type %s", (type) => {
  it("are listed and read without an ask, in the SDK's shapes", async () => {
    const { events } = await finish(
      oneByOne(list(), list({ server: "nope" }), read("notes://one"), read("notes://none"), read("notes://gone")),
      {},
      withServer({}, type),
    )
    const offered = ["ListMcpResourcesTool", "ReadMcpResourceTool", "ReadMcpResourceDirTool"]
    expect(toolsOf(events())).toEqual(expect.arrayContaining(offered))
    const [all, nope, one, none, gone] = toolResultsOf(events())
    expect(JSON.parse(String(all?.content))).toContainEqual({
      uri: "notes://one",
      name: "one",
      description: "The first note",
      mimeType: "text/plain",
      server: "far",
    })
    expect(JSON.parse(String(all?.content))).toContainEqual({
      uri: "notes://data",
      name: "data",
      title: "All data",
      size: 4,
      annotations: { audience: ["user"], priority: 0.5 },
      server: "far",
    })
    expect(nope).toMatchObject({ is_error: true, content: 'Server "nope" not found. Available servers: far' })
    expect(JSON.parse(String(one?.content))).toEqual({
      contents: [{ uri: "notes://one", mimeType: "text/plain", text: "Remember the milk." }],
    })
    expect(none).toMatchObject({
      is_error: true,
      content: expect.stringContaining("there is no resource notes://none"),
    })
    // As in the official SDK: a resource that the server says does not exist is a result.
    expect(gone?.is_error).toBeUndefined()
    expect(gone?.content).toMatch(/^There is no resource notes:\/\/gone, or not any more/)
    expect(payloadsOf(events(), "sdk:user").at(-1)?.["tool_use_result"]).toEqual({ contents: [], error: gone?.content })
  })
})

describe.each(["http", "sse"] as const)("a directory of a server of type %s", (type) => {
  it("is listed without an ask, in the SDK's shape", async () => {
    const directory = (uri: string, name = "far") => call("ReadMcpResourceDirTool", { server: name, uri })
    const { events } = await finish(
      oneByOne(directory("skill://tidy"), directory("skill://none"), directory("skill://tidy", "nope")),
      {},
      withServer({}, type),
    )
    const [tidy, none, nope] = toolResultsOf(events())
    expect(JSON.parse(String(tidy?.content))).toEqual({
      resources: [
        { uri: "skill://tidy/SKILL.md", name: "SKILL.md", mimeType: "text/markdown" },
        { uri: "skill://tidy/lists", name: "lists", mimeType: "inode/directory" },
      ],
    })
    expect(none).toMatchObject({ is_error: true, content: expect.stringContaining("no directory skill://none") })
    expect(nope).toMatchObject({ is_error: true, content: 'Server "nope" not found. Available servers: far' })
  })
})

describe("content that is not text", () => {
  it("is saved as a file, and an image is also shown", async () => {
    const { events, workspace } = await finish(
      oneByOne(read("notes://picture"), read("notes://data")),
      {},
      withServer(),
    )
    const outputs = payloadsOf(events(), "sdk:user").map((payload) => payload["tool_use_result"])
    const [picture, data] = outputs.filter((output) => typeof output === "object") as ReadonlyArray<{
      readonly contents: ReadonlyArray<{ readonly blobSavedTo: string; readonly text: string }>
    }>
    const [shown] = toolResultsOf(events())
    expect(shown?.content).toMatchObject([
      { type: "text", text: JSON.stringify(picture) },
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
      { type: "text", text: "[Image: source: notes://picture]" },
    ])
    const [{ blobSavedTo: image } = { blobSavedTo: "" }] = picture?.contents ?? []
    expect(image).toMatch(/^\/workspace\/\.perch\/tool-results\/\w+-0\.png$/)
    expect(Buffer.from(workspace.readBytes(image)).toString("base64")).toBe(PNG)
    const [{ blobSavedTo: file, text } = { blobSavedTo: "", text: "" }] = data?.contents ?? []
    expect(workspace.readText(file)).toBe("hello\0")
    expect(text).toBe(`[Resource from far at notes://data] Binary content (unknown type, 6 bytes) saved to ${file}`)
  })

  it("that does not fit into the workspace is an error, and nothing of it is saved", async () => {
    const { events, workspace } = await finish(
      oneByOne(call("Bash", { command: "mkdir -p .perch && ln -s /tmp .perch/tool-results" }), read("notes://data")),
      {},
      { ...withServer(), ...BYPASS },
    )
    expect(toolResultsOf(events())[1]).toMatchObject({
      is_error: true,
      content: expect.stringContaining("The resource could not be saved: EINVAL"),
    })
    expect(workspace.list("/tmp", null, 10).files).toEqual([])
  })
})

describe("a resource", () => {
  it("can be denied by rules for its server, for the tool and for its address", async () => {
    for (const rule of ["mcp__far", "ReadMcpResource(notes://o*)"]) {
      const settings = { permissions: { deny: [rule] } }
      const { events } = await finish([{ content: [read("notes://one")] }, DONE], {}, withServer({ settings }))
      expect(JSON.stringify(toolResultsOf(events())), rule).not.toContain("milk")
    }
    const { events } = await finish([DONE], {}, withServer({ disallowedTools: ["ReadMcpResource"] }))
    expect(toolsOf(events())).not.toContain("ReadMcpResourceTool")
  })

  it("that is an app page (`ui://`) can be read by the client, which can read no others", async () => {
    const { client } = await finish([DONE], {}, withServer())
    const ask = (serverName: string, uri: string) => client.request("mcp_read_resource", { serverName, uri })
    expect(await ask("far", "ui://panel")).toMatchObject({
      response: { contents: [{ uri: "ui://panel", mimeType: "text/html", text: "<p>hello</p>" }] },
    })
    expect(await ask("far", "notes://one")).toMatchObject({
      error: "mcp_read_resource.uri: must use the ui:// scheme",
    })
    expect(await ask("far", "ui://none")).toMatchObject({ error: expect.stringContaining("there is no resource") })
    expect(await ask("nope", "ui://panel")).toMatchObject({ error: expect.stringContaining('no MCP server "nope"') })
  })
})

describe("a session", () => {
  it("whose servers have no resources has no tools for them", async () => {
    const { events } = await finish([DONE], {}, BYPASS)
    expect(JSON.stringify(toolsOf(events()))).not.toContain("Resource")
  })
})
