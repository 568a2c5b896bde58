// Invalid inputs that `POST /v1/ag-ui` rejects before any event is sent, with the name of the field.
import { describe, expect, it } from "vitest"
import { makeApi } from "../../api.ts"

const user = (content: unknown) => ({ id: "m1", role: "user", content })
const INPUT = { threadId: "thread-1", runId: "run-1", messages: [user("hi")], tools: [], context: [], state: {} }
const TOOL = { name: "get_weather", description: "Weather", parameters: { type: "object" } }

describe("an input", () => {
  it.each<readonly [string, object, string]>([
    ["with a tool's schema as text", { tools: [{ ...TOOL, parameters: '{"type":"object"}' }] }, "tools[0].parameters"],
    ["with a tool's schema that is a number", { tools: [{ ...TOOL, parameters: 7 }] }, "tools[0].parameters"],
    ["with a tool's schema in a list", { tools: [{ ...TOOL, parameters: [{}] }] }, "tools[0].parameters"],
    ["without a thread", { threadId: undefined }, "threadId"],
    ["with an empty thread", { threadId: "" }, "threadId"],
    ["with a number as run", { runId: 7 }, "runId"],
    ["without messages", { messages: undefined }, "messages"],
    ["with messages that are no list", { messages: {} }, "messages"],
    ["with a message of an unknown role", { messages: [{ id: "1", role: "robot", content: "x" }] }, "messages[0].role"],
    ["with a message without id", { messages: [{ role: "user", content: "x" }] }, "messages[0].id"],
    [
      "with a sound",
      { messages: [user([{ type: "audio", source: { type: "data", value: "", mimeType: "a/b" } }])] },
      "messages[0].content[0].type",
    ],
    [
      "with an image of a type that no model takes",
      { messages: [user([{ type: "image", source: { type: "data", value: "AAAA", mimeType: "image/bmp" } }])] },
      "messages[0].content[0].source.mimeType",
    ],
    [
      "with an image that is not base64",
      { messages: [user([{ type: "image", source: { type: "data", value: "AAA", mimeType: "image/png" } }])] },
      "messages[0].content[0].source.value",
    ],
    [
      "with a document of a type that no model takes",
      {
        messages: [
          user([{ type: "document", source: { type: "data", value: "AAAA", mimeType: "application/msword" } }]),
        ],
      },
      "messages[0].content[0].source.mimeType",
    ],
    [
      "with a document that is no base64",
      { messages: [user([{ type: "document", source: { type: "data", value: "?", mimeType: "text/plain" } }])] },
      "messages[0].content[0].source.value",
    ],
    ["with no new message", { messages: [] }, "messages"],
    ["with an empty prompt", { messages: [user("")] }, "messages"],
    ["that ends with an answer", { messages: [user("x"), { id: "2", role: "assistant", content: "y" }] }, "messages"],
    ["with a tool without a name", { tools: [{ description: "x" }] }, "tools[0].name"],
    [
      "with a tool whose name no model takes, although it starts no turn",
      { messages: [], tools: [{ ...TOOL, name: "get weather" }] },
      "tools[0].name",
    ],
    ["with a tool of Perch's name", { tools: [{ ...TOOL, name: "Write" }] }, "tools[0].name"],
    [
      "with a tool whose schema no model takes",
      { tools: [{ ...TOOL, parameters: { type: "array" } }] },
      "tools[0].parameters",
    ],
    [
      "with tools in two places",
      {
        tools: [TOOL],
        forwardedProps: { options: { clientTools: [{ name: "b", description: "b", inputSchema: {} }] } },
      },
      "forwardedProps.options.clientTools",
    ],
    ["with a tool twice", { tools: [TOOL, TOOL] }, "tools"],
    ["with context that is a text", { context: ["x"] }, "context[0]"],
    ["with a resume of another status", { resume: [{ interruptId: "no", status: "maybe" }] }, "resume[0].status"],
    ["with an unknown option", { forwardedProps: { options: { models: "x" } } }, "forwardedProps.options.models"],
    ["with an unknown variant", { forwardedProps: { options: { variant: "max" } } }, "forwardedProps.options.variant"],
    ["with a field that AG-UI has not", { thread: "x" }, "thread"],
  ])("%s is a 400 that names it", async (_title, change, field) => {
    const { refused } = makeApi()
    const { error } = await refused(400, "POST", "/v1/ag-ui", { json: { ...INPUT, ...change } })
    expect([error.field, ...(error.issues ?? []).map((issue) => issue.field)].join(" ")).toContain(field)
  })

  it("of 21 MB is a 413, and without a key a 401", async () => {
    const { refused } = makeApi()
    const json = { ...INPUT, messages: [user("x".repeat(21 * 1024 * 1024))] }
    expect((await refused(413, "POST", "/v1/ag-ui", { json })).error.type).toBe("request_too_large")
    await refused(401, "POST", "/v1/ag-ui", { json: INPUT, key: null })
  })

  it("with a read-only key is a 403", async () => {
    const { refused, makeKey } = makeApi()
    const { key } = await makeKey({ scopes: ["sessions:read"] })
    await refused(403, "POST", "/v1/ag-ui", { json: INPUT, key })
  })
})

it("a tool without a description is described by its name", async () => {
  const { call, sessions } = makeApi()
  await call("POST", "/v1/ag-ui", { json: { ...INPUT, tools: [{ ...TOOL, description: "" }] } })
  const [submitted] = [...sessions.byName.values()].flatMap((session) => session.submitted)
  expect(submitted?.options.clientTools).toMatchObject([{ name: "get_weather", description: "get_weather" }])
})

it.each([
  ["an answer", { resume: [{ interruptId: "no", status: "resolved", payload: true }] }, "resume[0].interruptId"],
  ["a result", { messages: [{ id: "m2", role: "tool", toolCallId: "no", content: "x" }] }, "messages"],
])(
  "%s for a thread that does not exist is a 400 that names the field, and creates no session",
  async (_, change, field) => {
    const { refused, call } = makeApi()
    const { error } = await refused(400, "POST", "/v1/ag-ui", { json: { ...INPUT, ...change } })
    expect([error.field, error.message]).toEqual([field, expect.stringContaining("this thread has no ")])
    expect(await (await call("GET", "/v1/sessions")).json()).toMatchObject({ data: [] })
  },
)

it("a refusal of the session keeps its Retry-After, and names an option as the input does", async () => {
  const { call, sessions } = makeApi()
  const threadId = "0192f0c1-2345-7abc-8def-0123456789ab"
  const error = {
    type: "rate_limit_error",
    message: "options.model: later",
    field: "options.model",
    retry_after: 7,
  } as const
  Object.assign(sessions.get(`root/${threadId}`), { submit: async () => ({ ok: false, error }) })
  const refused = await call("POST", "/v1/ag-ui", { json: { ...INPUT, threadId } })
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"])
  expect(await refused.json()).toMatchObject({ error: { field: "forwardedProps.options.model" } })
})
