// The client side of remote MCP servers against a real server of the official SDK, over both transports.
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { RemoteServer } from "../../../src/mcp/remote/remote-server.ts"
import { fetchSettings } from "../../../src/net/guarded-fetch.ts"
import { guardedOpen } from "../../../src/net/guarded-open.ts"
import type { RemoteConfig } from "../../../src/mcp/remote/remote-config.ts"
import type { ServerRequest } from "../../../src/mcp/remote/remote-pipe.ts"
import type { ToolContext } from "../../../src/tools/tool.ts"
import { LARGE, PLAIN_TOOLS, startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { until } from "../../support/session/loop.ts"
import { holdTimers } from "../../support/values/held-timers.ts"

let server: TestMcpServer
const open: Array<RemoteServer> = []
let clock = 1_000_000

beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(async () => {
  for (const remote of open.splice(0)) remote.close()
  await server.close()
})

const TYPES = ["http", "sse"] as const

const remoteOf = (
  type: "http" | "sse",
  more: Partial<RemoteConfig> = {},
  answer: (message: ServerRequest) => Promise<Readonly<Record<string, unknown>>> = async ({ id }) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32601, message: "not done here" },
  }),
): RemoteServer => {
  const remote = new RemoteServer({
    name: "far",
    config: { type, url: server[type], headers: {}, tools: [], source: "dynamic", ...more },
    open: guardedOpen(fetchSettings("127.0.0.1", "off")),
    answer,
    pageDone: () => undefined,
    toolsChanged: () => undefined,
    now: () => clock,
  })
  open.push(remote)
  return remote
}

/** The result of a tool's call, or the message of its failure. */
const call = async (remote: RemoteServer, name: string, input: object = {}, signal?: AbortSignal) => {
  const tool = remote.tools.find(({ serverTool }) => serverTool === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  const context = { toolUseId: "toolu_1", idempotencyKey: "s:toolu_1" } as ToolContext // a server's tool uses no more
  const outcome = await Effect.runPromise(Effect.result(tool.run(input, context)), signal && { signal })
  return outcome._tag === "Success" ? outcome.success.content : outcome.failure.message
}

describe.each(TYPES)("a server of type %s", (type) => {
  it("is connected when a turn starts, and its usable tools have unique names", async () => {
    const remote = remoteOf(type)
    expect(server.asked).toEqual([])
    await remote.prepare()
    expect(remote.failure).toBeNull()
    expect(remote.connected).toMatchObject({
      name: "far",
      serverInfo: { name: "thirty", version: "3.0.0" },
      refused: [{ name: "unsupported", reason: expect.stringContaining("has a schema that can't be used") }],
    })
    const plain = remote.tools.filter(({ name }) => name.startsWith("mcp__far__echo_"))
    expect(plain).toHaveLength(PLAIN_TOOLS)
    expect(plain[0]).toMatchObject({ mcpServer: { name: "far", source: "dynamic" }, serverTool: "echo_0" })
    expect(await call(remote, "echo_7", { text: "hello" })).toEqual([
      { type: "text", text: 'echo_7: {"text":"hello"}' },
    ])
  })

  it("returns images and structured content, and its errors", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    expect(await call(remote, "picture")).toMatchObject([{ type: "image" }, { type: "text" }])
    expect(await call(remote, "structured")).toBe('{"colour":"green"}')
    expect(await call(remote, "fails")).toBe("it is broken")
  })

  it("that answers with 5 MB has its complete text", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    const content = await call(remote, "large")
    expect(content).toEqual([{ type: "text", text: "x".repeat(LARGE) }])
  })

  it("that never answers a call is abandoned at the time limit, and notified when the call is interrupted", async () => {
    const [timers, remote] = [holdTimers(1_001), remoteOf(type, { timeout: 1_001 })]
    await remote.prepare()
    const abandoned = call(remote, "hang")
    await server.hanging
    timers.fire(1_001)
    expect(await abandoned).toBe("The server did not respond within 1001 ms.")
    const abort = new AbortController()
    const interrupted = call(remote, "hang", {}, abort.signal)
    await until(() => server.asked.filter(({ rpc }) => rpc === "tools/call").length === 2)
    abort.abort()
    await expect(interrupted).rejects.toThrow()
    await server.cancelled
  })

  it("gets an answer to its elicitation, and a refusal of its other requests", async () => {
    const seen: Array<string> = []
    const remote = remoteOf(type, {}, async ({ id, method }) => {
      seen.push(method)
      return method === "elicitation/create"
        ? { jsonrpc: "2.0", id, result: { action: "accept", content: { colour: "red" } } }
        : { jsonrpc: "2.0", id, error: { code: -32601, message: "not done here" } }
    })
    await remote.prepare()
    expect(await call(remote, "ask")).toEqual([{ type: "text", text: 'accept: {"colour":"red"}' }])
    expect(JSON.stringify(await call(remote, "sample"))).toContain("-32601: not done here")
    expect(seen).toEqual(["elicitation/create", "sampling/createMessage"])
  })

  it("that has lost the session is initialized again, and the call is made once", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    await server.forget()
    const before = server.asked.length
    // With the older transport the stream may end while the call is being sent: then its outcome is unknown.
    if (type === "sse") await call(remote, "echo_0")
    expect(await call(remote, "echo_1")).toEqual([{ type: "text", text: "echo_1: {}" }])
    const later = server.asked.slice(before).map(({ rpc }) => rpc)
    expect(later.filter((rpc) => rpc === "initialize")).toHaveLength(1)
  })

  it("that announces a change of its tools during a turn is asked for them at once", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    if (type === "http") await until(() => server.asked.some(({ method }) => method === "GET"))
    const lists = () => server.asked.filter(({ rpc }) => rpc === "tools/list").length
    await remote.prepare()
    expect(lists()).toBe(1)
    await server.addTool("late")
    await until(() => remote.tools.some(({ serverTool }) => serverTool === "late"))
    await remote.prepare()
    expect(lists()).toBe(2)
  })

  it("is not asked for its tools again within a minute, but afterwards", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    remote.rest()
    await server.addTool("late")
    await remote.prepare()
    expect(remote.tools.map(({ serverTool }) => serverTool)).not.toContain("late")
    clock += 60_000
    await remote.prepare()
    expect(remote.tools.map(({ serverTool }) => serverTool)).toContain("late")
  })

  it("that can't be reached has failed with a reason, and is not retried for a while", async () => {
    const remote = remoteOf(type, { url: "http://127.0.0.1:1/mcp?token=secret" })
    await remote.prepare()
    expect(remote.failure).toMatchObject({ message: "127.0.0.1:1 could not be reached.", unauthorized: false })
    const other = remoteOf(type)
    server.intercept = (_, response) => {
      response.writeHead(503).end("down")
      return true
    }
    await other.prepare()
    expect(other.failure?.message).toBe("The server answered with status 503.")
    const asked = server.asked.length
    await other.prepare()
    expect(server.asked.length).toBe(asked)
    server.intercept = () => false
    clock += 30_000
    await other.prepare()
    expect(other.failure).toBeNull()
  })

  it("that requires credentials is reported as such", async () => {
    server.intercept = ({ headers }, response) => {
      if (headers.authorization === "Bearer let-me-in-12345") return false
      response.writeHead(401, { "www-authenticate": "Bearer" }).end()
      return true
    }
    const remote = remoteOf(type)
    await remote.prepare()
    expect(remote.failure).toEqual({
      message: "The server refused the credentials (status 401).",
      unauthorized: true,
      at: clock,
    })
    const allowed = remoteOf(type, { headers: { Authorization: "Bearer let-me-in-12345" } })
    await allowed.prepare()
    expect(allowed.failure).toBeNull()
    const shown = JSON.stringify(await call(allowed, "headers"))
    expect(shown).toContain("[secret]")
    expect(shown).not.toContain("let-me-in")
  })

  it("keeps no connection open while no turn runs", async () => {
    const ended: Array<string> = []
    server.intercept = ({ method, path }, response) => {
      response.on("close", () => ended.push(`${method} ${path}`))
      return false
    }
    const remote = remoteOf(type)
    await remote.prepare()
    await until(() => server.asked.some(({ method }) => method === "GET"))
    remote.rest()
    await until(() => ended.some((one) => one.startsWith("GET")))
  })

  it("may ask in the middle of a call outside turns, and keeps no stream of its own behind it", async () => {
    let open = 0
    server.intercept = ({ method }, response) => {
      if (method !== "GET") return false
      open += 1
      response.on("close", () => (open -= 1))
      return false
    }
    const remote = remoteOf(type)
    await remote.prepare()
    remote.rest()
    await until(() => open === 0)
    // The test's server asks in the stream of what it sends by itself.
    expect(JSON.stringify(await call(remote, "sample"))).toContain("-32601: not done here")
    await until(() => open === 0)
  })

  it("that disconnects in the middle of a call fails only that call", async () => {
    const remote = remoteOf(type)
    await remote.prepare()
    const hanging = call(remote, "hang")
    await server.hanging
    server.cut()
    expect(await hanging).toMatch(/was lost|could not be reached/)
    expect(await call(remote, "echo_2")).toEqual([{ type: "text", text: "echo_2: {}" }])
  })
})

describe("a streamed answer", () => {
  const STREAM = { "content-type": "text/event-stream" }

  it("that breaks after an event with an id is resumed there, and the call is made once", async () => {
    const remote = remoteOf("http")
    await remote.prepare()
    let id: unknown
    server.intercept = ({ rpc, headers, id: asked }, response) => {
      if (rpc === "tools/call") {
        id = asked
        response.writeHead(200, STREAM).end("id: one\ndata: \n\n")
        return true
      }
      if (headers["last-event-id"] !== "one") return false
      const result = { content: [{ type: "text", text: "resumed" }] }
      response.writeHead(200, STREAM).end(`id: two\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`)
      return true
    }
    expect(await call(remote, "echo_1")).toEqual([{ type: "text", text: "resumed" }])
    expect(server.asked.filter(({ rpc }) => rpc === "tools/call")).toHaveLength(1)
  })

  it("that its server ends repeatedly is resumed as often, if the server sends a retry delay", async () => {
    const remote = remoteOf("http")
    await remote.prepare()
    let ends = 0
    let id: unknown
    server.intercept = ({ rpc, method, id: asked }, response) => {
      if (rpc === "tools/call") id = asked
      if (rpc !== "tools/call" && method !== "GET") return false
      ends += 1
      const result = { content: [{ type: "text", text: "at last" }] }
      const answer = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`
      response.writeHead(200, STREAM).end(ends < 7 ? `id: ${ends}\nretry: 1\ndata: \n\n` : answer)
      return true
    }
    expect(await call(remote, "echo_1")).toEqual([{ type: "text", text: "at last" }])
    expect(server.asked.flatMap(({ headers }) => headers["last-event-id"] ?? [])).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
    ])
  })

  it("of server-initiated messages is reopened where it ended, after the server's retry delay", async () => {
    server.intercept = ({ method, headers }, response) => {
      if (method !== "GET" || headers["last-event-id"] !== undefined) return false
      response.writeHead(200, STREAM).end("id: a\nretry: 1\ndata: \n\n")
      return true
    }
    await remoteOf("http").prepare()
    await until(() => server.asked.some(({ method, headers }) => method === "GET" && headers["last-event-id"] === "a"))
  })

  it("that breaks without an id fails, as does one that is too large or not JSON", async () => {
    const remote = remoteOf("http")
    await remote.prepare()
    const answers: Array<readonly [body: string, message: RegExp]> = [
      [": nothing\n\n", /was lost before it responded/],
      ["data: {\n\n", /The server's answer is not valid JSON/],
      [`data: ${"x".repeat(13 * 1024 * 1024)}\n\n`, /has more than 12582912 bytes/],
    ]
    for (const [body, message] of answers) {
      server.intercept = ({ rpc }, response) => {
        if (rpc !== "tools/call") return false
        response.writeHead(200, STREAM).end(body)
        return true
      }
      expect(await call(remote, "echo_1")).toMatch(message)
    }
  })
})

describe("an address", () => {
  it("that is private is not called, and neither is a redirect to another server", async () => {
    const refused = new RemoteServer({
      name: "far",
      config: { type: "http", url: server.http, headers: {}, tools: [], source: "dynamic" },
      open: guardedOpen(fetchSettings("", "off")),
      answer: async () => ({}),
      pageDone: () => undefined,
      toolsChanged: () => undefined,
      now: () => clock,
    })
    await refused.prepare()
    expect(refused.failure?.message).toMatch(/is not a public address/)
    expect(server.asked).toEqual([])
    server.intercept = (_, response) => {
      response.writeHead(307, { location: "http://localhost:9/mcp" }).end()
      return true
    }
    const remote = remoteOf("http", { headers: { "x-key": "a" } })
    await remote.prepare()
    expect(remote.failure?.message).toMatch(/redirects to another URL, which is not followed/)
  })

  it("that redirects on the same server is followed with the message", async () => {
    server.intercept = ({ path }, response) => {
      if (path !== "/old") return false
      response.writeHead(308, { location: "/mcp" }).end()
      return true
    }
    const remote = remoteOf("http", { url: `${server.url}/old` })
    await remote.prepare()
    expect(remote.failure).toBeNull()
  })
})
