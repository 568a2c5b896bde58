// Deep, huge and unusual values at every input of a session: each is accepted or refused, and afterwards the log, the messages
// and the conversation can be read, by this process and by the next.
import http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { withoutDeepLevels } from "../../../src/schemas/bounded-json.ts"
import { DEFAULT_LIMITS } from "../../../src/schemas/limits.ts"
import { ClientSockets } from "../../../src/session/control/client-sockets.ts"
import { DEEP_VALUES } from "../../support/values/deep-values.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { promptFor, toolUseId } from "../../support/session/scripts.ts"
import { type Booted, eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { readable } from "../../support/values/readable-session.ts"

const { connected, finish, scripted, start } = loop()

const VALUES = DEEP_VALUES.filter(({ fault }) => fault !== "syntax")
/** The values that fit into one line, which ends at a newline. A line that is not JSON is ignored. */
const CLOSED = VALUES.filter(({ name, json }) => !name.includes("never closed") && !json.includes("\n"))
/** A placeholder for a value in a frame. */
const HERE = "VALUE"

/** Sends a line on a client's socket as it arrives from the network. */
const wired = (session: Booted, client: string) => {
  // The members that a line needs.
  const listeners = { clientOf: () => client, formOf: () => "plain", actorOf: () => undefined }
  const feed = { listeners, mark: () => undefined, confirm: () => false } as never
  const sockets = new ClientSockets({
    context: { keepAlive: () => undefined },
    life: { session: session.open },
    feed,
    share: { limits: DEFAULT_LIMITS },
    erasure: { eraseIfAbandoned: () => undefined },
  })
  const socket = { readyState: WebSocket.OPEN, close: () => undefined } as unknown as WebSocket
  return (frame: unknown, json: string) =>
    sockets.message(socket, `${JSON.stringify(frame).replaceAll(`"${HERE}"`, () => json)}\n`)
}

/** Checks that the session still works. */
const works = async (session: Booted): Promise<void> => {
  const turn = prompt(session.session, promptFor(scripted([DONE])))
  await session.idle()
  expect(problemsOf(eventsOf(session.log), [turn])).toEqual([])
}

describe(`${VALUES.length} values`, () => {
  it("from the model, as the input of a call: each gets one result, and what is sent back to the model is limited", async () => {
    const content = VALUES.flatMap(({ json }) =>
      ["Read", "Nothing"].map((name) => ({ type: "tool_use", id: toolUseId(), name, raw_input: json })),
    )
    const { events, sent, harness, ...session } = await finish([{ content, chunk: 1_000_000 }, DONE])
    const results = toolResultsOf(events())
    expect(results).toHaveLength(content.length)
    const deep = results.filter(({ content: value }) => String(value).includes("nested more than 100 levels deep"))
    expect(deep).toHaveLength(VALUES.filter(({ fault }) => fault === "depth").length)
    const again = JSON.stringify(sent().at(-1))
    expect(withoutDeepLevels(again, 110)).toBe(again)
    await readable({ ...session }, harness)
  })

  it("from the model, in an answer that is not streamed", async () => {
    const content = VALUES.filter(({ fault }) => fault !== "parts").map(({ json }) => ({
      type: "tool_use",
      id: toolUseId(),
      name: "Read",
      input: JSON.parse(json.startsWith("[[[[") && !json.endsWith("]") ? "[]" : json) as unknown,
    }))
    // The scripted API serializes its answer recursively and can't send deeper ones.
    const shallow = content.filter(({ input }) => depthOf(input) < 2000)
    const broken = { error: { status: 404, type: "not_found_error", message: "no streaming" } }
    const { events, harness, ...session } = await finish([[broken, { content: shallow }], DONE])
    expect(toolResultsOf(events())).toHaveLength(shallow.length)
    await readable({ ...session }, harness)
  })

  it("from the model, at the start of a block: only the request fails", async () => {
    const start = JSON.parse(
      `{"type":"tool_use","id":"toolu_x","name":"Read","input":${"[".repeat(900)}${"]".repeat(900)}}`,
    )
    const { events, result, harness, ...session } = await finish(
      [{ content: [{ raw: { start } }] }],
      {},
      { ...BYPASS, max_retries: 0 },
    )
    expect(result()).toMatchObject({ is_error: true })
    expect(events().length).toBeGreaterThan(0)
    await readable({ ...session }, harness)
  })

  it("in the frames of a client's socket: prompts, requests, registrations", async () => {
    const { harness, client, ...session } = await connected()
    const send = wired(session, client.name)
    const frames = [
      HERE,
      { type: "user", message: { role: "user", content: HERE } },
      { type: "user", message: { role: "user", content: [{ type: "text", text: "hi", more: HERE }] }, extra: HERE },
      ...["apply_flag_settings", "set_model", "mcp_message", "mcp_set_servers", "rewind_files", "unheard_of"].map(
        (subtype) => ({
          type: "control_request",
          request_id: subtype,
          request: {
            subtype,
            settings: HERE,
            model: HERE,
            server_name: "s",
            extra: 1,
          },
        }),
      ),
      { type: "control_response", response: { subtype: "success", request_id: "unknown", response: HERE } },
      { type: HERE },
    ]
    for (const { json } of CLOSED) for (const frame of frames) send(frame, json)
    await new Promise((resolve) => setImmediate(resolve))
    const tooDeep = CLOSED.filter(({ fault }) => fault !== null)
    expect(client.answersTo("unheard_of")).toHaveLength(CLOSED.length)
    const isRefusal = ({ error }: { readonly error?: unknown }) =>
      /^(?:the request |set_model\.model: )/.test(String(error))
    expect(client.answersTo("set_model").filter(isRefusal)).toHaveLength(CLOSED.length)
    const refused = client.frames.filter(({ type }) => type === "result")
    expect(refused.length).toBeGreaterThanOrEqual(2 * tooDeep.length)
    await session.stopTurn()
    session.session.prompts.cancelQueued()
    await session.idle()
    await works(session)
    await readable(session, harness)
  })

  it("as the answers of a client's hooks: each call gets one result", async () => {
    const content = CLOSED.map(() => ({ type: "tool_use", id: toolUseId(), name: "LS", input: { path: "/workspace" } }))
    const { client, harness, events, idle, ...session } = await start([{ content }, DONE], {
      PreToolUse: () => undefined,
    })
    const send = wired({ ...session, idle }, client.name)
    for (const [index, { json }] of CLOSED.entries()) {
      await until(() => client.called.length > index)
      const response = {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: { path: "/", more: HERE },
        },
      }
      const id = client.called[index]?.requestId
      send({ type: "control_response", response: { subtype: "success", request_id: id, response } }, json)
    }
    await idle()
    expect(toolResultsOf(events())).toHaveLength(content.length)
    await readable({ ...session, idle }, harness)
  })

  it("as answers to permission asks: an answer beyond the limits is a denial", async () => {
    const content = CLOSED.map((_, n) => ({
      type: "tool_use",
      id: toolUseId(),
      name: "Write",
      input: { file_path: `/workspace/${n}`, content: "x" },
    }))
    const { client, harness, events, idle, ...session } = await start([{ content }, DONE], {}, {})
    const send = wired({ ...session, idle }, client.name)
    for (const [index, { json }] of CLOSED.entries()) {
      await until(() => client.asked("can_use_tool").length > index)
      const response = {
        behavior: "allow",
        updatedInput: { file_path: `/workspace/${index}`, content: "y", more: HERE },
      }
      const id = client.asked("can_use_tool")[index]?.id
      send({ type: "control_response", response: { subtype: "success", request_id: id, response } }, json)
    }
    await idle()
    expect(toolResultsOf(events())).toHaveLength(content.length)
    const settled = payloadsOf(events(), "ask:settled")
    expect(settled).toHaveLength(content.length)
    expect(settled.filter(({ by }) => by === "failure").length).toBeGreaterThanOrEqual(
      CLOSED.filter(({ fault }) => fault !== null).length,
    )
    await readable({ ...session, idle }, harness)
  })

  it("from an MCP server of the client: lists of tools, results and structured content", async () => {
    const { client, harness, idle, ...session } = await connected({}, BYPASS)
    const send = wired({ ...session, idle }, client.name)
    const reply = (id: string, message: unknown, json: string) =>
      send(
        {
          type: "control_response",
          response: { subtype: "success", request_id: id, response: { mcp_response: message } },
        },
        json,
      )
    let call = 0
    const answered = new Set<string>()
    const serve = () => {
      for (const { id, request } of client.asked("mcp_message")) {
        if (answered.has(id)) continue
        answered.add(id)
        const { id: rpc, method } = request["message"] as { readonly id?: number; readonly method: string }
        const result = (value: unknown, json = "null") => reply(id, { jsonrpc: "2.0", id: rpc, result: value }, json)
        if (method === "initialize")
          result({
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "s", version: "1" },
          })
        else if (method === "tools/list") {
          const bad = CLOSED[call % CLOSED.length]?.json
          result(
            {
              tools: [
                { name: "t", inputSchema: { type: "object" } },
                { name: "u", inputSchema: HERE },
              ],
            },
            bad !== undefined && bad.length < 5000 ? bad : "{}",
          )
        } else if (method === "tools/call") {
          result(
            { content: [{ type: "text", text: "x", _meta: HERE }], structuredContent: { a: HERE } },
            CLOSED[call++]?.json,
          )
        } else result({})
      }
    }
    const serving = setInterval(serve, 1)
    await client.request("mcp_set_servers", { servers: { s: { type: "sdk", name: "s" } } })
    const content = CLOSED.map(() => ({ type: "tool_use", id: toolUseId(), name: "mcp__s__t", input: {} }))
    const turn = prompt(session.session, promptFor(scripted([{ content }, DONE])))
    await idle()
    clearInterval(serving)
    const events = eventsOf(session.log)
    expect(problemsOf(events, [turn])).toEqual([])
    expect(toolResultsOf(events)).toHaveLength(CLOSED.length)
    await readable({ ...session, idle }, harness)
  })

  it("in the history that a session starts with, and in results of client tools", async () => {
    const tools = { ...BYPASS, clientTools: [{ name: "ask_app", description: "d", inputSchema: { type: "object" } }] }
    const content = VALUES.map(({ json }) => ({ type: "tool_use", id: toolUseId(), name: "ask_app", raw_input: json }))
    const { harness, events, idle, ...session } = await start([{ content, chunk: 1_000_000 }, DONE], {}, tools as never)
    const open = () => session.session.askStore.open
    const taken = VALUES.filter(({ fault, json }) => fault === null && json.startsWith("{"))
    for (let settled = 0; settled < taken.length; settled += 1) {
      await until(() => open().length > 0)
      session.session.asks.answer(open()[0]?.requestId ?? "", {
        content: taken[settled]?.json.slice(0, 100_000) ?? "",
      })
    }
    await idle()
    expect(toolResultsOf(events())).toHaveLength(content.length)
    await readable({ ...session, idle }, harness)
  })
})

describe("HTTP hooks", () => {
  let server: http.Server
  let url = ""
  let answered = 0
  beforeAll(async () => {
    server = http.createServer((request, response) => {
      request.resume().on("end", () => {
        const json = VALUES[answered++ % VALUES.length]?.json ?? "{}"
        const specific = `{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"path":"/","more":${json}}}`
        response.end(`{"hookSpecificOutput":${specific}}`)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterAll(() => void server.close())

  it("may answer anything", async () => {
    const content = VALUES.map(() => ({ type: "tool_use", id: toolUseId(), name: "LS", input: { path: "/workspace" } }))
    const options = { ...BYPASS, hooks: { PreToolUse: [{ hooks: [{ type: "http", url }] }] } }
    const { events, harness, ...session } = await finish([{ content }, DONE], {}, options as never)
    expect(answered).toBe(VALUES.length)
    expect(toolResultsOf(events())).toHaveLength(content.length)
    await readable({ ...session }, harness)
  })
})

const depthOf = (value: unknown): number => {
  let [depth, level] = [0, [value]]
  for (; level.length > 0 && depth < 5000; depth += 1) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return depth
}
