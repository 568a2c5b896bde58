// `/mcp` with the official MCP client: who may connect, which calls run, and how they wait for each other and for turns.
import { randomUUID } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { PerchClient } from "../../support/server/client.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { callTool, mcpClients } from "../../support/mcp/mcp-client.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)
const { connect } = mcpClients(shared)

const EDITS = { permissionMode: "acceptEdits" }

describe("concurrent calls", () => {
  it("that change files run one after the other, and a prompt waits for them", async () => {
    const name = scriptName("mcp-meet")
    await api.set(name, [{ content: [call("Read", { file_path: "/workspace/log.txt" })] }, textAnswer("Done.")])
    const id = await perch.createSession({ ...EDITS, allowedTools: ["Bash"] }, { "/workspace/log.txt": "" })
    const client = await connect(id)
    const append = (line: number) => ({ command: `for i in $(seq 50); do true; done; echo line ${line} >> log.txt` })
    const calls = [1, 2, 3, 4].map((line) => callTool(client, "Bash", append(line)))
    const results = await Promise.all(calls)
    for (const result of results) expect(result).not.toHaveProperty("isError")
    const [last] = await Promise.all([callTool(client, "Bash", append(5)), perch.query(id, promptFor(name))])
    const lines = ((await perch.getFile(id, "/workspace/log.txt")) ?? "").split("\n").slice(0, -1)
    // The fifth either ran before the prompt, or arrived after it and was refused.
    expect(lines.toSorted()).toEqual([1, 2, 3, 4, ...(last.isError === true ? [] : [5])].map((line) => `line ${line}`))
    const events = await perch.events(id)
    const [started, ended] = ["turn:started", "sdk:result/success"].map((one) =>
      events.findIndex((e) => e.name === one),
    )
    const inside = events.slice(started, ended).filter((event) => event.name === "tool:called")
    expect(inside.filter(({ payload }) => payload.is_error !== true)).toEqual([])
  })

  it("know the files that earlier calls read or wrote, and no others", async () => {
    const id = await perch.createSession(EDITS, { "/workspace/a.txt": "a\n" })
    const client = await connect(id)
    const write = { file_path: "/workspace/a.txt", content: "b\n" }
    expect(await callTool(client, "Write", write)).toMatchObject({ isError: true })
    await callTool(client, "Read", { file_path: "a.txt" })
    expect(await callTool(client, "Write", write)).not.toHaveProperty("isError")
    expect(await perch.getFile(id, "/workspace/a.txt")).toBe("b\n")
  })
})

describe("a call that is not permitted", () => {
  it("is refused with an error result when it would need an ask", async () => {
    const id = await perch.createSession({ permissionMode: "default" })
    const client = await connect(id)
    const refused = await callTool(client, "Write", { file_path: "/workspace/a.txt", content: "a" })
    expect(refused).toMatchObject({
      isError: true,
      content: [
        { type: "text", text: expect.stringMatching(/ermission.*\bpermissionMode acceptEdits .*\/permissions\//) },
      ],
    })
    expect(await perch.getFile(id, "/workspace/a.txt")).toBeNull()
    expect(await perch.asks(id)).toEqual([])
    expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject({ state: "idle" })
  })

  it("is refused by a deny rule", async () => {
    const id = await perch.createSession({ ...EDITS, disallowedTools: ["Edit(secret/**)"] })
    const client = await connect(id)
    const refused = await callTool(client, "Write", { file_path: "/workspace/secret/a.txt", content: "a" })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused)).not.toContain("acceptEdits")
    expect(await perch.getFile(id, "/workspace/secret/a.txt")).toBeNull()
    expect(await callTool(client, "Write", { file_path: "/workspace/a.txt", content: "a" })).not.toHaveProperty(
      "isError",
    )
  })

  it("waits for no turn: while one is open only reading calls are admitted", async () => {
    const name = scriptName("mcp-busy")
    await api.set(name, [
      { content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] },
      textAnswer("Done."),
    ])
    const id = await perch.createSession(
      { permissionMode: "default", allowedTools: ["Edit(/b.txt)"] },
      {
        "/workspace/b.txt": "b\n",
      },
    )
    await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: promptFor(name) }, status: 202 })
    const client = await connect(id)
    expect(await callTool(client, "Read", { file_path: "/workspace/b.txt" })).not.toHaveProperty("isError")
    const change = { file_path: "/workspace/b.txt", old_string: "b", new_string: "c" }
    expect(await callTool(client, "Edit", change)).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/a turn is open/) }],
    })
    const [ask] = await perch.asks(id)
    await perch.answer(id, ask!.request_id, { behavior: "deny", message: "no" })
    await perch.eventsUntilResults(id, 1)
    expect(await callTool(client, "Edit", change)).not.toHaveProperty("isError")
    expect(await perch.getFile(id, "/workspace/b.txt")).toBe("c\n")
  })
})

describe("who may connect", () => {
  it("needs a key", async () => {
    const id = await perch.createSession()
    await expect(connect(id, { authorization: "" })).rejects.toThrow(/401|Unauthorized|API key/)
    await expect(connect(id, { authorization: "Bearer perch_x_y_z" })).rejects.toThrow(/401|Unauthorized|API key/)
  })

  it("can't reach a session of another tenant, an unknown one, and an unnamed one", async () => {
    const id = await perch.createSession()
    const { key } = await perch.json<{ key: string }>("POST", "/v1/admin/keys", {
      json: { tenant: "mcp" },
      status: 201,
    })
    await expect(connect(id, { authorization: `Bearer ${key}` })).rejects.toThrow(/not_found_error/)
    await expect(connect(randomUUID())).rejects.toThrow(/not_found_error/)
    await expect(connect("nonsense")).rejects.toThrow(/invalid_request_error/)
  })
})
