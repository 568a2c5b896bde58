// What `POST /v1/runs` rejects: every error with its field, before any session is created; and how parameters become a turn's
// options.
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { planRun } from "../../../src/http/runs/run-request.ts"
import { RUN_FIELDS } from "../../../src/schemas/runs/run-status.ts"
import { makeApi } from "../api.ts"

const { call, refused, sessions } = makeApi()

const RUN = { sessionId: "chat:1", prompt: "Hello", timeoutMs: 1000 }
const TOOL = { type: "function", function: { name: "lookup", parameters: { type: "object" } } }
const RESULT = { id: "toolu_1", content: "sunny" }

/** The changed fields (undefined removes one), and the fields that are reported. */
const BAD: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>, ...ReadonlyArray<string>]> = [
  ["no session", { sessionId: undefined }, "sessionId"],
  ["an empty session id", { sessionId: "" }, "sessionId"],
  ["a session id of 129 characters", { sessionId: "x".repeat(129) }, "sessionId"],
  ["a session id with a line break", { sessionId: "a\nb" }, "sessionId"],
  ["a session id that is a number", { sessionId: 42 }, "sessionId"],
  ["no time limit", { timeoutMs: undefined }, "timeoutMs"],
  ["a time limit of 0", { timeoutMs: 0 }, "timeoutMs"],
  ["a negative time limit", { timeoutMs: -1 }, "timeoutMs"],
  ["half a millisecond", { timeoutMs: 0.5 }, "timeoutMs"],
  ["more than a day", { timeoutMs: 86_400_001 }, "timeoutMs"],
  ["a time limit as a text", { timeoutMs: "1000" }, "timeoutMs"],
  ["an empty run id", { runId: "" }, "runId"],
  ["a run id of 129 characters", { runId: "x".repeat(129) }, "runId"],
  ["no prompt", { prompt: undefined }, "prompt"],
  ["an empty prompt", { prompt: "" }, "prompt"],
  ["a prompt that is a list", { prompt: [{ type: "text", text: "Hello" }] }, "prompt"],
  ["a prompt with tool results", { toolResults: [RESULT] }, "prompt"],
  ["a model with tool results", { prompt: undefined, toolResults: [RESULT], model: "haiku" }, "model"],
  ["no tool results", { prompt: undefined, toolResults: [] }, "toolResults"],
  ["two results of one call", { prompt: undefined, toolResults: [RESULT, RESULT] }, "toolResults"],
  ["a result without its call", { prompt: undefined, toolResults: [{ content: "sunny" }] }, "toolResults[0].id"],
  ["a result without content", { prompt: undefined, toolResults: [{ id: "a" }] }, "toolResults[0].content"],
  ["a runtime that there is not", { runtime: "pi-embedded" }, "runtime"],
  ["the runtime of the function", { runtime: "claude-sdk" }, "runtime"],
  ["a playback of nothing", { runtime: "playback" }, "recording"],
  ["a recording that is not played", { recording: "rec_1" }, "recording"],
  ["a recording whose id is none", { runtime: "playback", recording: "../x" }, "recording"],
  ["a runtime twice", { options: { runtime: { mode: "live" } } }, "options.runtime"],
  ["another provider", { provider: "openai" }, "provider"],
  ["another lane", { lane: "cron" }, "lane"],
  ["an unknown level of thinking", { thinkLevel: "extreme" }, "thinkLevel"],
  ["two levels of thinking", { thinkLevel: "low", options: { effort: "high" } }, "thinkLevel"],
  ["a model twice", { model: "haiku", options: { model: "sonnet" } }, "model"],
  ["tools that are off and named", { disableTools: true, options: { tools: ["Read"] } }, "disableTools"],
  ["a tool of another type", { clientTools: [{ ...TOOL, type: "builtin" }] }, "clientTools[0].type"],
  ["a tool without a name", { clientTools: [{ type: "function", function: {} }] }, "clientTools[0].function.name"],
  ["a tool twice", { clientTools: [TOOL, TOOL] }, "clientTools"],
  ["a built-in tool's name", { clientTools: [{ type: "function", function: { name: "Read" } }] }, "clientTools"],
  [
    "a tool whose schema is invalid",
    { clientTools: [{ type: "function", function: { ...TOOL.function, parameters: { type: "nope" } } }] },
    "clientTools[0].function.parameters",
  ],
  ["two levels of thinking", { thinkLevel: "high", options: { variant: "low" } }, "thinkLevel"],
  ["own tools twice", { clientTools: [TOOL], options: { clientTools: [] } }, "clientTools"],
  [
    "an image of another type",
    { images: [{ type: "image", data: "AAAA", mimeType: "image/bmp" }] },
    "images[0].mimeType",
  ],
  ["an image without data", { images: [{ type: "image", data: "", mimeType: "image/png" }] }, "images[0].data"],
  [
    "an image that is not base64",
    { images: [{ type: "image", data: "AAA", mimeType: "image/png" }] },
    "images[0].data",
  ],
  ["a relative directory", { workspaceDir: "here" }, "workspaceDir"],
  ["a directory above", { workspaceDir: "/workspace/../etc" }, "workspaceDir"],
  ["a directory above the root", { workspaceDir: "/../etc" }, "workspaceDir"],
  ["a directory with an empty segment", { workspaceDir: "/workspace//a" }, "workspaceDir"],
  ["a directory with a control character", { workspaceDir: "/work\u0001space" }, "workspaceDir"],
  ["an unknown level of reasoning", { reasoningLevel: "loud" }, "reasoningLevel"],
  ["an unknown level of tool output", { verboseLevel: "loud" }, "verboseLevel"],
  [
    "chunks whose least is above their most",
    { blockReplyChunking: { minChars: 900, maxChars: 100 } },
    "blockReplyChunking",
  ],
  ["an unknown break", { blockReplyBreak: "never" }, "blockReplyBreak"],
  ["an unknown reply setting", { reply: { emoji: true } }, "reply.emoji"],
  ["hooks of another event", { hooks: { before_tool_call: [] } }, "hooks.before_tool_call"],
  [
    "a hook without an address",
    { hooks: { agent_end: [{ hooks: [{ type: "http" }] }] } },
    "hooks.agent_end[0].hooks[0].url",
  ],
  ["an option that there is not", { options: { temperature: 1 } }, "options.temperature"],
  ["an option that Perch refuses", { options: { executable: "node" } }, "options.executable"],
  ["a field that there is not", { promt: "Hello" }, "promt"],
  ["a callback", { onBlockReply: "https://example.com" }, "onBlockReply"],
  ["a policy of a group", { groupId: "g" }, "groupId"],
  ["another program's configuration", { config: {} }, "config"],
  ["rights on a host", { bashElevated: { enabled: true } }, "bashElevated"],
  ["two faults at once", { timeoutMs: 0, sessionId: "" }, "sessionId", "timeoutMs"],
]

describe("a run is refused", () => {
  it.each(BAD.map(([what, change, ...fields]) => ({ what, change, fields })))(
    "with $what",
    async ({ change, fields }) => {
      const before = sessions.byName.size
      const { error } = await refused(400, "POST", "/v1/runs", { json: { ...RUN, ...change } })
      expect(error.type).toBe("invalid_request_error")
      const named = new Set(error.issues?.map(({ field }) => field) ?? [error.field])
      expect([...named].toSorted()).toEqual([...fields].toSorted())
      expect(sessions.byName.size).toBe(before)
    },
  )

  it("with at least 40 errors, each of which names its field", () => {
    expect(BAD.length).toBeGreaterThanOrEqual(40)
  })

  it("for its size: a prompt of more than two million characters, an image of more than 5 MiB", async () => {
    await refused(413, "POST", "/v1/runs", { json: { ...RUN, prompt: "x".repeat(2_000_001) } })
    const data = "A".repeat(7 * 1024 * 1024)
    const { error } = await refused(413, "POST", "/v1/runs", {
      json: { ...RUN, images: [{ type: "image", data, mimeType: "image/png" }] },
    })
    expect(error.field).toBe("images[0]")
  })

  it("without a session, on the routes that read and stop it", async () => {
    await refused(400, "GET", "/v1/runs/r")
    await refused(400, "DELETE", "/v1/runs/r")
    await refused(400, "POST", "/v1/runs/r/abort", { json: {} })
    await refused(400, "GET", "/v1/runs/r?sessionId=a&wait=121")
  })
})

describe("every parameter of runEmbeddedAgent that a run lacks", () => {
  it("is accepted without effect, or rejected with its reason", async () => {
    for (const [name, { status, note }] of Object.entries(RUN_FIELDS)) {
      if (status !== "refused") continue
      const { error } = await refused(400, "POST", "/v1/runs", { json: { ...RUN, [name]: "x" } })
      expect(error.message).toContain(`${name} ${note}`)
    }
    const harmless = Object.entries(RUN_FIELDS).filter(([, { status }]) => status === "harmless")
    const json = { ...RUN, sessionId: "chat:harmless", ...Object.fromEntries(harmless.map(([name]) => [name, "x"])) }
    await call("POST", "/v1/runs", { json, headers: { prefer: "respond-async" } })
    const submitted = [...sessions.byName.values()].flatMap((session) => session.submitted)
    expect(submitted.at(-1)).toMatchObject({ prompt: "Hello", options: {} })
  })
})

describe("parameters", () => {
  const submittedBy = async (change: Readonly<Record<string, unknown>>) => {
    const json = { ...RUN, sessionId: randomUUID(), ...change }
    await call("POST", "/v1/runs", { json, headers: { prefer: "respond-async" } })
    return [...sessions.byName.values()].flatMap((session) => session.submitted).at(-1)
  }

  it.each([
    [{ model: "haiku" }, { model: "haiku" }],
    [{ thinkLevel: "off" }, { thinking: { type: "disabled" } }],
    [{ thinkLevel: "minimal" }, { effort: "low" }],
    [{ thinkLevel: "adaptive" }, { thinking: { type: "adaptive" } }],
    [{ thinkLevel: "xhigh" }, { effort: "xhigh" }],
    [{ disableTools: true }, { tools: [] }],
    [{ verboseLevel: "full" }, { reply: { shouldEmitToolResult: true, shouldEmitToolOutput: true } }],
    [{ verboseLevel: "on", reply: { shouldEmitToolResult: false } }, { reply: { shouldEmitToolResult: false } }],
    [
      { reasoningLevel: "stream", enforceFinalTag: true },
      { reply: { reasoningLevel: "stream", enforceFinalTag: true } },
    ],
    [{ messageTo: "42", messageThreadId: 7 }, { reply: { route: { to: "42", threadId: "7" } } }],
    [{ currentMessageId: 9 }, { reply: { currentMessageId: "9" } }],
    [
      { clientTools: [TOOL] },
      { clientTools: [{ name: "lookup", description: "lookup", inputSchema: { type: "object" } }] },
    ],
  ])("%j become options of the turn", async (change, options) => {
    expect((await submittedBy(change))?.options).toMatchObject(options)
  })

  it("extraSystemPrompt becomes the end of the turn's system prompt, whichever that is", async () => {
    const options = { systemPrompt: "A" }
    const submitted = await submittedBy({ extraSystemPrompt: "B", options })
    expect(submitted).toMatchObject({ options, appendSystemPrompt: "B" })
    expect(await submittedBy({ extraSystemPrompt: "" })).not.toHaveProperty("appendSystemPrompt")
  })

  it("for images become blocks after the prompt, and a runtime becomes the run's own", async () => {
    const submitted = await submittedBy({
      images: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
      runtime: "record",
      sessionKey: "telegram:1",
      runId: "r",
    })
    expect(submitted?.prompt).toMatchObject([{ type: "text", text: "Hello" }, { type: "image" }])
    expect(submitted?.run).toEqual({ run_id: "r", timeout_ms: 1000, runtime: "record", session_key: "telegram:1" })
    expect(submitted?.create).toMatchObject({ attach: true, session: { options: { runtime: { mode: "record" } } } })
  })
})

describe("hooks of a run", () => {
  it("are those of its turn, after the ones of its options", async () => {
    const [own, before, end] = ["own", "before", "end"].map((name) => ({
      hooks: [{ type: "http" as const, url: `https://hooks.example.com/${name}` }],
    }))
    const hooks = { before_agent_start: [before!], agent_end: [end!] }
    const body = { ...RUN, hooks, options: { hooks: { Stop: [own!], PreToolUse: [own!] } } }
    const { options } = await Effect.runPromise(planRun(body, "r", undefined))
    expect(options.hooks).toEqual({
      PreToolUse: [own],
      UserPromptSubmit: [before],
      Stop: [own, end],
      StopFailure: [end],
    })
  })

  it("of a recording server: the session that the run creates is recorded", async () => {
    const { session, run } = await Effect.runPromise(planRun(RUN, "r", "record"))
    expect(session.options).toEqual({ runtime: { mode: "record" } })
    expect(run).toEqual({ run_id: "r", timeout_ms: 1000 })
  })
})
