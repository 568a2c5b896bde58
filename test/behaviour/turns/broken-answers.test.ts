// Model requests that break: errors and disconnects in the middle of an answer, and models that are overloaded.
import { describe, expect, it } from "vitest"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, loop, namesOf, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const made = loop()
const { finish, start, scripted } = made

const bash = (command: string) => call("Bash", { command, description: "d" })
const eventTypeOf = (json: string): string =>
  (JSON.parse(json) as { payload: { event: { type: string } } }).payload.event.type
const callsOf = (events: Parameters<typeof payloadsOf>[0]) => payloadsOf(events, "call:finished")

describe("an answer whose connection breaks after its end", () => {
  const error = { type: "overloaded_error", message: "busy" }

  it("is complete: nothing is requested again", async () => {
    const { sent, result } = await finish([{ content: [text("All of it.")], mid_error: { after: 6, ...error } }, DONE])
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({ result: "All of it.", stop_reason: "end_turn", is_error: false })
  })

  it("runs its calls", async () => {
    const { events, result } = await finish([
      { content: [bash("echo x")], mid_error: { after: 6, ...error }, chunk: 200 },
      DONE,
    ])
    expect(payloadsOf(events(), "sdk:assistant").some((message) => "error" in message)).toBe(false)
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("an error in the middle of an answer", () => {
  const error = { type: "overloaded_error", message: "busy" }

  it("before any block is complete causes a retry without streaming, and emits nothing", async () => {
    const { result, events, script } = await finish([
      [{ content: [text("lost words here")], mid_error: { after: 4, ...error } }, DONE],
    ])
    const requests = made.api.log.filter((entry) => entry.script === script)
    expect(requests.map((entry) => entry.body.stream)).toEqual([true, false])
    expect(namesOf(events())).not.toContain("sdk:system/api_retry")
    expect(callsOf(events()).map((one) => [one["wasted"], one["unbilled"]])).toEqual([
      [true, true],
      [false, undefined],
    ])
    expect(result()).toMatchObject({ result: "Done.", total_cost_usd: callsOf(events())[1]?.["usd"] })
  })

  it("that recurs without streaming is retried and reported", async () => {
    const busy = { error: { status: 529, type: "overloaded_error", message: "busy" } }
    const { result, events } = await finish([
      [{ content: [text("lost words here")], mid_error: { after: 4, ...error } }, busy, DONE],
    ])
    expect(payloadsOf(events(), "sdk:system/api_retry")).toHaveLength(1)
    expect(result()).toMatchObject({ result: "Done." })
  })

  it("in the same chunk as a complete call: the call is emitted before its result", async () => {
    const { events } = await finish([
      { content: [bash("echo x"), text("cut")], mid_error: { after: 7, ...error }, chunk: 200 },
      DONE,
    ])
    const names = namesOf(events()).filter((name) => name === "sdk:assistant" || name === "sdk:user")
    expect(names).toEqual(["sdk:assistant", "sdk:assistant", "sdk:user", "sdk:assistant"])
  })

  it("after a complete call runs the call and continues", async () => {
    const use = bash("echo x >> f")
    const { events, workspace, sent, result } = await finish([
      { content: [use, text("never finished words")], mid_error: { after: 9, ...error } },
      DONE,
    ])
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(payloadsOf(events(), "sdk:assistant")).toContainEqual(
      expect.objectContaining({ error: "server_error", is_api_error_message: true }),
    )
    expect(toolResultsOf(events()).map((block) => block.tool_use_id)).toEqual([use.id])
    expect(sent()).toHaveLength(2)
    expect(result()).toMatchObject({ result: "Done.", is_error: false })
  })
})

describe("calls of an answer whose connection breaks", () => {
  it("are one batch for hooks, also if only some had started, as recorded", async () => {
    const batches: Array<unknown> = []
    const broken = {
      content: [bash("echo a"), bash("echo b"), text("cut")],
      chunk: 200,
      delta_delay_ms: 5,
      drop: { after: 8 },
    }
    const { events, sent } = await finish([broken, DONE], {
      PostToolBatch: ({ tool_calls: calls }) => {
        batches.push(calls)
        return {}
      },
    })
    expect(toolResultsOf(events())).toHaveLength(2)
    expect(batches).toMatchObject([[{}, {}]])
    expect(sent()).toHaveLength(2)
  })
})

describe("an answer that ends before its first block", () => {
  it.each([0, 2])("(after %i events) is requested again without streaming, and emits nothing", async (after) => {
    const { result, events, script } = await finish([[{ content: [text("never sent")], ends: { after } }, DONE]])
    const requests = made.api.log.filter((entry) => entry.script === script)
    expect(requests.map((entry) => entry.body.stream)).toEqual([true, false])
    expect(namesOf(events())).not.toContain("sdk:system/api_retry")
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("an answer that ends after its thinking", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" }
  const thought = { content: [thinking, text("never sent")], ends: { after: 6 } }

  it("is requested again with the same conversation, is paid for, and emits nothing", async () => {
    const { result, sent, events, script } = await finish([[thought, DONE]])
    const requests = made.api.log.filter((entry) => entry.script === script)
    expect(requests.map((entry) => entry.body.stream)).toEqual([true, true])
    expect(sent()[1]).toEqual(sent()[0])
    expect(payloadsOf(events(), "sdk:user")).toEqual([])
    expect(namesOf(events())).not.toContain("sdk:system/api_retry")
    expect(callsOf(events()).map((one) => one["wasted"])).toEqual([true, false])
    expect(Number(callsOf(events())[0]?.["usd"])).toBeGreaterThan(0)
    expect(result()).toMatchObject({ result: "Done.", num_turns: 1 })
  })

  it("every time is requested without streaming after two more attempts", async () => {
    const { result, script } = await finish([[thought, thought, thought, DONE]])
    const requests = made.api.log.filter((entry) => entry.script === script)
    expect(requests.map((entry) => entry.body.stream)).toEqual([true, true, true, false])
    expect(result()).toMatchObject({ result: "Done." })
  })

  it("that is incomplete counts as a lost connection, as recorded", async () => {
    const { result, sent, events } = await finish([[{ ...thought, ends: { after: 4 } }, DONE]])
    expect(sent()[1]).toEqual(sent()[0])
    expect(namesOf(events())).toContain("sdk:system/api_retry")
    expect(result()).toMatchObject({ result: "Done." })
  })

  it.each([
    ["api_error", 0.000315],
    ["overloaded_error", 0],
  ])("by %s costs %f, as recorded", async (type, usd) => {
    const failed = { content: [thinking, text("never sent")], mid_error: { after: 6, type, message: "busy" } }
    const { events } = await finish([[failed, DONE]], {}, { ...BYPASS, model: "claude-sonnet-4-5" })
    expect(callsOf(events()).map((one) => one["wasted"])).toEqual([true, false])
    expect(callsOf(events())[0]?.["usd"]).toBe(usd)
  })

  it.each(["api_error", "overloaded_error"])("by %s is requested again without it, at most twice", async (type) => {
    const failed = { content: [thinking, text("never sent")], mid_error: { after: 6, type, message: "busy" } }
    const once = await finish([[failed, DONE]])
    expect(once.sent()[1]).toEqual(once.sent()[0])
    expect(payloadsOf(once.events(), "sdk:user")).toEqual([])
    expect(once.result()).toMatchObject({ result: "Done.", num_turns: 1 })
    const always = await finish([failed])
    const requests = made.api.log.filter((entry) => entry.script === always.script)
    expect(requests.map((entry) => entry.body.stream)).toEqual([true, true, true])
    expect(always.result()).toMatchObject({ is_error: true, terminal_reason: "api_error" })
  })

  it("and the beginning of a text by an error is continued", async () => {
    const error = { type: "overloaded_error", message: "busy" }
    const { sent } = await finish([[{ content: [thinking, text("x")], mid_error: { after: 7, ...error } }, DONE]])
    expect(sent()[1]?.[0]?.content).toHaveLength(2)
  })
})

describe("an answer that a permanent error ends", () => {
  const error = { type: "invalid_request_error", message: "no" }

  it.each([
    ["its thinking", [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, text("never sent")], 6],
    ["a complete text", [text("Kept."), bash("echo x")], 6],
  ])("after %s fails without another request", async (_, content, after) => {
    const { result, sent, events } = await finish([{ content, mid_error: { after, ...error } }, DONE])
    expect(sent()).toHaveLength(1)
    expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject({ error: "unknown" })
    expect(result()).toMatchObject({ is_error: true, terminal_reason: "api_error", stop_reason: "stop_sequence" })
  })

  it("after a complete call runs the call", async () => {
    const { result, sent, events } = await finish([
      { content: [bash("echo x")], chunk: 200, mid_error: { after: 5, ...error } },
      DONE,
    ])
    expect(sent()).toHaveLength(2)
    expect(result()).toMatchObject({ result: "Done.", usage: { input_tokens: 100 } })
    expect(callsOf(events())[0]).toMatchObject({ unbilled: true, usage: {} })
  })

  it.each(["rate_limit_error", "authentication_error", "not_found_error", "invalid_request_error"])(
    "ends the turn with the API's message after a complete block, and costs nothing: %s",
    async (type) => {
      const { result, sent, events } = await finish([
        [{ content: [text("Kept."), bash("echo x")], mid_error: { after: 6, type, message: "no more" } }, DONE],
      ])
      expect(sent()).toHaveLength(1)
      const request = callsOf(events())[0]?.["request_id"]
      expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject({ error: "unknown", request_id: request })
      expect(result()).toMatchObject({ result: "API Error: no more", total_cost_usd: 0, modelUsage: {} })
      expect(result()).toMatchObject({ is_error: true, usage: { input_tokens: 0, output_tokens: 0 } })
    },
  )

  it.each(["rate_limit_error", "authentication_error", "invalid_request_error"])(
    "ends the turn with the API's message after the answer's stop reason, too, and costs the answer: %s",
    async (type) => {
      const { result, sent, events } = await finish([
        [{ content: [text("Kept.")], mid_error: { after: 6, type, message: "no more" } }, DONE],
      ])
      expect(sent()).toHaveLength(1)
      expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject({ error: "unknown" })
      expect(result()).toMatchObject({ result: "API Error: no more", is_error: true, usage: { input_tokens: 0 } })
      const [answer] = callsOf(events())
      expect(answer).toMatchObject({ usage: {}, billed_usage: { input_tokens: 100 }, stop_reason: null })
      expect(result()["total_cost_usd"]).toBe(answer?.["usd"])
      expect(answer?.["usd"]).toBeGreaterThan(0)
    },
  )

  it("runs a call whose answer ended with a permanent error after its stop reason", async () => {
    const { result, sent } = await finish([
      {
        content: [bash("echo x")],
        chunk: 200,
        mid_error: { after: 6, type: "invalid_request_error", message: "no more" },
      },
      DONE,
    ])
    expect(sent()).toHaveLength(2)
    expect(result()).toMatchObject({ result: "Done.", is_error: false, usage: { input_tokens: 100 } })
  })

  it("closes the answer's stream after the error, as recorded", async () => {
    const { harness, idle } = await start([
      { content: [text("Kept."), text("never finished words")], chunk: 50, mid_error: { after: 7, ...error } },
    ])
    const live = harness.view({ after: 0, facts: true })
    await idle()
    const names = live.flatMap(({ name, json }) => (name === "sdk:stream_event" ? [eventTypeOf(json)] : [name]))
    const failed = names.lastIndexOf("sdk:assistant")
    expect(names.slice(failed).filter((name) => !name.includes(":"))).toEqual([
      "content_block_stop",
      "message_delta",
      "message_stop",
    ])
  })
})

describe("a connection that breaks", () => {
  const broken = { content: [text("Complete."), text("never finished words")], chunk: 50, drop: { after: 7 } }

  it("after a complete text continues from it, three times, then the turn fails", async () => {
    const { sent, result, events } = await finish([broken])
    expect(sent()).toHaveLength(4)
    expect(payloadsOf(events(), "turn:nudged").map((one) => one["cause"])).toEqual(["broken", "broken", "broken"])
    expect(result()).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" })
    expect(sent()[3]?.filter((message) => message.role === "assistant")).toHaveLength(3)
  })

  it("does not count for maxTurns when the answer is continued", async () => {
    const turns = [broken, { content: [bash("echo x")] }, DONE]
    const { sent, result } = await finish(turns, {}, { ...BYPASS, maxTurns: 2 })
    expect(sent()).toHaveLength(3)
    expect(result()).toMatchObject({ subtype: "success", is_error: false })
  })

  it("costs at most the request's max_tokens, whatever the length of its text", async () => {
    const paid: Array<unknown> = []
    for (const length of [600_000, 700_000]) {
      const long = { content: [text(" ".repeat(length)), text("x")], chunk: 1_000_000, drop: { after: 4 } }
      paid.push(callsOf((await finish([[long, DONE]])).events())[0]?.["usd"])
    }
    expect(paid[0]).toBeGreaterThan(0)
    expect(paid[1]).toBe(paid[0])
  })

  it("is paid for what was sent before it broke", async () => {
    const { result, events } = await finish([[broken, DONE]])
    const sum = callsOf(events()).reduce((total, one) => total + Number(one["usd"]), 0)
    expect(result()["total_cost_usd"]).toBeCloseTo(sum, 12)
  })
})

describe("an error event in an answer", () => {
  it.each([
    ["timeout_error", true],
    ["api_error", false],
  ])("%s makes what was sent so far cost something: %s, as recorded", async (type, paid) => {
    const error = { after: 4, type, message: "no more" }
    const { events } = await finish([[{ content: [text("half of an answer")], chunk: 50, mid_error: error }, DONE]])
    expect(Number(callsOf(events())[0]?.["usd"]) > 0).toBe(paid)
  })
})

describe("a model that is overloaded", () => {
  const busy = { error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after-ms": "1" } } }

  it("is replaced by the fallback after three attempts, only in this turn", async () => {
    const options = { ...BYPASS, model: "claude-opus-5-5", fallbackModel: "claude-sonnet-4-5", max_retries: 3 }
    const { result, events, script, session, idle } = await start([[busy, busy, busy, DONE]], {}, options)
    await idle()
    const models = made.api.log.filter((entry) => entry.script === script).map((entry) => entry.body.model)
    expect(models).toEqual(["claude-opus-5-5", "claude-opus-5-5", "claude-opus-5-5", "claude-sonnet-4-5"])
    expect(payloadsOf(events(), "sdk:system/model_fallback")).toMatchObject([
      { trigger: "overloaded", original_model: "claude-opus-5-5", fallback_model: "claude-sonnet-4-5" },
    ])
    expect(payloadsOf(events(), "sdk:system/init")).toMatchObject([{ model: "claude-opus-5-5" }])
    expect(Object.keys(result()["modelUsage"] as object)).toEqual(["claude-sonnet-4-5"])
    const next = scripted([DONE])
    prompt(session, promptFor(next))
    await idle()
    expect(made.api.log.find((entry) => entry.script === next)?.body.model).toBe("claude-opus-5-5")
  })

  it("stays replaced for the turn's later requests", async () => {
    const options = { ...BYPASS, fallbackModel: "claude-sonnet-4-5", max_retries: 3 }
    const { script } = await finish([[busy, busy, busy, { content: [bash("true")] }], DONE], {}, options)
    const models = made.api.log.filter((entry) => entry.script === script).map((entry) => entry.body.model)
    expect(models.slice(3)).toEqual(["claude-sonnet-4-5", "claude-sonnet-4-5"])
  })
})

describe("a request that is refused", () => {
  const options = { ...BYPASS, fallbackModel: "claude-haiku-4-5", max_retries: 0 }

  it.each([
    [410, {}],
    [422, {}],
    [409, { "x-should-retry": "false" }],
  ])("with %i, not retried (%o), uses the fallback model", async (status, headers) => {
    const error = { status, type: "some_error", message: "no", headers }
    const turns = { turns: [{ error }], byModel: { "claude-haiku-4-5": DONE } }
    const { result, events } = await finish(turns, {}, options)
    expect(payloadsOf(events(), "sdk:system/model_fallback")).toMatchObject([{ trigger: "last_resort" }])
    expect(result()).toMatchObject({ result: "Done.", is_error: false })
  })

  it("with 409, but by default retried, does not", async () => {
    const { events } = await finish([{ error: { status: 409, type: "some_error", message: "no" } }], {}, options)
    expect(payloadsOf(events(), "sdk:system/model_fallback")).toEqual([])
  })
})
