// A session's rows in D1 and messages in the Queue match its log.
import { expect, inject, it } from "vitest"
import { ApiLog } from "../../support/session/api-log.ts"
import { eventually, PerchClient } from "../../support/server/client.ts"
import { d1Rows } from "../../support/server/local-d1.ts"
import { call, promptFor, scriptName, text } from "../../support/session/scripts.ts"

const shared = inject("shared")
const perch = new PerchClient(shared)
const api = new ApiLog(shared.apiUrl)

const usage = {
  input_tokens: 1200,
  output_tokens: 340,
  cache_read_input_tokens: 5000,
  cache_creation_input_tokens: 900,
  cache_creation: { ephemeral_5m_input_tokens: 600, ephemeral_1h_input_tokens: 300 },
}

/** A session with one finished turn of three requests: a good call, a failing one and a text. */
const finishedSession = async () => {
  const name = scriptName("records")
  await api.set(name, [
    { content: [text("Writing."), call("Write", { file_path: "/workspace/n.txt", content: "one\n" })], usage },
    { content: [call("Bash", { command: "cat missing.txt", description: "Read a file that is not there" })], usage },
    { content: [text("Done.")], usage },
  ])
  const id = await perch.createSession({
    model: "claude-sonnet-4-5",
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
  })
  const messages = await perch.query(id, promptFor(name))
  return { id, result: messages.at(-1) }
}

it("hook_events has one row for each hook:fired event", async () => {
  const { id } = await finishedSession()
  const fired = (await perch.events(id)).filter(({ name }) => name === "hook:fired")
  const names = fired.map(({ payload }) => payload["hook_event_name"])
  expect(names).toEqual(expect.arrayContaining(["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"]))
  expect(names).toEqual(expect.arrayContaining(["PostToolUseFailure", "PostToolBatch", "Stop"]))
  const rows = await eventually(async () => {
    const found = d1Rows(
      shared.state,
      "SELECT seq, id, hook_event_name FROM hook_events WHERE session_id = ? ORDER BY seq",
      id,
    )
    return found.length >= fired.length ? found : undefined
  })
  const expected = fired.map(({ seq, payload }) => ({
    seq,
    id: payload["id"],
    hook_event_name: payload["hook_event_name"],
  }))
  expect(rows.map((row) => ({ ...row }))).toEqual(expected)
})

it("the cost rows in D1 sum to total_cost_usd, as do /cost and the session", async () => {
  const { id, result } = await finishedSession()
  const rows = await eventually(async () => {
    const found = d1Rows(shared.state, "SELECT usd FROM costs WHERE session_id = ?", id)
    return found.length >= 3 ? found : undefined
  })
  // Sonnet 4.5, dollars per million tokens: 3 in, 15 out, 0.3 cache read, 3.75 and 6 cache write (5 min and 1 h).
  const each = (1200 * 3 + 340 * 15 + 5000 * 0.3 + 600 * 3.75 + 300 * 6) / 1e6
  expect(rows.map((row) => row["usd"])).toEqual([1, 2, 3].map(() => expect.closeTo(each, 10)))
  expect(result?.total_cost_usd).toBeCloseTo(3 * each, 10)
  const cost = await perch.json<{ total_cost_usd: number }>("GET", `/v1/sessions/${id}/cost`)
  expect(cost).toMatchObject({ requests: 3, has_unpriced: false })
  expect(cost.total_cost_usd).toBeCloseTo(3 * each, 10)
  const session = await perch.json<{ total_cost_usd: number }>("GET", `/v1/sessions/${id}`)
  expect(session.total_cost_usd).toBeCloseTo(3 * each, 10)
})

it("GET messages equals the rows of messages and parts in D1", async () => {
  const { id } = await finishedSession()
  const { messages } = await perch.json<{
    messages: ReadonlyArray<{ info: { id: string }; parts: ReadonlyArray<unknown> }>
  }>("GET", `/v1/sessions/${id}/messages`)
  const wanted = messages.flatMap(({ parts }) => parts)
  expect(wanted.length).toBeGreaterThan(3)
  await eventually(async () => {
    const parts = d1Rows(
      shared.state,
      "SELECT part FROM parts WHERE session_id = ? ORDER BY message_position, position",
      id,
    ).map((row) => JSON.parse(String(row["part"])) as unknown)
    const infos = d1Rows(shared.state, "SELECT info FROM messages WHERE session_id = ? ORDER BY position", id)
    if (parts.length < wanted.length) return undefined
    expect(parts).toEqual(wanted)
    expect(infos.map((row) => JSON.parse(String(row["info"])) as unknown)).toEqual(messages.map(({ info }) => info))
    return true
  })
})

it("a session continues another one's conversation: its messages are in D1, the other's costs and hook events are not", async () => {
  const first = await finishedSession()
  const { messages } = await perch.json<{ messages: ReadonlyArray<object> }>(
    "GET",
    `/v1/sessions/${first.id}/messages?format=sdk`,
  )
  const options = { model: "claude-sonnet-4-5" }
  const { id } = await perch.json<{ id: string }>("POST", "/v1/sessions", {
    json: { history: messages, options },
    status: 201,
  })
  expect(await perch.json("GET", `/v1/sessions/${id}`)).toMatchObject({ state: "idle", turns: 0, total_cost_usd: 0 })
  const name = scriptName("goes-on")
  await api.set(name, [{ content: [text("I did.")], usage }])
  await perch.query(id, promptFor(name))
  const sent = (await api.requests(name)).at(-1)!.body.messages
  const kinds = sent.map(({ role, content }) =>
    [role, ...(typeof content === "string" ? ["text"] : content.map(({ type }) => type))].join(" "),
  )
  expect(kinds).toEqual([
    "user text",
    "assistant text tool_use",
    "user tool_result",
    "assistant tool_use",
    "user tool_result",
    "assistant text",
    "user text",
  ])
  expect(JSON.stringify(sent[4])).toContain("Exit code 1")

  // The same messages are returned again, and one turn more.
  const after = await perch.json<{ messages: ReadonlyArray<{ type: string; message: { content: unknown } }> }>(
    "GET",
    `/v1/sessions/${id}/messages?format=sdk`,
  )
  const content = (list: ReadonlyArray<object>) =>
    list.map((message) => (message as { message: { content: unknown } }).message.content)
  expect(content(after.messages).slice(0, messages.length)).toEqual(content(messages))
  expect(after.messages).toHaveLength(messages.length + 2)

  const fired = (await perch.events(id)).filter((event) => event.name === "hook:fired")
  await eventually(async () => {
    const rows = (table: string) => d1Rows(shared.state, `SELECT * FROM ${table} WHERE session_id = ?`, id)
    if (rows("costs").length === 0 || rows("hook_events").length < fired.length) return undefined
    expect(rows("costs")).toHaveLength(1)
    expect(rows("hook_events").map(({ seq }) => seq)).toEqual(fired.map(({ seq }) => seq))
    const { messages: parts } = await perch.json<{ messages: ReadonlyArray<object> }>(
      "GET",
      `/v1/sessions/${id}/messages`,
    )
    return rows("messages").length === parts.length ? true : undefined
  })
})
