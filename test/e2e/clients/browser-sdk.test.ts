// The official browser SDK against a real server, over WebSocket and over SSE: callbacks, and turns whose connection is lost.
import { randomUUID } from "node:crypto"
import { createSdkMcpServer, type SDKMessage, tool } from "@anthropic-ai/claude-agent-sdk/browser"
import { afterEach, describe, expect, inject, it } from "vitest"
import { z } from "zod"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { type BrowserClient, openBrowserClient, type Transport } from "../../support/server/browser-client.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { startProxy } from "../../support/server/tcp-proxy.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

/** What a test opened; closed in reverse order whether it passes or not. */
const opened: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const open = (...args: Parameters<typeof openBrowserClient>): BrowserClient => {
  const client = openBrowserClient(...args)
  opened.push(client.close)
  return client
}

const kinds = (messages: ReadonlyArray<SDKMessage>) =>
  messages.map((message) => ("subtype" in message ? `${message.type}/${message.subtype}` : message.type))

/** The seqs of all SDK messages in a session's log. */
const loggedSeqs = async (client: PerchClient, id: string) =>
  (await client.events(id)).filter(({ name }) => name.startsWith("sdk:")).map(({ seq }) => seq)

const ticketOf = async (id: string): Promise<string> => {
  const json = { roles: ["observe", "prompt", "answer", "control"] }
  return (await perch.json<{ ticket: string }>("POST", `/v1/sessions/${id}/tickets`, { json, status: 201 })).ticket
}

const TRANSPORTS: ReadonlyArray<Transport> = ["websocket", "sse"]

describe.each(TRANSPORTS)("over %s", (transport) => {
  it("a prompt runs through hooks, canUseTool and an in-process MCP tool to its result", async () => {
    const name = scriptName("all")
    const write = call("Write", { file_path: "/workspace/a.txt", content: "the model's\n" })
    const add = call("mcp__desk__add", { a: 20, b: 22 })
    await api.set(name, [{ content: [write] }, { content: [add] }, textAnswer("Done.")])
    const id = await perch.createSession({ permissionMode: "default" })
    const fired: Array<unknown> = []
    const asked: Array<string> = []
    // A page without a key: over a WebSocket, its ticket replaces the key.
    const key = transport === "websocket" ? await ticketOf(id) : shared.key
    const client = open({ url: shared.url, key }, id, transport, {
      canUseTool: async (tool_name, input) => {
        asked.push(tool_name)
        const updatedInput = tool_name === "Write" ? { ...input, content: "the client's\n" } : input
        return { behavior: "allow", updatedInput }
      },
      hooks: {
        PreToolUse: [
          {
            matcher: "Write",
            hooks: [
              async (input) => {
                fired.push(input)
                return {}
              },
            ],
          },
        ],
      },
      mcpServers: {
        desk: createSdkMcpServer({
          name: "desk",
          tools: [
            tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
              content: [{ type: "text", text: `sum ${a + b}` }],
            })),
          ],
        }),
      },
    })
    client.prompt(promptFor(name))
    const messages = await client.results(1)

    expect(messages.findLast(({ type }) => type === "result")).toMatchObject({ subtype: "success", result: "Done." })
    expect(asked).toEqual(["Write", "mcp__desk__add"])
    expect(fired).toMatchObject([{ hook_event_name: "PreToolUse", tool_name: "Write", tool_input: write.input }])
    expect(await perch.getFile(id, "/workspace/a.txt")).toBe("the client's\n")
    const results = toolResults((await api.requests(name)).at(-1)!)
    expect(results.map((block) => block.tool_use_id)).toEqual([write.id, add.id])
    expect(JSON.stringify(results[1]?.content)).toContain("sum 42")
    expect(kinds(messages).filter((kind) => kind === "system/init")).toHaveLength(1)
    expect(kinds(messages).filter((kind) => kind.startsWith("result"))).toHaveLength(1)
    expect(await perch.asks(id)).toEqual([])
  })

  it("a call that canUseTool denies does not run, and the model receives the reason; a second prompt follows on the same client", async () => {
    const [one, two] = [scriptName("deny"), scriptName("next")]
    const write = call("Write", { file_path: "/workspace/b.txt", content: "x\n" })
    await api.set(one, [{ content: [write] }, textAnswer("A pity.")])
    await api.set(two, [textAnswer("Again.")])
    const id = await perch.createSession({ permissionMode: "default" })
    const client = open(shared, id, transport, {
      canUseTool: async () => ({ behavior: "deny", message: "Not on a Sunday." }),
    })
    client.prompt(promptFor(one))
    await client.results(1)
    client.prompt(promptFor(two))
    const messages = await client.results(2)

    const results = messages.filter(({ type }) => type === "result")
    expect(results).toMatchObject([
      { result: "A pity.", permission_denials: [{ tool_name: "Write", tool_use_id: write.id }] },
      { result: "Again." },
    ])
    expect(await perch.getFile(id, "/workspace/b.txt")).toBeNull()
    const [denied] = toolResults((await api.requests(one)).at(-1)!)
    expect(denied).toMatchObject({ tool_use_id: write.id, is_error: true })
    expect(JSON.stringify(denied?.content)).toContain("Not on a Sunday.")
  })
})

describe("an SSE client whose connection is cut in the middle of a turn", () => {
  /** A session behind a proxy, whose second answer waits for the test. */
  const setUp = async (second: ReadonlyArray<Readonly<Record<string, unknown>>>) => {
    const name = scriptName("cut")
    const gate = `${name}-gate`
    const list = call("Bash", { command: "echo one", description: "Say one" })
    await api.set(name, [{ content: [list] }, { content: second, hold: { gate } }, textAnswer("Whole.")])
    const id = await perch.createSession({ permissionMode: "default", allowedTools: ["Bash"] })
    const proxy = await startProxy(shared.url)
    opened.push(proxy.close)
    let asked = 0
    const client = open({ url: proxy.url, key: shared.key }, id, "sse", {
      canUseTool: async (_, input) => {
        asked += 1
        return { behavior: "allow", updatedInput: input }
      },
    })
    client.prompt(promptFor(name))
    // The tool has run, and the second model request was made.
    await eventually(async () => ((await api.requests(name)).length === 2 ? true : undefined))
    await eventually(async () => (client.messages.some(({ type }) => type === "user") ? true : undefined))
    return { name, id, proxy, client, release: () => api.release(gate), asked: () => asked }
  }

  it("receives what it missed, each message once and in order", async () => {
    const { id, proxy, client, release } = await setUp([text("Second.")])
    proxy.suspend()
    await release()
    const events = await perch.eventsUntilResults(id, 1)
    proxy.resume()
    await client.results(1)
    const logged = await eventually(async () => {
      const seqs = await loggedSeqs(perch, id)
      return client.seqs().length >= seqs.length ? seqs : undefined
    })
    // The log may have grown since it was read.
    expect(client.seqs().slice(0, logged.length)).toEqual(logged)
    expect(events.filter(({ name }) => name.startsWith("sdk:result"))).toHaveLength(1)
  })

  it("receives an ask once that was opened while it was disconnected", async () => {
    const write = call("Write", { file_path: "/workspace/away.txt", content: "written\n" })
    const { id, proxy, client, release, asked } = await setUp([write])
    proxy.suspend()
    await release()
    await eventually(async () => ((await perch.asks(id)).length === 1 ? true : undefined))
    expect(asked()).toBe(0)
    proxy.resume()
    const messages = await client.results(1)
    expect(messages.findLast(({ type }) => type === "result")).toMatchObject({ result: "Whole." })
    expect(asked()).toBe(1)
    expect(await perch.getFile(id, "/workspace/away.txt")).toBe("written\n")
  })
})

describe("a page that opens a session with an open ask", () => {
  it.each(TRANSPORTS)("receives it once, over %s", async (transport) => {
    const name = scriptName("late")
    const write = call("Write", { file_path: "/workspace/late.txt", content: "written\n" })
    await api.set(name, [{ content: [write] }, textAnswer("Whole.")])
    const id = await perch.createSession({ permissionMode: "default" })
    await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) }, status: 202 })
    let asked = 0
    const client = open(shared, id, transport, {
      canUseTool: async (_, input) => {
        asked += 1
        return { behavior: "allow", updatedInput: input }
      },
    })
    await client.results(1)
    expect(asked).toBe(1)
    expect(await perch.getFile(id, "/workspace/late.txt")).toBe("written\n")
  })
})

describe("a control request that is posted while the client's stream is down", () => {
  it("is answered when the stream is back", async () => {
    const id = await perch.createSession()
    const payload = {
      type: "control_request",
      request_id: "r-1",
      request: { subtype: "list_models" },
      uuid: randomUUID(),
    }
    await perch.json("POST", `/v1/sessions/${id}/events`, { json: { session_id: id, events: [{ payload }] } })
    const response = await perch.request("GET", `/v1/sessions/${id}/events/stream?format=client`)
    const frames = await perch.collect(response, { until: (message) => JSON.stringify(message).includes('"r-1"') })
    expect(frames.at(-1)).toMatchObject({
      seq: undefined,
      message: { payload: { type: "control_response", response: { subtype: "success", request_id: "r-1" } } },
    })
  })
})
