// Resources of MCP servers: what is listed and read, also when a server's result does not conform to MCP.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { connectMcp } from "../../src/mcp/client-server.ts"
import { mcpResources, type ServerInUse } from "../../src/mcp/resources.ts"
import { HELLO, pipeTo, scripted, type TestPipe } from "./pipes.ts"

const inUse = async (name: string, { pipe }: TestPipe): Promise<ServerInUse> => ({
  server: await Effect.runPromise(connectMcp(name, pipe)),
  pipe,
})

const WITH_RESOURCES = { result: { ...HELLO.result, capabilities: { resources: {} } } }

/** A server that answers `resources/list` and `resources/read` with a script. */
const server = (name: string, answer: Parameters<typeof scripted>[0]): Promise<ServerInUse> =>
  inUse(
    name,
    scripted((method, params) => (method === "initialize" ? WITH_RESOURCES : answer(method, params))),
  )

const resourcesOf = (servers: ReadonlyArray<ServerInUse>, more: ReadonlyArray<string> = []) =>
  mcpResources(() => ({ names: [...servers.map((one) => one.server.name), ...more], inUse: servers }))

const run = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>): Promise<A | string> =>
  Effect.runPromise(
    Effect.match(effect, { onSuccess: (value): A | string => value, onFailure: ({ message }) => message }),
  )

describe("resources", () => {
  it("of a server of the official SDK are listed and read", async () => {
    const official = new McpServer({ name: "notes", version: "1.0.0" })
    const about = { description: "A note", mimeType: "text/plain" }
    official.registerResource("one", "mem://one", about, async ({ href }) => ({
      contents: [{ uri: href, text: "milk" }],
    }))
    const resources = resourcesOf([await inUse("mine", await pipeTo(official))])
    expect(await run(resources.list(undefined))).toEqual([
      { name: "one", uri: "mem://one", description: "A note", mimeType: "text/plain", server: "mine" },
    ])
    expect(await run(resources.read("mine", "mem://one"))).toEqual([{ uri: "mem://one", text: "milk" }])
    expect(await run(resources.read("mine", "mem://two"))).toContain("mem://two")
  })

  it("are listed page by page, without invalid ones, and those of the other servers if one fails", async () => {
    const pages = await server("pages", (_, { cursor }) =>
      cursor === undefined
        ? { result: { resources: [{ uri: "a:1", name: "one" }, "none", { uri: 1 }], nextCursor: "2" } }
        : { result: { resources: [{ uri: "a:2", name: "two" }] } },
    )
    const broken = await server("broken", () => ({ error: { code: -32603, message: "out of order" } }))
    const both = resourcesOf([broken, pages])
    const listed = [
      { uri: "a:1", name: "one", server: "pages" },
      { uri: "a:2", name: "two", server: "pages" },
    ]
    expect(await run(both.list(undefined))).toEqual(listed)
    expect(await run(both.list("broken"))).toBe("out of order")
    expect(await run(resourcesOf([broken]).list(undefined))).toBe("out of order")
  })

  it("of a server that does not exist, is not connected or has none are refused with its name", async () => {
    const plain = await inUse(
      "plain",
      scripted((method) => (method === "initialize" ? HELLO : { result: { tools: [] } })),
    )
    const resources = resourcesOf([plain], ["gone"])
    expect(await run(resources.list("nope"))).toBe('Server "nope" not found. Available servers: plain, gone')
    expect(await run(resources.read("gone", "a:1"))).toBe('Server "gone" is not connected')
    expect(await run(resources.read("plain", "a:1"))).toBe('Server "plain" does not support resources')
    expect(await run(resources.readDirectory("plain", "a:1"))).toContain('"plain" does not support listing a directory')
    expect(await run(resources.list("plain"))).toEqual([])
    expect(await run(resources.list(undefined))).toEqual([])
  })

  it("of a directory are listed page by page, with its address in each request", async () => {
    const extensions = { "io.modelcontextprotocol/skills": { directoryRead: true } }
    const hello = { result: { ...HELLO.result, capabilities: { resources: {}, extensions } } }
    const asked: Array<unknown> = []
    const made = scripted((method, params) => {
      if (method === "initialize") return hello
      asked.push([method, params])
      return params["cursor"] === undefined
        ? { result: { resources: [{ uri: "a:d/1", name: "1", description: "x" }, { uri: 1 }], nextCursor: "2" } }
        : { result: { resources: [{ uri: "a:d/2", name: "2", mimeType: "inode/directory" }] } }
    })
    expect(await run(resourcesOf([await inUse("tree", made)]).readDirectory("tree", "a:d"))).toEqual([
      { uri: "a:d/1", name: "1" },
      { uri: "a:d/2", name: "2", mimeType: "inode/directory" },
    ])
    expect(asked).toEqual([
      ["resources/directory/read", { uri: "a:d" }],
      ["resources/directory/read", { uri: "a:d", cursor: "2" }],
    ])
  })

  it.each([[{}], [{ contents: 1 }], [null]])("that are answered with %j are an error", async (result) => {
    const odd = resourcesOf([await server("odd", () => ({ result }))])
    expect(await run(odd.read("odd", "a:1"))).toContain("does not conform to MCP")
    expect(await run(odd.list("odd"))).toContain("does not conform to MCP")
  })

  it("are read within limits: invalid parts are omitted, and at most a hundred are accepted", async () => {
    const part = { uri: "a:1", text: "x" }
    const many = await server("many", () => ({ result: { contents: ["x", { text: 1 }, ...Array(200).fill(part)] } }))
    expect(await run(resourcesOf([many]).read("many", "a:1"))).toHaveLength(98)
  })
})
