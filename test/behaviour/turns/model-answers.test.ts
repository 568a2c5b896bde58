// Answers of the model that are not just an answer: cut off, refused, empty, broken; models that stand in; money.
import { describe, expect, it } from "vitest"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { problemsOf, prompt } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, namesOf, payloadsOf, textOf, toolResultsOf } from "../../support/session/loop.ts"

const made = loop()
const { finish, start, scripted } = made

const bash = (command: string) => call("Bash", { command, description: "d" })
const thinking = { content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] }
const callsOf = (events: Parameters<typeof payloadsOf>[0]) => payloadsOf(events, "call:finished")

describe("an answer that reached its length", () => {
  const cut = { content: [text("one ")], stop_reason: "max_tokens" }

  it("is continued where it stopped", async () => {
    const { sent, result, events } = await finish([cut, { content: [text("two")] }])
    expect(sent()[1]?.map((message) => message.role)).toEqual(["user", "assistant", "user"])
    expect(payloadsOf(events(), "sdk:user")).toMatchObject([{ isSynthetic: true }])
    expect(result()).toMatchObject({ result: "two", stop_reason: "end_turn", num_turns: 2, is_error: false })
  })

  it("is continued three times, then the turn fails", async () => {
    const { sent, result, events } = await finish([cut], {}, BYPASS)
    expect(sent()).toHaveLength(4)
    expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject({
      error: "max_output_tokens",
      is_api_error_message: true,
    })
    expect(result()).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" })
    expect(hooksOf(events())).toContain("StopFailure")
  })

  it("in the middle of its calls runs those that are complete", async () => {
    const { events, result } = await finish([{ content: [bash("echo x >> f")], stop_reason: "max_tokens" }, DONE])
    expect(toolResultsOf(events())).toHaveLength(1)
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("an answer that was refused", () => {
  const refused = { content: [text("I can")], stop_reason: "refusal" }

  it("is asked for once more", async () => {
    const { sent, result, events } = await finish([refused, { content: [text("Done safely.")] }])
    expect(sent()).toHaveLength(2)
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([{ level: "notice" }])
    expect(result()).toMatchObject({ result: "Done safely.", is_error: false })
  })

  it("twice ends the turn with an error", async () => {
    const { sent, result, events, turn } = await finish([refused])
    expect(sent()).toHaveLength(2)
    expect(payloadsOf(events(), "sdk:system/model_refusal_no_fallback")).toMatchObject([
      { refused_user_message_uuid: turn },
    ])
    expect(result()).toMatchObject({ subtype: "success", is_error: true, stop_reason: "refusal" })
  })
})

describe("an answer that was refused with details and with calls", () => {
  const details = { type: "refusal", category: "cyber", explanation: "looks like an attack" }
  const refusal = { stop_reason: "refusal", stop_details: details }
  const notesOf = (events: Parameters<typeof payloadsOf>[0]) =>
    payloadsOf(events, "sdk:user").flatMap((message) => {
      const [meta] = (message["tool_result_meta"] ?? []) as ReadonlyArray<{ readonly non_execution_kind?: string }>
      return meta === undefined ? [] : [meta.non_execution_kind ?? "ran"]
    })

  it("emits its category and explanation when it ends the turn", async () => {
    const { events } = await finish([{ content: [text("No.")], ...refusal }])
    expect(payloadsOf(events(), "sdk:system/model_refusal_no_fallback")).toMatchObject([
      { api_refusal_category: "cyber", api_refusal_explanation: "looks like an attack" },
    ])
    expect(payloadsOf(events(), "sdk:assistant").at(-1)).toMatchObject({
      message: { stop_reason: "refusal", stop_details: details },
    })
  })

  it("runs no call that came in one piece with the refusal, and each has a result", async () => {
    const { events, result } = await finish([{ content: [text("No."), bash("echo x >> f")], ...refusal }, DONE])
    expect(hooksOf(events())).not.toContain("PreToolUse")
    expect(notesOf(events())).toEqual(["cancelled"])
    expect(result()).toMatchObject({ result: "Done.", num_turns: 3 })
  })

  it("keeps the result of a call that had ended, stops one that runs, and calls no hook for the batch", async () => {
    const read = call("Read", { file_path: "/workspace/none.txt" })
    const asked = call("AskUserQuestion", {
      questions: [{ question: "Which?", header: "h", multiSelect: false, options: [label("A"), label("B")] }],
    })
    const { events, result } = await finish([
      { content: [read, asked, text("No, I won't go on with it")], ...refusal, delta_delay_ms: 30, chunk: 8 },
      DONE,
    ])
    expect(notesOf(events())).toEqual(["ran", "interrupted"])
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "interrupt" }])
    expect(hooksOf(events())).not.toContain("PostToolBatch")
    expect(result()).toMatchObject({ result: "Done." })
  })
})

const label = (name: string) => ({ label: name, description: name })

describe("an answer that breaks behind its own end", () => {
  const error = { type: "overloaded_error", message: "busy" }

  it("is whole: nothing is asked for again", async () => {
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

describe("an answer that shows nothing", () => {
  it.each([
    ["of thinking alone", thinking],
    ["without any block", { content: [] }],
  ])("%s is asked for once more, then the turn ends without words", async (_, blank) => {
    const { sent, result } = await finish([[blank, blank]])
    expect(sent()).toHaveLength(2)
    expect(result()).toMatchObject({ subtype: "success", is_error: false, result: "" })
  })
})

describe("an error in the middle of an answer", () => {
  const error = { type: "overloaded_error", message: "busy" }

  it("before any block is complete asks again without streaming, and emits nothing", async () => {
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

  it("that comes again without streaming is tried again, and reported", async () => {
    const busy = { error: { status: 529, type: "overloaded_error", message: "busy" } }
    const { result, events } = await finish([
      [{ content: [text("lost words here")], mid_error: { after: 4, ...error } }, busy, DONE],
    ])
    expect(payloadsOf(events(), "sdk:system/api_retry")).toHaveLength(1)
    expect(result()).toMatchObject({ result: "Done." })
  })

  it("that came in one piece with a complete call is emitted before the call's result", async () => {
    const { events } = await finish([
      { content: [bash("echo x"), text("cut")], mid_error: { after: 7, ...error }, chunk: 200 },
      DONE,
    ])
    const names = namesOf(events()).filter((name) => name === "sdk:assistant" || name === "sdk:user")
    expect(names).toEqual(["sdk:assistant", "sdk:assistant", "sdk:user", "sdk:assistant"])
  })

  it("after a complete call runs the call and goes on", async () => {
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

describe("a connection that breaks", () => {
  const broken = { content: [text("Complete."), text("never finished words")], chunk: 50, drop: { after: 7 } }

  it("after a complete text goes on from it, three times, then the turn fails", async () => {
    const { sent, result, events } = await finish([broken])
    expect(sent()).toHaveLength(4)
    expect(payloadsOf(events(), "turn:nudged").map((one) => one["cause"])).toEqual(["broken", "broken", "broken"])
    expect(result()).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" })
    expect(sent()[3]?.filter((message) => message.role === "assistant")).toHaveLength(3)
  })

  it("is paid for what was sent", async () => {
    const { result, events } = await finish([[broken, DONE]])
    const sum = callsOf(events()).reduce((total, one) => total + Number(one["usd"]), 0)
    expect(result()["total_cost_usd"]).toBeCloseTo(sum, 12)
  })
})

describe("a model that is overloaded", () => {
  const busy = { error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after-ms": "1" } } }

  it("is replaced by the fallback after three tries, for this turn alone", async () => {
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

  it("stays replaced for the later requests of the turn", async () => {
    const options = { ...BYPASS, fallbackModel: "claude-sonnet-4-5", max_retries: 3 }
    const { script } = await finish([[busy, busy, busy, { content: [bash("true")] }], DONE], {}, options)
    const models = made.api.log.filter((entry) => entry.script === script).map((entry) => entry.body.model)
    expect(models.slice(3)).toEqual(["claude-sonnet-4-5", "claude-sonnet-4-5"])
  })
})

describe("a session with a budget", () => {
  const dear = { usage: { input_tokens: 1_000_000 } }

  it("ends its turn when an answer was too dear, and its calls do not run", async () => {
    const { result, workspace, sent, events } = await finish(
      [{ content: [bash("echo x >> f")], ...dear }, DONE],
      {},
      {
        ...BYPASS,
        maxBudgetUsd: 0.01,
      },
    )
    expect(workspace.exists("/workspace/f")).toBe(false)
    expect(sent()).toHaveLength(1)
    expect(hooksOf(events())).not.toContain("Stop")
    expect(result()).toMatchObject({
      subtype: "error_max_budget_usd",
      is_error: true,
      terminal_reason: "budget_exhausted",
      errors: ["Reached maximum budget ($0.01)"],
      usage: { input_tokens: 0, output_tokens: 0 },
    })
  })

  it("also ends a turn whose last answer is a text", async () => {
    const { result } = await finish([{ ...DONE, ...dear }], {}, { ...BYPASS, maxBudgetUsd: 0.01 })
    expect(result()).toMatchObject({ subtype: "error_max_budget_usd" })
  })

  it("asks the model nothing more for the next prompt, and the calls that never ran have a result for the model", async () => {
    const { session, idle, events, turn } = await start(
      [{ content: [bash("echo x >> f")], ...dear }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 0.01 },
    )
    await idle()
    const next = scripted([DONE])
    const second = prompt(session, promptFor(next))
    await idle()
    expect(made.api.log.filter((entry) => entry.script === next)).toEqual([])
    expect(payloadsOf(events(), "sdk:result/error_max_budget_usd")).toHaveLength(2)
    session.changes.setOptions({ maxBudgetUsd: undefined })
    const third = scripted([DONE])
    prompt(session, promptFor(third))
    await idle()
    expect(payloadsOf(events(), "sdk:result/success")).toMatchObject([{ result: "Done." }])
    expect(new Set([turn, second]).size).toBe(2)
  })

  it("of a turn's own options is spent by that turn alone", async () => {
    const { session, idle, events } = await start([{ ...DONE, ...dear }])
    await idle()
    const own = prompt(session, promptFor(scripted([{ ...DONE, ...dear }])), { maxBudgetUsd: 0.01 })
    await idle()
    const after = prompt(session, promptFor(scripted([DONE])), { maxBudgetUsd: 0.01 })
    await idle()
    prompt(session, promptFor(scripted([{ ...DONE, ...dear }])))
    await idle()
    const results = events().filter(({ name }) => name.startsWith("sdk:result"))
    expect(results.map(({ name }) => name)).toEqual([
      "sdk:result/success",
      "sdk:result/error_max_budget_usd",
      "sdk:result/success",
      "sdk:result/success",
    ])
    expect(results.slice(1, 3).map(({ turn }) => turn)).toEqual([own, after])
  })

  it("of the session and of a turn hold at once, whichever is spent first", async () => {
    const { session, idle, events } = await start([{ ...DONE, ...dear }], {}, { ...BYPASS, maxBudgetUsd: 100 })
    await idle()
    prompt(session, promptFor(scripted([{ ...DONE, ...dear }])), { maxBudgetUsd: 0.02 })
    await idle()
    session.changes.setOptions({ maxBudgetUsd: 0.03 })
    const next = scripted([DONE])
    prompt(session, promptFor(next), { maxBudgetUsd: 1000 })
    await idle()
    expect(payloadsOf(events(), "sdk:result/error_max_budget_usd").map(({ errors }) => errors)).toEqual([
      ["Reached maximum budget ($0.02)"],
      ["Reached maximum budget ($0.03)"],
    ])
    expect(made.api.log.filter((entry) => entry.script === next)).toEqual([])
  })

  it("lets calls run that it can pay for", async () => {
    const { result, workspace } = await finish(
      [{ content: [bash("echo x >> f")] }, DONE],
      {},
      { ...BYPASS, maxBudgetUsd: 1 },
    )
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("an answer of calls that ends as a text does", () => {
  it("runs them all the same", async () => {
    const { workspace, result, turn, events } = await finish([
      { content: [bash("echo x >> f")], stop_reason: "end_turn" },
      DONE,
    ])
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(result()).toMatchObject({ result: "Done." })
    expect(problemsOf(events(), [turn])).toEqual([])
  })
})

describe("an answer in which calls have the ids of earlier ones", () => {
  it("runs each of them", async () => {
    const { workspace, events, turn } = await finish([
      { content: [{ ...bash("echo one >> f"), id: "toolu_same" }] },
      { content: [{ ...bash("echo two >> f"), id: "toolu_same" }] },
      DONE,
    ])
    expect(workspace.readText("/workspace/f")).toBe("one\ntwo\n")
    expect(problemsOf(events(), [turn])).toEqual([])
  })
})

describe("what the model received in the end", () => {
  it("is the same text that clients were shown", async () => {
    const { sent, script } = await finish([{ content: [text("First."), bash("true")] }, DONE])
    expect(textOf(sent()[1]?.[0])).toBe(promptFor(script))
    expect(textOf(sent()[1]?.[1])).toContain("First.")
  })
})
