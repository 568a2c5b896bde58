// A tenant's stored agents, and agents in the SDK's session functions, on a real server.
import { expect, inject, it } from "vitest"
import { perchSessions } from "../../../src/client/api/entry.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { type Event, eventually, PerchClient } from "../../support/server/client.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const root = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const tenantClient = async () => {
  const json = { tenant: `agents-${crypto.randomUUID().slice(0, 8)}` }
  const { key } = await root.json<{ key: string }>("POST", "/v1/admin/keys", { json, status: 201 })
  return { key, perch: root.withKey(key) }
}

const scripted = (...turns: ReadonlyArray<unknown>): Promise<string> => api.add("stored", turns)

const delegate = (type: string, script: string, more: object = {}) => ({
  content: [
    call("Agent", {
      description: "d",
      subagent_type: type,
      prompt: promptFor(script),
      run_in_background: false,
      ...more,
    }),
  ],
})

/** Runs a turn that gives the agent a task; returns the agents in system/init and the agent's system prompt. */
const run = async (perch: PerchClient, session: string, type: string) => {
  const sub = await scripted(textAnswer("Report."))
  const script = await scripted(delegate(type, sub), textAnswer("Done."))
  const turn = await perch.submit(session, promptFor(script))
  const events = await eventually(async () => {
    const all = await perch.events(session)
    return all.some((event) => event.turn === turn && event.name.startsWith("sdk:result")) ? all : undefined
  })
  const own = events.filter((event) => event.turn === turn)
  const init = own.find(({ name }) => name === "sdk:system/init")?.payload as
    | { agents?: ReadonlyArray<string> }
    | undefined
  const [request] = await api.requests(sub)
  const system = JSON.stringify(request?.body["system"] ?? null)
  return { agents: init?.agents ?? [], system, events: own as ReadonlyArray<Event> }
}

it("a stored agent is listed, used, changed and deleted, and other tenants don't have it", async () => {
  const { perch } = await tenantClient()
  const other = await tenantClient()
  const agent = { description: "Reviews.", prompt: "You review, first edition." }
  await perch.json("POST", "/v1/agents", { json: { name: "reviewer", ...agent }, status: 201 })
  const session = await perch.createSession({})
  const first = await run(perch, session, "reviewer")
  expect(first.agents).toContain("reviewer")
  expect(first.system).toContain("first edition")

  await perch.json("PUT", "/v1/agents/reviewer", { json: { ...agent, prompt: "You review, second edition." } })
  expect((await run(perch, session, "reviewer")).system).toContain("second edition")

  expect((await other.perch.request("GET", "/v1/agents/reviewer")).status).toBe(404)
  const foreign = await run(other.perch, await other.perch.createSession({}), "reviewer")
  expect(foreign.agents).not.toContain("reviewer")
  expect(foreign.system).toBe("null")

  expect((await perch.request("DELETE", "/v1/agents/reviewer")).status).toBe(204)
  const after = await run(perch, session, "reviewer")
  expect(after.agents).not.toContain("reviewer")
  expect(JSON.stringify(after.events)).toContain('There is no agent of the type \\"reviewer\\"')
})

it("a stored agent names MCP servers and configures none", async () => {
  const { perch } = await tenantClient()
  const mcpServers = ["docs", { own: { type: "http", url: "https://mcp.example.com", headers: { a: "secret-4711" } } }]
  const json = { name: "reader", description: "Reads.", prompt: "You read.", mcpServers }
  const response = await perch.request("POST", "/v1/agents", { json })
  const answer = await response.text()
  expect([response.status, answer]).toMatchObject([400, expect.stringContaining('"field":"mcpServers[1]"')])
  expect(answer).not.toContain("secret-4711")
})

it("listSubagents and getSubagentMessages return each agent's conversation, including those in the background", async () => {
  const { key, perch } = await tenantClient()
  const bypass = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true }
  const session = await perch.createSession(bypass)
  const bash = call("Bash", { command: "echo hi", description: "d" })
  const [one, two] = [await scripted({ content: [bash] }, textAnswer("One.")), await scripted(textAnswer("Two."))]
  const begin = [...delegate("Plan", one).content, ...delegate("Plan", two, { run_in_background: true }).content]
  await perch.submit(session, promptFor(await scripted({ content: begin }, textAnswer("Begun."), textAnswer("Seen."))))
  await eventually(async () => {
    const ended = (await perch.events(session)).filter(({ name }) => name === "agent:ended")
    return ended.length === 2 ? true : undefined
  })
  const sdk = perchSessions({ url: shared.url, apiKey: key })
  const ids = await sdk.listSubagents(session)
  expect(ids).toHaveLength(2)
  const all = await Promise.all(ids.map((id) => sdk.getSubagentMessages(session, id)))
  const shown = all.map((messages) =>
    messages.map(({ type, message }) => `${type}: ${JSON.stringify((message as { content: unknown }).content)}`),
  )
  expect(shown.map((lines) => lines.length).toSorted()).toEqual([2, 4])
  const long = all.find((messages) => messages.length === 4) ?? []
  expect(long.map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"])
  expect(new Set(long.map((message) => message.parent_tool_use_id)).size).toBe(1)
  expect(long[0]).toMatchObject({ session_id: session, parent_agent_id: null, uuid: expect.any(String) })
  expect(shown.flat().join()).toMatch(/Two\./)
  const [id = ""] = ids
  expect(await sdk.getSubagentMessages(session, id, { offset: 1, limit: 1 })).toHaveLength(1)
  expect(await sdk.getSubagentMessages(session, "nope")).toEqual([])
  expect(await sdk.listSubagents(crypto.randomUUID())).toEqual([])
})
