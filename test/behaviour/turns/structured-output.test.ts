// Turns that must end with a value: accepted when it is valid, requested again when it is not, and no success without one.
import { describe, expect, it } from "vitest"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { BYPASS, hooksOf, loop, payloadsOf, textOf, toolResultsOf } from "../../support/session/loop.ts"

const { finish } = loop()

const schema = {
  type: "object",
  properties: { answer: { type: "number" } },
  required: ["answer"],
  additionalProperties: false,
}
const OPTIONS = { ...BYPASS, outputFormat: { type: "json_schema" as const, schema } }
const give = (value: object) => ({ content: [call("StructuredOutput", { ...value })] })
const FITS = { answer: 42 }

describe("a valid value", () => {
  it("ends the turn without another request", async () => {
    const { result, sent } = await finish([give(FITS)], {}, OPTIONS)
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({
      subtype: "success",
      is_error: false,
      result: JSON.stringify(FITS),
      structured_output: FITS,
      stop_reason: "tool_use",
      terminal_reason: "completed",
      num_turns: 2,
    })
  })

  it("fires hooks like any other call", async () => {
    const { client, events } = await finish([give(FITS)], { PreToolUse: {}, PostToolUse: {}, Stop: {} }, OPTIONS)
    expect(client.called.map((one) => one.callbackId)).toEqual(["PreToolUse", "PostToolUse", "Stop"])
    expect(hooksOf(events())).toContain("PostToolBatch")
  })

  it("is in the result, also if a PostToolUse hook ends the turn", async () => {
    const { result, sent } = await finish(
      [give(FITS)],
      { PostToolUse: { continue: false, stopReason: "enough" } },
      OPTIONS,
    )
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({
      subtype: "success",
      result: JSON.stringify(FITS),
      structured_output: FITS,
      terminal_reason: "hook_stopped",
    })
  })

  it("ends the turn whatever PostToolBatch hooks return, and their outcome is not in the conversation", async () => {
    for (const output of [
      { continue: false, stopReason: "enough" },
      { decision: "block", reason: "enough" },
      { hookSpecificOutput: { hookEventName: "PostToolBatch", additionalContext: "enough" } },
    ]) {
      const shown = { ...output, systemMessage: "noted" }
      const { client, events, result, session, idle, sent, script } = await finish(
        [give(FITS), give(FITS)],
        { PostToolBatch: shown, Stop: {} },
        OPTIONS,
      )
      expect(result()).toMatchObject({ structured_output: FITS, terminal_reason: "completed" })
      expect(client.called.map((one) => one.callbackId)).toEqual(["PostToolBatch", "Stop"])
      expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([{ content: "PostToolBatch says: noted" }])
      prompt(session, promptFor(script))
      await idle()
      expect(JSON.stringify(sent()[1])).not.toContain("enough")
    }
  })

  it("that a hook denies is not accepted", async () => {
    let asked = 0
    const { result, client } = await finish(
      [give({ answer: 1 }), give({ answer: 2 })],
      { PreToolUse: () => ((asked += 1) === 1 ? { decision: "block", reason: "not 1" } : {}) },
      OPTIONS,
    )
    expect(client.called).toHaveLength(2)
    expect(result()).toMatchObject({ subtype: "success", structured_output: { answer: 2 } })
  })

  it("is the result of a turn without asks, in every mode", async () => {
    for (const permissionMode of ["default", "plan", "dontAsk"] as const) {
      const { result } = await finish([give(FITS)], {}, { ...OPTIONS, permissionMode, permission_prompts: "deny" })
      expect(result(), permissionMode).toMatchObject({ structured_output: FITS })
    }
  })

  it("is not delayed by a Stop hook, which is still called at the end", async () => {
    const { result, sent, client } = await finish(
      [give(FITS)],
      { Stop: { decision: "block", reason: "check" } },
      OPTIONS,
    )
    expect(sent()).toHaveLength(1)
    expect(client.called).toHaveLength(1)
    expect(result()).toMatchObject({ subtype: "success", structured_output: FITS })
  })
})

describe("an invalid value", () => {
  it("is an error for the model, which may send another", async () => {
    const { result, events } = await finish([give({ answer: "many" }), give(FITS)], {}, OPTIONS)
    expect(toolResultsOf(events())[0]).toMatchObject({ is_error: true, content: expect.stringContaining("answer") })
    expect(hooksOf(events())).toContain("PostToolUseFailure")
    expect(result()).toMatchObject({ subtype: "success", structured_output: FITS })
  })

  it("five times ends the turn with an error", async () => {
    const { result, sent, events } = await finish([give({ answer: "many" })], { Stop: {} }, OPTIONS)
    expect(sent()).toHaveLength(5)
    expect(result()).toMatchObject({
      subtype: "error_max_structured_output_retries",
      is_error: true,
      terminal_reason: "structured_output_retry_exhausted",
      errors: [expect.stringContaining("5")],
    })
    expect(result()).not.toHaveProperty("structured_output")
    expect(hooksOf(events())).not.toContain("Stop")
  })
})

describe("a turn without a value", () => {
  it("is reminded, and its later value is accepted", async () => {
    const { result, sent, events } = await finish([textAnswer("It is 42."), give(FITS)], {}, OPTIONS)
    expect(textOf(sent()[1]?.at(-1))).toContain("[structured-output]")
    expect(payloadsOf(events(), "sdk:user")[0]).toMatchObject({ isSynthetic: true })
    expect(result()).toMatchObject({ structured_output: FITS })
  })

  it("is reminded before the feedback of a Stop hook", async () => {
    let stops = 0
    const { events, result } = await finish(
      [textAnswer("It is 42."), give(FITS)],
      { Stop: () => ((stops += 1) === 1 ? { decision: "block", reason: "go on" } : {}) },
      OPTIONS,
    )
    const synthetic = payloadsOf(events(), "sdk:user").filter(({ isSynthetic }) => isSynthetic === true)
    expect(synthetic.map(({ message }) => JSON.stringify(message))).toEqual([
      expect.stringContaining("[structured-output]"),
      expect.stringContaining("go on"),
    ])
    expect(result()).toMatchObject({ structured_output: FITS })
  })

  it("is reminded five times, then fails with an error; Stop hooks are called for all answers", async () => {
    const { client, result, sent } = await finish([textAnswer("It is 42.")], { Stop: {} }, OPTIONS)
    expect(sent()).toHaveLength(6)
    const isActive = client.called.map(({ input }) => input["stop_hook_active"])
    expect(isActive).toEqual([false, true, true, true, true, true])
    expect(result()).toMatchObject({ subtype: "error_max_structured_output_retries", is_error: true, num_turns: 6 })
  })

  it("continues when a Stop hook blocks its end after a reminder", async () => {
    const { sent, result, events } = await finish(
      [textAnswer("It is 42."), textAnswer("Still 42."), give(FITS)],
      { Stop: ({ stop_hook_active: isActive }) => (isActive === true ? { decision: "block", reason: "go on" } : {}) },
      OPTIONS,
    )
    expect(textOf(sent()[2]?.at(-1))).toContain("go on")
    expect(payloadsOf(events(), "sdk:system/notification")).toEqual([])
    expect(result()).toMatchObject({ structured_output: FITS })
  })

  it("fails with an error when Stop hooks have blocked its end too often", async () => {
    const { result, sent } = await finish(
      [textAnswer("It is 42.")],
      { Stop: { decision: "block", reason: "go on" } },
      OPTIONS,
    )
    expect(sent()).toHaveLength(9)
    expect(result()).toMatchObject({ subtype: "error_max_structured_output_retries" })
  })

  // As the official SDK.
  it("ends when a Stop hook stops it, without a request for the value", async () => {
    const { result, sent } = await finish(
      [textAnswer("It is 42."), give(FITS)],
      { Stop: { continue: false, stopReason: "enough" } },
      OPTIONS,
    )
    expect(sent()).toHaveLength(1)
    expect(result()).toMatchObject({ subtype: "success", terminal_reason: "stop_hook_prevented", result: "" })
  })
})
