import { describe, expect, it } from "vitest"
import type { MessagesRequest } from "../../../src/model/messages-api.ts"
import { withPlanReminder as withReminder } from "../../../src/model/request/plan-reminder.ts"

import type { ImmutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"

type Messages = MessagesRequest["messages"]

const withPlanReminder = (messages: Messages, mode: Parameters<typeof withReminder>[1]) =>
  // No test changes a message.
  withReminder(messages as ReadonlyArray<ImmutableMessage>, mode)

const text = (value: string) => ({ type: "text", text: value })
const result = { type: "tool_result", tool_use_id: "t", content: "x" }
const call = { type: "tool_use", id: "t", name: "Read", input: {} }

/** The positions of plan mode reminders, as message/block. */
const places = (messages: Messages): ReadonlyArray<string> =>
  messages.flatMap(({ content }, at) =>
    (content as ReadonlyArray<{ text?: string }>).flatMap((block, index) =>
      /^<system-reminder>\nPlan mode is on\..*<\/system-reminder>$/s.test(block.text ?? "") ? [`${at}/${index}`] : [],
    ),
  )

const mode = { canExit: true, file: "/w/plan.md" }

describe("the reminder of plan mode", () => {
  it("is inserted before the last prompt, also while tools run", () => {
    const asked: Messages = [
      { role: "user", content: [text("one")] },
      { role: "assistant", content: [text("yes")] },
      { role: "user", content: [text("two")] },
    ]
    const running: Messages = [...asked, { role: "assistant", content: [call] }, { role: "user", content: [result] }]
    expect(places(withPlanReminder(asked, mode))).toEqual(["2/0"])
    expect(places(withPlanReminder(running, mode))).toEqual(["2/0"])
  })

  it("is not rebuilt while the same prompt has it", () => {
    const asked: Messages = [{ role: "user", content: [text("one")] }]
    const running: Messages = [...asked, { role: "assistant", content: [call] }, { role: "user", content: [result] }]
    const [once] = withPlanReminder(asked, mode)
    expect(withPlanReminder(running, mode)[0]).toBe(once)
    expect(withPlanReminder(running, { ...mode, canExit: false })[0]).not.toBe(once)
  })

  it("is never inserted between a call and its results, and does not treat another reminder as a prompt", () => {
    const messages: Messages = [
      { role: "user", content: [text("<system-reminder>\na hook's word\n</system-reminder>"), text("one")] },
      { role: "assistant", content: [call] },
      { role: "user", content: [result, text("<system-reminder>\nmore\n</system-reminder>")] },
    ]
    expect(places(withPlanReminder(messages, mode))).toEqual(["0/1"])
    const steered: Messages = [...messages.slice(0, 2), { role: "user", content: [result, text("stop that")] }]
    expect(places(withPlanReminder(steered, mode))).toEqual(["2/1"])
  })

  it("changes only the message that it is added to, and adds nothing without a prompt", () => {
    const messages: Messages = [
      { role: "user", content: "plain" },
      { role: "assistant", content: [text("yes")] },
    ]
    const before = structuredClone(messages)
    const sent = withPlanReminder(messages, mode)
    expect(sent[0]?.content).toEqual([expect.anything(), text("plain")])
    expect(sent[1]).toBe(messages[1])
    expect(messages).toEqual(before)
    const none: Messages = [{ role: "user", content: [result] }]
    expect(withPlanReminder(none, mode)).toBe(none)
  })

  it("contains the user's own instructions instead of ours, and names ExitPlanMode only if it is available", () => {
    const wordsOf = (options: Parameters<typeof withPlanReminder>[1]) =>
      JSON.stringify(withPlanReminder([{ role: "user", content: "go" }], options))
    expect(wordsOf({ ...mode, canExit: true, instructions: "Draw a map." })).toMatch(
      /Plan mode is on.*Draw a map\..*ExitPlanMode/,
    )
    expect(wordsOf({ ...mode, canExit: true, instructions: "Draw a map." })).not.toContain("write a plan")
    expect(wordsOf({ ...mode, canExit: true, instructions: " " })).toContain("write a plan")
    expect(wordsOf({ ...mode, canExit: false })).not.toContain("ExitPlanMode")
  })
})
