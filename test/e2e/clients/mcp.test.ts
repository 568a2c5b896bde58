// `/mcp` with the official MCP client: which tools of a session it lists, and that calls return the results of a turn.
import { Effect } from "effect"
import { describe, expect, inject, it } from "vitest"
import { fromCallToolResult } from "../../../src/schemas/sdk/adapters/result-adapter.ts"
import { calculator } from "../../mcp/calculator.ts"
import { pipeTo } from "../../mcp/pipes.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Block, blocksOf, eventually, PerchClient } from "../../support/server/client.ts"
import { ControlSocket } from "../../support/server/control-socket.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { callTool, mcpClients } from "../../support/mcp/mcp-client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const { connect } = mcpClients(shared)

/** The results of the same calls in a turn: each tool_result block, and its structured result. */
const inTurn = async (id: string, calls: ReadonlyArray<ReturnType<typeof call>>) => {
  const name = scriptName("mcp")
  await api.set(name, [...calls.map((one) => ({ content: [one] })), textAnswer("Done.")])
  const messages = await perch.query(id, promptFor(name))
  return messages.flatMap((message) =>
    blocksOf(message)
      .filter((block): block is Block => block.type === "tool_result")
      .map((block) => ({ content: block.content, failed: block.is_error === true, output: message.tool_use_result })),
  )
}

/** Durations differ between calls. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, part: unknown) => (key === "durationMs" ? 0 : part)))

/** Perch's own tools. */
const PERCH_TOOLS = ["perch_run", "perch_result", "perch_asks", "perch_answer", "perch_stop"]

const EDITS = { permissionMode: "acceptEdits" }

describe("the tools of a session over MCP", () => {
  it("are its workspace tools, with closed inputs and hints", async () => {
    const client = await connect(await perch.createSession(EDITS))
    expect(client.getServerVersion()).toMatchObject({ name: "perch" })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      "Read",
      "Write",
      "Edit",
      "NotebookEdit",
      "Glob",
      "Grep",
      "LS",
      "Bash",
      "WebFetch",
      "WebSearch",
      "TodoWrite",
      ...PERCH_TOOLS,
    ])
    expect(tools.find(({ name }) => name === "Write")).toMatchObject({
      description: expect.stringMatching(/file/),
      inputSchema: {
        type: "object",
        properties: { file_path: { type: "string", description: expect.any(String) }, content: { type: "string" } },
        required: ["file_path", "content"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    })
    expect(tools.find(({ name }) => name === "Grep")?.annotations).toMatchObject({ readOnlyHint: true })
  })

  it("are limited by the session's options", async () => {
    const id = await perch.createSession({ tools: ["Read", "Grep"], disallowedTools: ["Grep"] })
    const client = await connect(id, {}, `?session=${id}`)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["Read", ...PERCH_TOOLS])
    expect(await callTool(client, "Write", { file_path: "a.txt", content: "a" })).toMatchObject({ isError: true })
  })

  it("return what the same calls return in a turn", async () => {
    const calls = [
      call("Write", { file_path: "/workspace/notes.txt", content: "one\ntwo\nthree\n" }),
      call("Read", { file_path: "/workspace/notes.txt", offset: 2 }),
      call("Grep", { pattern: "^t", output_mode: "content" }),
      call("Edit", { file_path: "/workspace/notes.txt", old_string: "two", new_string: "2" }),
      call("Glob", { pattern: "**/*.txt" }),
      call("LS", { path: "/workspace" }),
      call("Bash", { command: "wc -l notes.txt; echo gone >&2" }),
      call("Bash", { command: "cat nothing.txt" }),
      call("Read", { file_path: "/workspace/missing.txt" }),
      call("Edit", { file_path: "/workspace/notes.txt", old_string: "four", new_string: "4" }),
      call("Bash", { command: "echo more >> notes.txt && cat notes.txt" }),
    ]
    const options = { ...EDITS, allowedTools: ["Bash"] }
    const [mine, theirs] = [await perch.createSession(options), await perch.createSession(options)]
    const expected = await inTurn(theirs, calls)
    expect(expected).toHaveLength(calls.length)

    const client = await connect(mine)
    for (const [index, { name, input }] of calls.entries()) {
      const { content, is_error = false, output } = fromCallToolResult(await callTool(client, name, { ...input }))
      expect(plain({ content, failed: is_error, output }), `${index} ${name}`).toEqual(plain(expected[index]))
    }
    expect(await perch.getFile(mine, "/workspace/notes.txt")).toBe(await perch.getFile(theirs, "/workspace/notes.txt"))
  })

  it("log each call with its hook events, and the session stays idle", async () => {
    const id = await perch.createSession(EDITS)
    const client = await connect(id)
    await callTool(client, "Write", { file_path: "/workspace/a.txt", content: "a\n" })
    await callTool(client, "Read", { file_path: "/workspace/a.txt" })
    await callTool(client, "Read", { file_path: "/workspace/b.txt" })
    const events = await perch.events(id)
    const each = ["hook:fired", "hook:fired", "tool:called"]
    expect(events.map(({ name }) => name)).toEqual(["session:created", ...each, ...each, ...each])
    expect(events.every(({ turn }) => turn === null)).toBe(true)
    const calls = events.filter(({ name }) => name === "tool:called")
    expect(calls.map(({ payload }) => payload)).toMatchObject([
      { tool_name: "Write", via: "mcp", input: { content: "a\n" }, output: { type: "create" } },
      { tool_name: "Read", via: "mcp", content: expect.stringContaining("a"), output: { type: "text" } },
      { tool_name: "Read", via: "mcp", is_error: true },
    ])
    expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject({ state: "idle", turns: 0 })
  })
})

describe("structured content", () => {
  it("is the plain form of tools that have one, as in their output schema", async () => {
    const id = await perch.createSession({ ...EDITS, allowedTools: ["Bash"] })
    const client = await connect(id)
    const { tools } = await client.listTools()
    const schemas = new Map(tools.map(({ name, outputSchema }) => [name, outputSchema]))
    const described = tools
      .filter(({ name, outputSchema }) => outputSchema !== undefined && !PERCH_TOOLS.includes(name))
      .map(({ name }) => name)
    const all = ["Bash", "Edit", "Glob", "Grep", "Read", "TodoWrite", "WebFetch", "WebSearch", "Write"]
    expect(described.toSorted()).toEqual(all)
    expect(schemas.get("Grep")).toMatchObject({
      type: "object",
      properties: { mode: expect.anything(), files: { type: "array" }, content: { type: "string" } },
      required: ["mode", "total"],
    })
    // The client validates each against its output schema.
    const structured = async (name: string, input: Record<string, unknown>) =>
      (await callTool(client, name, input)).structuredContent
    const written = await structured("Write", { file_path: "/workspace/a.txt", content: "one\ntwo\n" })
    expect(written).toEqual({ message: expect.any(String), file_path: "/workspace/a.txt", bytes_written: 8 })
    const todos = [{ content: "Look", status: "pending", activeForm: "Looking" }]
    expect(await structured("TodoWrite", { todos })).toEqual({ message: expect.any(String), todos_count: 1 })
    expect(await perch.json("GET", `/v1/sessions/${id}/todos`)).toMatchObject({ todos: [{ content: "Look" }] })
    expect(await structured("Read", { file_path: "a.txt", limit: 1 })).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("one") }],
      lines_returned: 1,
      truncated: true,
    })
    const edit = { file_path: "/workspace/a.txt", old_string: "two", new_string: "2" }
    expect(await structured("Edit", edit)).toMatchObject({ replacements: 1, diff: expect.stringContaining("+2") })
    expect(await structured("Glob", { pattern: "*.txt" })).toMatchObject({ total: 1, files: [expect.any(String)] })
    for (const output_mode of ["content", "files_with_matches", "count"]) {
      expect(await structured("Grep", { pattern: "o", output_mode })).toMatchObject({ mode: output_mode, total: 1 })
    }
    expect(await structured("Bash", { command: "cat a.txt" })).toEqual({ output: "one\n2", exitCode: 0 })
    expect(await structured("Bash", { command: "echo no; exit 3" })).toEqual({ output: "no", exitCode: 3 })
    // Tools without a plain form return the SDK's structured result.
    expect(await structured("LS", { path: "/workspace" })).toMatchObject({ entries: [{ name: "a.txt" }] })
  })

  it("contains the reason of a failed call in the plain form too", async () => {
    const client = await connect(await perch.createSession({ ...EDITS, disallowedTools: ["Edit(secret/**)"] }))
    const why = async (name: string, input: Record<string, unknown>) =>
      (await callTool(client, name, input))._meta?.["perch/error"]
    expect(await why("Read", { file_path: "no.txt" })).toMatch(/^Error \(not_found\): There is no file/)
    await callTool(client, "Write", { file_path: "a.txt", content: "a\na\n" })
    const edit = { file_path: "a.txt", old_string: "a", new_string: "b" }
    expect(await why("Edit", edit)).toMatch(/^Error \(not_unique\): /)
    expect(await why("Edit", { ...edit, old_string: "c" })).toMatch(/^Error \(missing_old_text\): /)
    expect(await why("Write", { file_path: "secret/a", content: "a" })).toMatch(/^Error \(permission_denied\): [^<]+$/)
    expect(await why("Grep", { pattern: "(" })).toMatch(/^Error \(invalid_arguments\): /)
    expect(await why("Read", { file_path: "a.txt" })).toBeUndefined()
  })
})

describe("the tools of the MCP servers that the session's client has", () => {
  /** A session whose client has the calculator. */
  const withCalculator = async (options: Record<string, unknown>) => {
    const id = await perch.createSession(options)
    const { server, seen } = calculator()
    const { pipe } = await pipeTo(server)
    const socket = await ControlSocket.open(shared, id, {
      onFrame: (frame, owner) => {
        if (frame.request?.subtype !== "mcp_message") return
        // What the control protocol sends for this request.
        const message = frame.request["message"] as Parameters<typeof pipe.send>[0]
        void Effect.runPromise(pipe.send(message, 5_000)).then((response) =>
          owner.answer(frame, { mcp_response: response ?? { jsonrpc: "2.0", id: 0, result: {} } }),
        )
      },
    })
    expect(await socket.request({ subtype: "initialize", sdkMcpServers: ["calc"] })).toMatchObject({
      subtype: "success",
    })
    const connected = async () =>
      JSON.stringify((await socket.request({ subtype: "mcp_status" })).response).includes("connected")
    await eventually(async () => ((await connected()) ? true : undefined))
    return { id, seen, socket }
  }

  it("are listed with the others and called outside a turn, under the session's permissions", async () => {
    const options = { allowedTools: ["mcp__calc__add", "mcp__calc__iserr"], disallowedTools: ["mcp__calc__boom"] }
    const { id, seen, socket } = await withCalculator(options)
    const client = await connect(id)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["Read", "mcp__calc__add", "mcp__calc__wait"]))
    expect(names).not.toContain("mcp__calc__boom")
    expect(tools.find(({ name }) => name === "mcp__calc__add")).toMatchObject({
      description: "Adds two numbers",
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a", "b"] },
      annotations: { readOnlyHint: false },
    })
    expect(tools.find(({ name }) => name === "mcp__calc__wait")?.annotations).toEqual({ readOnlyHint: true })
    expect(await callTool(client, "mcp__calc__add", { a: 40, b: 2 })).toMatchObject({
      content: [{ type: "text", text: "42" }],
    })
    expect(seen).toMatchObject([{ input: { a: 40, b: 2 } }])
    expect(await callTool(client, "mcp__calc__iserr", {})).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "bad thing" }],
    })
    expect(await callTool(client, "mcp__calc__add", { a: "40", b: 2 })).toMatchObject({ isError: true })
    expect(await callTool(client, "mcp__calc__struct", {})).toMatchObject({
      isError: true,
      _meta: { "perch/error": expect.stringMatching(/^Error \(permission_denied\): /) },
    })
    expect(seen).toHaveLength(1)
    const called = (await perch.events(id)).filter(({ name }) => name === "tool:called")
    expect(called.map(({ payload }) => payload["tool_name"])).toEqual([
      "mcp__calc__add",
      "mcp__calc__iserr",
      "mcp__calc__struct",
    ])
    await socket.close()
  })

  it("fail, and block nothing, when that client has disconnected", async () => {
    const { id, socket } = await withCalculator({ ...EDITS, allowedTools: ["mcp__calc__add"] })
    await socket.close()
    const client = await connect(id)
    await eventually(async () => {
      const { isError, _meta } = await callTool(client, "mcp__calc__add", { a: 1, b: 1 })
      expect(isError).toBe(true)
      return String(_meta?.["perch/error"]).includes("Error (command_failed): ") ? true : undefined
    })
    expect(await callTool(client, "Write", { file_path: "a.txt", content: "a" })).not.toHaveProperty("isError")
  })
})
