// POST /v1/sessions with a history: the events that the session is created with, and what is rejected by name.
import { expect, it } from "vitest"
import { makeApi } from "../../http/api.ts"

const user = (content: unknown, more: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...more,
})
const create = (api: ReturnType<typeof makeApi>, body: object, headers: Record<string, string> = {}) =>
  api.call("POST", "/v1/sessions", { json: body, headers })

it("passes the session its first events, each with the session's id", async () => {
  const api = makeApi()
  const response = await create(api, { history: [user("Hi"), user("Ho")] })
  expect(response.status).toBe(201)
  const { id } = (await response.json()) as { id: string } // the contract says so
  const session = [...api.sessions.byName.values()].find((one) => one.id === id)
  expect(session?.history.map(({ name }) => name)).toEqual(["turn:queued", "sdk:user", "turn:imported"])
  expect(session?.history[1]?.payload).toMatchObject({ session_id: id })
})

it("creates one session per key, and refuses the key with another history", async () => {
  const api = makeApi()
  const headers = { "idempotency-key": "one" }
  expect((await create(api, { history: [user("Hi")] }, headers)).status).toBe(201)
  expect((await create(api, { history: [user("Hi")] }, headers)).status).toBe(200)
  expect((await create(api, { history: [user("Ho")] }, headers)).status).toBe(422)
})

it.each([
  [
    "a message of a wrong shape",
    { history: [user("Hi"), user([{ type: "text" }])] },
    "history[1].message.content[0].text",
  ],
  ["a message that is no object", { history: [user("Hi"), 5] }, "history[1]"],
  ["a message without a type", { history: [{}] }, "history[0].type"],
  [
    "a result that no call waits for",
    { history: [user([{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }])] },
    "history[0].message.content[0]",
  ],
  ["more messages than a session may begin with", { history: Array.from({ length: 10_001 }, () => ({})) }, "history"],
  [
    "a session that is resumed",
    { history: [user("Hi")], options: { resume: "0199a000-0000-7000-8000-000000000001" } },
    "history",
  ],
  ["a session that is continued", { history: [], options: { continue: true } }, "history"],
])("refuses %s, and says where", async (_, body, field) => {
  const { error } = await makeApi().refused(400, "POST", "/v1/sessions", { json: body })
  expect(error).toMatchObject({ type: "invalid_request_error", field })
  expect(error.message).toContain(field)
})
