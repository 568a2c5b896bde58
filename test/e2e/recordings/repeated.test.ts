// Client actions between the turns of a recorded session, in addition to prompts: a replay repeats them, and the logs are
// equal.
import { randomUUID } from "node:crypto"
import { expect, it } from "vitest"
import { call, promptFor, scriptName, text, textAnswer } from "../../support/session/scripts.ts"
import { api, perch, record, RECORD, type Report } from "./recorded.ts"

const bash = (command: string) => ({ content: [call("Bash", { command })] })

const session = async (...steps: ReadonlyArray<object>) => {
  const name = scriptName("repeated")
  await api.set(name, steps)
  return { id: await perch.createSession({ ...RECORD, settingSources: [] }), name, prompt: promptFor(name) }
}

/** The replay of the session has equal events, also when the same request is sent again. */
const expectEqualReplay = async ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { id: recording } = await record(id)
  const asked = (await api.requests(name)).length
  const headers = { "idempotency-key": randomUUID() }
  const replay = () => perch.json<Report>("POST", `/v1/recordings/${recording}/replay`, { json: {}, headers })
  const report = await replay()
  expect(report).toMatchObject({ equal: true, difference: null })
  expect(await replay()).toEqual(report)
  expect((await api.requests(name)).length).toBe(asked)
  return report.session_id
}

interface Messages {
  readonly messages: ReadonlyArray<{ readonly info: { readonly id: string; readonly role: string } }>
}

const answersOf = async (id: string) =>
  (await perch.json<Messages>("GET", `/v1/sessions/${id}/messages`)).messages.filter(
    ({ info }) => info.role === "assistant",
  )

it("reverts with their files, before a prompt and within a turn, and an undone revert", async () => {
  const { id, name, prompt } = await session(
    { content: [call("Write", { file_path: "/workspace/a.txt", content: "one" })] },
    bash("echo two > a.txt"),
    textAnswer("Written."),
    textAnswer("Noted."),
  )
  await perch.query(id, prompt)
  const noted = randomUUID()
  await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt: "Note it.", uuid: noted } })
  const revert = (messageID: string | undefined, rewindFiles = false) =>
    perch.json("POST", `/v1/sessions/${id}/revert`, { json: { messageID, rewindFiles } })
  await revert(noted)
  await perch.json("POST", `/v1/sessions/${id}/unrevert`, { json: {} })
  await revert((await answersOf(id))[1]?.info.id, true)
  expect(await perch.getFile(id, "/workspace/a.txt")).toBe("one")
  // Only the model's first answer remains: it writes the file again.
  await perch.query(id, "Go on.")
  await revert((await answersOf(id)).at(-1)?.info.id)
  const replayed = await expectEqualReplay({ id, name })
  expect(await perch.getFile(replayed, "/workspace/a.txt")).toBe("two\n")
  expect((await answersOf(replayed)).length).toBe((await answersOf(id)).length)
})

it("calls of tools over /mcp, with files that were written just before them", async () => {
  const { id, name, prompt } = await session(
    bash("cat notes.txt"),
    textAnswer("Read."),
    bash("cat notes.txt"),
    textAnswer("Again."),
  )
  const tool = async (tool: string, input: object) => {
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input } }
    const headers = { accept: "application/json, text/event-stream" }
    const { result } = await perch.json<{ result: { isError?: boolean } }>("POST", `/mcp?session=${id}`, {
      json,
      headers,
    })
    return result.isError ?? false
  }
  const file = "/workspace/notes.txt"
  await perch.putFile(id, file, "goodbye\n")
  expect(await tool("Read", { file_path: file })).toBe(false)
  expect(await tool("Edit", { file_path: file, old_string: "goodbye", new_string: "hello" })).toBe(false)
  expect(await tool("Read", { file_path: "/workspace/none.txt" })).toBe(true)
  await perch.query(id, prompt)
  expect(await tool("Bash", { command: "echo more >> notes.txt" })).toBe(false)
  await perch.query(id, "Once more.")
  expect(await tool("Grep", { pattern: "more" })).toBe(false)
  await expectEqualReplay({ id, name })
})

it("what an app writes as the progress of routed runs", async () => {
  const { id, name, prompt } = await session(
    { content: [call("mcp__mechacoder__read_progress", {})] },
    { content: [call("mcp__mechacoder__subtask_complete", { summary: "Done.", filesModified: [] })] },
  )
  await perch.json("PUT", `/v1/sessions/${id}/progress`, { json: { text: "The lexer is done." } })
  await perch.json("POST", `/v1/sessions/${id}/query`, { json: { prompt, route: "claude-code" } })
  await perch.json("PUT", `/v1/sessions/${id}/progress`, { json: { text: "All is done." } })
  await expectEqualReplay({ id, name })
})

it("a prompt that created its session, with the option to record it", async () => {
  const name = scriptName("repeated")
  await api.set(name, [bash("echo one"), textAnswer("Done.")])
  const json = { prompt: promptFor(name), options: { ...RECORD, settingSources: [] } }
  const { session_id: id } = await perch.json<{ session_id: string }>("POST", "/v1/query", { json })
  await expectEqualReplay({ id, name })
})

it("a command that shows how long turns took", async () => {
  const { id, name, prompt } = await session({ ...textAnswer("Slowly."), delay_ms: 400 })
  await perch.query(id, prompt)
  await perch.query(id, "/cost")
  await expectEqualReplay({ id, name })
})

it("runs of a chat, one of which waited for a tool of its caller, and one that exceeded its time limit", async () => {
  const name = scriptName("recorded-runs")
  const use = call("get_weather", { place: "Bern" })
  await api.set(name, [
    { content: [use] },
    textAnswer("Sunny."),
    { ...textAnswer("Late."), hold: { gate: scriptName("never") } },
  ])
  const run = async (fields: object) => {
    const json = { sessionId: name, timeoutMs: 20_000, ...fields }
    return perch.request("POST", "/v1/runs", { json })
  }
  const parameters = { type: "object", properties: { place: { type: "string" } } }
  const clientTools = [{ type: "function", function: { name: "get_weather", description: "The weather", parameters } }]
  const first = await run({ runId: "1", prompt: promptFor(name), runtime: "record", clientTools })
  const id = first.headers.get("perch-session-id") ?? ""
  const { meta } = (await first.json()) as { meta: { pendingToolCalls: ReadonlyArray<{ id: string }> } }
  const toolResults = meta.pendingToolCalls.map((pending) => ({ id: pending.id, content: "12 degrees" }))
  expect(await (await run({ runId: "2", toolResults })).json()).toMatchObject({ payloads: [{ text: "Sunny." }] })
  expect(await (await run({ runId: "3", prompt: "And now?", timeoutMs: 1_000 })).json()).toMatchObject({
    meta: { aborted: true },
  })
  await expectEqualReplay({ id, name })
})

it("a skill that was called while its answer streamed", async () => {
  const { id, name, prompt } = await session(
    {
      content: [call("Skill", { skill: "greet" }), text("I greet, and go on for a while. ".repeat(8))],
      delta_delay_ms: 20,
    },
    textAnswer("Hi."),
  )
  await perch.json("PATCH", `/v1/sessions/${id}`, { json: { options: { settingSources: ["project"] } } })
  const skill = "---\nname: greet\ndescription: Greets\n---\nSay hi."
  await perch.putFile(id, "/workspace/.claude/skills/greet/SKILL.md", skill)
  await perch.query(id, prompt)
  await expectEqualReplay({ id, name })
})
