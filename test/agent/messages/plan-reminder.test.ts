// The texts about plan mode, and where they are in the conversation.
import { describe, expect, it } from "vitest"
import { planReminder, planRules } from "../../../src/agent/messages/plan-reminder.ts"
import type { Turn } from "../../../src/agent/ports.ts"
import { Conversation } from "../../../src/agent/transcript/conversation.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { numberedEvent, type TestName } from "../../support/session/log-event.ts"

const text = (value: string) => ({ type: "text", text: value })
const call = { type: "tool_use", id: "t", name: "Read", input: {} }
const result = { type: "tool_result", tool_use_id: "t", content: "x" }

/** A conversation, with a function that appends what a step in a mode sends before its request. */
const opened = () => {
  const memory = new Conversation("/workspace")
  let seq = 0
  const apply = (name: TestName, payload: unknown) => memory.apply(numberedEvent((seq += 1), name, payload, "t"), 1)
  const step = (mode: PermissionMode) => {
    const policy = () => policyOf({ permissionMode: mode }, [])
    // The rest of a turn is not used.
    const turn = {
      id: "t",
      sessionId: "s",
      root: "/workspace",
      options: {},
      tools: [],
      memory,
      policy,
    } as unknown as Turn
    const events = planReminder(turn)
    for (const { payload } of events) apply("plan:reminded", payload)
    return events.map(({ payload }) => (payload as { kind: string }).kind)
  }
  const prompt = (...content: ReadonlyArray<unknown>) => apply("sdk:user", { message: { content } })
  const turn = (prompt: string) => {
    apply("turn:queued", { prompt, options: {} })
    apply("sdk:system/init", {})
  }
  const answer = (id: string, ...content: ReadonlyArray<unknown>) => {
    apply("sdk:assistant", { message: { id, content } })
    const usage = { input_tokens: 1, output_tokens: 1 }
    apply("call:finished", { message_id: id, wasted: false, model: "claude-opus-5-5", stop_reason: "tool_use", usage })
  }
  /** The blocks of each message; reminders as "plan". */
  const shown = () =>
    memory.transcript
      .messages()
      .map(({ content }) =>
        content.map((block) => (String(block["text"]).startsWith("<system-reminder>\nPlan") ? "plan" : block)),
      )
  return { step, prompt, turn, answer, shown }
}

describe("a reminder about plan mode", () => {
  it("is before the prompt, after other reminders, and is not repeated while tools run", () => {
    const { step, prompt, answer, shown } = opened()
    const other = text("<system-reminder>\na hook's text\n</system-reminder>")
    prompt(other, text("one"), text("two"))
    expect(step("plan")).toEqual(["rules"])
    expect(shown()).toEqual([[other, "plan", text("one"), text("two")]])
    answer("a", call)
    prompt(result)
    expect(step("plan")).toEqual([])
    expect(shown()).toEqual([[other, "plan", text("one"), text("two")], [call], [result]])
  })

  it("is before the turn's prompt and after earlier ones, which were sent although they have no answer", () => {
    const { step, prompt, turn, shown } = opened()
    turn("one")
    step("default")
    prompt(text("[Request interrupted by user]"))
    turn("two")
    expect(step("plan")).toEqual(["rules"])
    const sent = [text("one"), text("[Request interrupted by user]"), "plan", text("two")]
    expect(shown()).toEqual([sent])
    turn("three")
    expect(step("default")).toEqual(["over"])
    expect(shown()).toEqual([[...sent, "plan", text("three")]])
    expect(step("plan")).toEqual(["rules"])
    expect(shown()).toEqual([[...sent, "plan", text("three"), "plan"]])
  })

  it("is after the tool results when the mode has changed in the middle of a turn", () => {
    const { step, prompt, answer, shown } = opened()
    prompt(text("one"))
    expect(step("default")).toEqual([])
    answer("a", call)
    prompt(result)
    expect(step("plan")).toEqual(["rules"])
    answer("b", call)
    prompt(result)
    expect(step("acceptEdits")).toEqual(["over"])
    expect(step("acceptEdits")).toEqual([])
    expect(shown()).toEqual([[text("one")], [call], [result, "plan"], [call], [result, "plan"]])
  })
})

it("the rules contain the user's own instructions instead of ours, and name ExitPlanMode only if it is available", () => {
  const mode = { canExit: true, file: "/w/plan.md" }
  expect(planRules({ ...mode, instructions: "Draw a map." })).toMatch(/Plan mode is on.*Draw a map\..*ExitPlanMode/s)
  expect(planRules({ ...mode, instructions: "Draw a map." })).not.toContain("write a plan")
  expect(planRules({ ...mode, instructions: " " })).toContain("write a plan")
  expect(planRules({ ...mode, canExit: false })).not.toContain("ExitPlanMode")
})
