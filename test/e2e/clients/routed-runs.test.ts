// Routed runs over HTTP: both query routes, the fallback, a tenant's router, and the bridge between a run and its app.
import { randomBytes } from "node:crypto"
import { describe, expect, inject, it } from "vitest"
import { type Ask, eventually, type Event, PerchClient } from "../../support/server/client.ts"
import { ApiLog } from "../../support/session/api-log.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const DONE = { content: [text("Done.")] }
const COMPLEX = { id: "oa-1", description: "Refactor the parser" }
const SIMPLE = { id: "oa-2", description: "Fix the typo" }
const ISSUE = "Which grammar is it?"
const write = (name: string) => ({ content: [call("Write", { file_path: `/workspace/${name}`, content: "x" })] })

type Result = Readonly<Record<string, unknown>> & { readonly session_id: string }

const scripted = async (...turns: ReadonlyArray<object>): Promise<string> => promptFor(await api.add("route", turns))

const routed = async (json: object, as = perch) =>
  as.json<Result>("POST", "/v1/query", { json: { prompt: await scripted(DONE), route: "auto", ...json } })

const payloadsOf = (events: ReadonlyArray<Event>, name: string) =>
  events.filter((event) => event.name === name).map(({ payload }) => payload)

/** Keys of a tenant that only this test uses. */
const tenant = async () => {
  const name = `routes-${randomBytes(4).toString("hex")}`
  const keyOf = async (scopes: object) =>
    (await perch.json<{ key: string }>("POST", "/v1/admin/keys", { json: { tenant: name, ...scopes }, status: 201 }))
      .key
  return { own: perch.withKey(await keyOf({})), reader: perch.withKey(await keyOf({ scopes: ["sessions:read"] })) }
}

describe("a routed prompt", () => {
  it("is executed by the agent that the router chooses, over both query routes", async () => {
    const full = await routed({ subtask: COMPLEX })
    expect(full).toMatchObject({ subagent_result: { success: true, subtaskId: "oa-1", mode: "claude-code" } })
    const messages = await perch.query(full.session_id, await scripted(DONE), { subtask: SIMPLE })
    expect(messages[0]).toMatchObject({ subtype: "init", tools: ["Read", "Write", "Edit", "Bash"], mcp_servers: [] })
    expect(messages.at(-1)).toMatchObject({ subagent_result: { subtaskId: "oa-2", mode: "minimal" } })
    const decisions = payloadsOf(await perch.events(full.session_id), "route:decided")
    expect(decisions.map(({ mode, reason }) => [mode, reason])).toEqual([
      ["claude-code", "complex"],
      ["minimal", "simple"],
    ])
  })

  it("continues with the minimal agent after a failure; its files come from both, and the rows of costs add up", async () => {
    const prompt = await scripted(write("a.txt"), write("b.txt"), DONE)
    const options = { claudeCode: { maxTurnsPerSubtask: 1 } }
    const result = await routed({ prompt, subtask: COMPLEX, options })
    expect(result).toMatchObject({
      subtype: "success",
      subagent_result: {
        success: true,
        mode: "minimal",
        filesModified: ["/workspace/a.txt", "/workspace/b.txt"],
        total_cost_usd: result["total_cost_usd"],
      },
    })
    const events = await perch.events(result.session_id)
    expect(payloadsOf(events, "route:fell_back")).toEqual([{ error: "Reached maximum number of turns (1)" }])
    const paid = payloadsOf(events, "call:finished").reduce((sum, { usd }) => sum + Number(usd), 0)
    expect(paid).toBeCloseTo(Number(result["total_cost_usd"]), 12)
  })

  it.each([
    ["options.claudeCode.complexityThreshold", { options: { claudeCode: { complexityThreshold: 1.1 } } }],
    ["options.claudeCode.maxTurns", { options: { claudeCode: { maxTurns: 3 } } }],
    ["subtask.label", { subtask: { ...SIMPLE, label: "docs" } }],
    ["route", { route: "best" }],
  ])("is refused where %s is wrong", async (field, json) => {
    const { error } = await perch.json<{ error: object }>("POST", "/v1/query", {
      json: { prompt: "Hello", ...json },
      status: 400,
    })
    expect(error).toMatchObject({ field })
  })

  it("uses its own tenant's router, which its options override", async () => {
    const [{ own }, { own: other }] = await Promise.all([tenant(), tenant()])
    await own.json("POST", "/v1/routers", { json: { name: "default", complexityThreshold: 0.001 }, status: 201 })
    expect(await routed({ subtask: SIMPLE }, own)).toMatchObject({ subagent_result: { mode: "claude-code" } })
    expect(await routed({ subtask: SIMPLE }, other)).toMatchObject({ subagent_result: { mode: "minimal" } })
    const options = { claudeCode: { complexityThreshold: 0.9 } }
    expect(await routed({ subtask: COMPLEX, options }, own)).toMatchObject({ subagent_result: { mode: "minimal" } })
    expect((await other.request("GET", "/v1/routers/default")).status).toBe(404)
    expect((await own.request("DELETE", "/v1/routers/default")).status).toBe(204)
    expect(await routed({ subtask: SIMPLE }, own)).toMatchObject({ subagent_result: { mode: "minimal" } })
  })
})

describe("the bridge", () => {
  it("passes the app's progress to a run and the run's calls to the app", async () => {
    const { own, reader } = await tenant()
    const id = await own.createSession()
    const place = `/v1/sessions/${id}/progress`
    expect((await reader.request("PUT", place, { json: { text: "x" } })).status).toBe(403)
    expect((await perch.request("PUT", place, { json: { text: "x" } })).status).toBe(404)
    expect((await own.request("PUT", place, { json: { text: "é".repeat(32_769) } })).status).toBe(400)
    const progress = await own.json("PUT", place, { json: { text: "The lexer is done." } })
    expect(await reader.json("GET", place)).toEqual(progress)
    const prompt = await scripted(
      { content: [call("mcp__mechacoder__read_progress", {})] },
      { content: [call("mcp__mechacoder__request_help", { issue: ISSUE })] },
      { content: [call("mcp__mechacoder__subtask_complete", { summary: "All parsed.", filesModified: ["a.txt"] })] },
    )
    const { pending, turn_id } = await own.json<{ pending: ReadonlyArray<Ask>; turn_id: string }>(
      "POST",
      `/v1/sessions/${id}/query`,
      { json: { prompt, route: "claude-code" }, status: 202 },
    )
    await own.answer(id, pending[0]!.request_id, { answers: { [ISSUE]: "The older one." } })
    const ended = await own.json<{ result: object }>("GET", `/v1/sessions/${id}/turns/${turn_id}?wait=20`)
    expect(ended.result).toMatchObject({
      result: "All parsed.",
      subagent_result: { success: true, summary: "All parsed.", filesModified: ["/workspace/a.txt"] },
    })
    const called = await eventually(async () => {
      const found = await own.json<{ data: ReadonlyArray<{ input: { tool: string } }> }>(
        "GET",
        `/v1/hook-events?session=${id}&name=bridge:called`,
      )
      return found.data.length === 3 ? found.data : undefined
    })
    expect(called.map(({ input }) => input.tool).toSorted()).toEqual([
      "read_progress",
      "request_help",
      "subtask_complete",
    ])
    const copy = await own.json<{ id: string }>("POST", `/v1/sessions/${id}/fork`, { json: {}, status: 201 })
    expect(await own.json("GET", `/v1/sessions/${copy.id}/progress`)).toEqual(progress)
  })
})
