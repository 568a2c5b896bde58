// Unusual answers of the model: truncated, refused, empty, or with calls but the stop reason of a text.
import { describe, expect, it } from "vitest"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import { problemsOf } from "../../support/session/session-harness.ts"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, textOf, toolResultsOf, until } from "../../support/session/loop.ts"

const made = loop()
const { finish, start } = made

const bash = (command: string) => call("Bash", { command, description: "d" })
const thinking = { content: [{ type: "thinking", thinking: "hm", signature: "c2ln" }] }

describe("an answer that reached max_tokens", () => {
  const cut = { content: [text("one ")], stop_reason: "max_tokens" }

  it("is continued where it stopped", async () => {
    const { sent, result, events } = await finish([cut, textAnswer("two")])
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

  it("in the middle of its calls runs the complete ones", async () => {
    const { events, result } = await finish([{ content: [bash("echo x >> f")], stop_reason: "max_tokens" }, DONE])
    expect(toolResultsOf(events())).toHaveLength(1)
    expect(result()).toMatchObject({ result: "Done." })
  })
})

describe("an answer without a text or a call", () => {
  const search = [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
  ]

  it("is followed by a request for one, also if it contains blocks of server tools", async () => {
    const { sent, result, events } = await finish([{ content: search }, DONE])
    expect(sent()).toHaveLength(2)
    expect(payloadsOf(events(), "turn:nudged")).toMatchObject([{ cause: "blank" }])
    expect(result()).toMatchObject({ result: "Done.", num_turns: 2 })
  })

  it("of blank texts alone: Stop hooks get no earlier text as the last one, as recorded", async () => {
    const inputs: Array<unknown> = []
    const blank = { content: [text(" ")] }
    await finish([{ content: [text("one")], stop_reason: "max_tokens" }, blank, blank], {
      Stop: (input) => {
        inputs.push(input)
        return {}
      },
    })
    expect(inputs).toHaveLength(1)
    expect(inputs[0]).not.toHaveProperty("last_assistant_message")
  })

  it("ends the turn if it has no stop reason, as recorded", async () => {
    const { sent, result } = await finish([{ ...thinking, stop_reason: null }, DONE])
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({ subtype: "success", is_error: false, result: "" })
  })
})

describe("an answer that announces a call and contains none", () => {
  const malformed = { content: [text("I will look.")], stop_reason: "tool_use" }

  it("is retracted and requested again, whatever maxTurns is", async () => {
    const { sent, result, events } = await finish([[malformed, DONE]], {}, { ...BYPASS, maxTurns: 1 })
    expect(sent()[1]?.map((message) => message.role)).toEqual(["user"])
    const [answer] = payloadsOf(events(), "sdk:assistant")
    expect(payloadsOf(events(), "sdk:user")).toMatchObject([
      { isSynthetic: true, retracted_message_uuids: [answer?.["uuid"]] },
    ])
    expect(result()).toMatchObject({ result: "Done.", is_error: false, num_turns: 2 })
  })

  it("three times ends the turn with an error", async () => {
    const { sent, result, events } = await finish([malformed])
    expect(sent()).toHaveLength(3)
    expect(result()).toMatchObject({
      subtype: "success",
      is_error: true,
      terminal_reason: "malformed_tool_use_exhausted",
      stop_reason: "stop_sequence",
      num_turns: 3,
    })
    // As the official SDK: the message has no `error`.
    const last = payloadsOf(events(), "sdk:assistant").at(-1)
    expect(last).toMatchObject({ is_api_error_message: true, message: { model: "<synthetic>" } })
    expect(last).not.toHaveProperty("error")
    expect(hooksOf(events())).toContain("StopFailure")
    expect(hooksOf(events())).not.toContain("Stop")
  })
})

describe("an answer without a stop reason", () => {
  const last = { ...textAnswer("Done."), stop_reason: null }

  it("ends the turn, whatever the reason of the answer before", async () => {
    const called = await finish([{ content: [bash("echo x")] }, last, textAnswer("No.")], {}, BYPASS)
    expect(called.sent()).toHaveLength(2)
    expect(called.result()).toMatchObject({ result: "Done.", is_error: false, stop_reason: "tool_use" })
    const cut = await finish([{ content: [text("one ")], stop_reason: "max_tokens" }, last, textAnswer("No.")])
    expect(cut.sent()).toHaveLength(2)
    expect(cut.result()).toMatchObject({ result: "Done.", is_error: false, stop_reason: "max_tokens" })
  })
})

describe("an answer that was refused", () => {
  const refused = { content: [text("I can")], stop_reason: "refusal" }

  it("is requested once more", async () => {
    const { sent, result, events } = await finish([refused, textAnswer("Done safely.")])
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

  it("runs no call that arrived together with the refusal, and each gets a result", async () => {
    const { events, result } = await finish([{ content: [text("No."), bash("echo x >> f")], ...refusal }, DONE])
    expect(hooksOf(events())).not.toContain("PreToolUse")
    expect(notesOf(events())).toEqual(["cancelled"])
    expect(result()).toMatchObject({ result: "Done.", num_turns: 3 })
  })

  it("keeps the result of a call that had ended, stops a running one, and calls no hook for the batch", async () => {
    const read = call("Read", { file_path: "/workspace/none.txt" })
    const asked = call("AskUserQuestion", {
      questions: [{ question: "Which?", header: "h", multiSelect: false, options: [label("A"), label("B")] }],
    })
    // The answer is held back in its text: the first call ends and the second one asks before the refusal arrives.
    const { events, idle, result, script, turn } = await start([
      { content: [read, asked, text("No, I won't go on with it")], ...refusal, chunk: 10_000, pause: { after: 9 } },
      DONE,
    ])
    await until(() => toolResultsOf(events()).length === 1 && payloadsOf(events(), "ask:opened").length === 1)
    made.api.release(`${script}#0`)
    await idle()
    expect(problemsOf(events(), [turn])).toEqual([])
    expect(notesOf(events())).toEqual(["ran", "interrupted"])
    expect(payloadsOf(events(), "ask:settled")).toMatchObject([{ by: "interrupt" }])
    expect(hooksOf(events())).not.toContain("PostToolBatch")
    expect(result()).toMatchObject({ result: "Done." })
  })
})

const label = (name: string) => ({ label: name, description: name })

describe("an answer with no visible content", () => {
  it.each([
    ["of thinking alone", thinking],
    ["without any block", { content: [] }],
  ])("%s is asked for once more, then the turn ends without words", async (_, blank) => {
    const { sent, result } = await finish([[blank, blank]])
    expect(sent()).toHaveLength(2)
    expect(result()).toMatchObject({ subtype: "success", is_error: false, result: "" })
  })
})

describe("an answer with calls and the stop reason of a text", () => {
  it("still runs them", async () => {
    const { workspace, result, turn, events } = await finish([
      { content: [bash("echo x >> f")], stop_reason: "end_turn" },
      DONE,
    ])
    expect(workspace.readText("/workspace/f")).toBe("x\n")
    expect(result()).toMatchObject({ result: "Done." })
    expect(problemsOf(events(), [turn])).toEqual([])
  })
})

describe("an answer whose calls have the ids of earlier ones", () => {
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

describe("the text that the model received in the end", () => {
  it("is the same that clients were shown", async () => {
    const { sent, script } = await finish([{ content: [text("First."), bash("true")] }, DONE])
    expect(textOf(sent()[1]?.[0])).toBe(promptFor(script))
    expect(textOf(sent()[1]?.[1])).toContain("First.")
  })
})
