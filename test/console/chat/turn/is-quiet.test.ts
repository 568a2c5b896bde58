// When the chat shows that a turn waits: not while a text streams or a call runs.
import { expect, it } from "vitest"
import { isQuiet } from "../../../../src/console/chat/turn/is-quiet.ts"
import { Conversation } from "../../../../src/console/store/conversation.ts"
import type { MessageInfo, Part } from "../../../../src/console/store/frames.ts"

const PROMPT: MessageInfo = { id: "msg_1", role: "user", time: { created: 1 } }
const ANSWER: MessageInfo = { id: "msg_2", role: "assistant", time: { created: 2 } }

const part = (type: string, fields: Partial<Part> = {}, id = "prt_1"): Part => ({
  id,
  messageID: ANSWER.id,
  type,
  ...fields,
})

const quietWith = (parts: ReadonlyArray<Part>, ...later: ReadonlyArray<MessageInfo>): boolean => {
  const conversation = new Conversation()
  for (const info of [PROMPT, ANSWER, ...later])
    conversation.apply({ id: "", type: "message.updated", properties: { info } })
  for (const each of parts) conversation.apply({ id: "", type: "message.part.updated", properties: { part: each } })
  return isQuiet(conversation)
}

it.each<readonly [string, boolean, ReadonlyArray<Part>]>([
  ["an answer without a part", true, []],
  ["a text that comes", false, [part("text", { text: "a", time: { start: 1 } })]],
  ["a text that is whole", true, [part("text", { text: "a", time: { start: 1, end: 2 } })]],
  ["thinking that comes", false, [part("reasoning", { text: "a", time: { start: 1 } })]],
  ["a call whose input comes", false, [part("tool", { state: { status: "pending" } })]],
  ["a call that runs", false, [part("tool", { state: { status: "running" } })]],
  ["a call that ran", true, [part("tool", { state: { status: "completed" } })]],
  [
    "a call that ran beside one that runs",
    false,
    [part("tool", { state: { status: "running" } }), part("tool", { state: { status: "error" } }, "prt_2")],
  ],
  ["a step that is over", true, [part("step-finish")]],
])("%s: %s", (_name, expected, parts) => {
  expect(quietWith(parts)).toBe(expected)
})

it("a prompt without an answer waits, and so does a session without a message", () => {
  expect(isQuiet(new Conversation())).toBe(true)
  const moving = [part("text", { text: "a", time: { start: 1 } })]
  expect(quietWith(moving, { ...PROMPT, id: "msg_3" })).toBe(true)
})

it("messages of subagents and queued prompts are ignored", () => {
  const running = [part("tool", { state: { status: "running" } })]
  expect(quietWith(running, { ...ANSWER, id: "msg_3", sdk: { parentToolUseId: "toolu_1" } })).toBe(false)
  expect(quietWith(running, { ...PROMPT, id: "msg_3", sdk: { queued: true } })).toBe(false)
})
