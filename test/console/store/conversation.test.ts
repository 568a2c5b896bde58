// Folding frames and pages into the messages that the console shows.
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { Conversation } from "../../../src/console/store/conversation.ts"
import type { Frame, MessageWithParts } from "../../../src/console/store/frames.ts"

const GOLDEN = path.join(import.meta.dirname, "../../views/golden/parts.jsonl")
const FRAMES = fs
  .readFileSync(GOLDEN, "utf8")
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { readonly data: Frame }).data) // the recorder wrote it

const shown = (conversation: Conversation): ReadonlyArray<MessageWithParts> =>
  conversation.ids.value.map((id) => {
    const message = conversation.message(id)
    if (message === undefined) throw new Error(`${id} is listed and not kept`)
    const parts = message.parts.value.map((part) => conversation.part(part)?.value)
    return { info: message.info.value, parts: parts.filter((part) => part !== undefined) }
  })

const folded = (frames: ReadonlyArray<Frame>, conversation = new Conversation()): Conversation => {
  for (const frame of frames) conversation.apply(frame)
  return conversation
}

it("contains how background tasks have ended, by the calls that started them", () => {
  const report = (call: string, status: string) =>
    `<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>${call}</tool-use-id>\n<status>${status}</status>\n</task-notification>`
  const info = { id: "msg_1", role: "user", time: { created: 1 } }
  const part = { id: "prt_1", messageID: "msg_1", type: "text", text: report("toolu_1", "failed"), synthetic: true }
  const typed = { ...part, id: "prt_2", text: report("toolu_2", "failed"), synthetic: undefined }
  const conversation = folded([
    { id: "evt_1", type: "message.updated", properties: { info } },
    ...[part, typed].map((each) => ({ id: "evt_2", type: "message.part.updated", properties: { part: each } })),
  ])
  expect([...conversation.taskEnds.value]).toEqual([["toolu_1", "failed"]])
  conversation.clear()
  expect(conversation.taskEnds.value.size).toBe(0)
})

it("retries are shown above the answer that they delayed, in whatever order the stream has them", () => {
  const info = { id: "msg_1", role: "assistant", time: { created: 1 } }
  const update = (id: string, type: string): Frame => ({
    id: "evt_1",
    type: "message.part.updated",
    properties: { part: { id, messageID: "msg_1", type } },
  })
  const conversation = folded([
    { id: "evt_1", type: "message.updated", properties: { info } },
    ...["step-start", "text"].map((type) => update(`prt_${type}`, type)),
    ...["prt_1", "prt_2"].map((id) => update(id, "retry")),
    update("prt_step-finish", "step-finish"),
  ])
  const parts = shown(conversation).flatMap((message) => message.parts.map(({ id }) => id))
  expect(parts).toEqual(["prt_1", "prt_2", "prt_step-start", "prt_text", "prt_step-finish"])
})

it("frames that are repeated from any position change nothing", () => {
  const expected = shown(folded(FRAMES))
  expect(expected.length).toBeGreaterThan(10)
  for (let from = 0; from < FRAMES.length; from += 7)
    expect(shown(folded(FRAMES.slice(from), folded(FRAMES)))).toEqual(expected)
})

it("a page that was read before later frames arrived has the same result as the frames alone", () => {
  const whole = shown(folded(FRAMES))
  for (let at = 0; at < FRAMES.length; at += 5) {
    const conversation = new Conversation()
    conversation.addPage(shown(folded(FRAMES.slice(0, at))), "after")
    expect(shown(folded(FRAMES.slice(Math.max(0, at - 20)), conversation))).toEqual(whole)
  }
})

it("deltas are appended to their part, and the complete part replaces them", () => {
  const conversation = folded(FRAMES.slice(0, 3))
  const part = FRAMES.find(({ type }) => type === "message.part.updated")?.properties["part"] as {
    id: string
    messageID: string
  } // the format's own
  const delta = {
    id: "evt_d",
    type: "message.part.delta",
    properties: { partID: part.id, messageID: part.messageID, field: "text", delta: " more" },
  }
  conversation.apply(delta)
  expect(conversation.part(part.id)?.value.text).toMatch(/ more$/)
  folded(FRAMES.slice(0, 3), conversation)
  expect(conversation.part(part.id)?.value.text).not.toMatch(/ more$/)
})

it("keeps only the newest messages, and nothing of the others", () => {
  const conversation = folded(FRAMES)
  const all = shown(conversation)
  expect(conversation.keepNewest(all.length)).toBe(null)
  expect(conversation.keepNewest(3)).toBe(all.at(-3)?.info.id)
  expect(shown(conversation)).toEqual(all.slice(-3))
  for (const { info, parts } of all.slice(0, -3)) {
    expect(conversation.message(info.id)).toBeUndefined()
    for (const { id } of parts) expect(conversation.part(id)).toBeUndefined()
  }
  conversation.addPage(all.slice(0, -3), "before")
  expect(shown(conversation)).toEqual(all)
})

it("keeps the calls of the subagents whose messages are kept, at any depth, and accepts the rest again", () => {
  const at = { created: 0 }
  const message = (id: string, parent?: string, ...calls: ReadonlyArray<string>): MessageWithParts => ({
    info: { id, role: "assistant", time: at, sdk: parent === undefined ? {} : { parentToolUseId: parent } },
    parts: calls.map((callID) => ({ id: `prt_${callID}`, messageID: id, type: "tool", tool: "task", callID })),
  })
  const all = [
    message("prompt"),
    message("outer", undefined, "one"),
    message("early", "one"),
    message("inner", "one", "two"),
    ...["a", "b", "c"].map((id) => message(id, "two")),
  ]
  const conversation = new Conversation()
  conversation.addPage(all, "after")
  expect(conversation.keepNewest(2)).toBe("b")
  expect(conversation.ids.value).toEqual(["outer", "inner", "b", "c"])
  expect(["one", "two"].map((call) => conversation.hasCall(call))).toEqual([true, true])
  conversation.addPage(all.slice(0, -2), "before")
  expect(conversation.ids.value.toSorted()).toEqual(all.map(({ info }) => info.id).toSorted())
  expect(conversation.ids.value.filter((id) => !["outer", "inner"].includes(id))).toEqual([
    "prompt",
    "early",
    "a",
    "b",
    "c",
  ])
})

it("knows which prompts are queued, from frames and from pages, until their turns start or they are removed", () => {
  const conversation = new Conversation()
  const info = (id: string, queued: boolean, fields = {}) => ({
    id,
    role: "user" as const,
    time: { created: 0 },
    sdk: { uuid: `uuid-${id}`, ...(queued ? { queued } : {}) },
    ...fields,
  })
  const updated = (...given: Parameters<typeof info>) =>
    conversation.apply({ id: "evt", type: "message.updated", properties: { info: info(...given) } })
  conversation.addPage([{ info: info("a", true), parts: [] }], "after")
  updated("b", true)
  updated("c", true)
  conversation.addPage([{ info: info("z", true), parts: [] }], "before")
  expect(conversation.queued.value).toEqual(["z", "a", "b", "c"])
  expect([conversation.hasPrompt("uuid-b"), conversation.hasPrompt("uuid-x")]).toEqual([true, false])
  updated("a", false)
  expect([conversation.queued.value, conversation.newestTurn.value]).toEqual([["z", "b", "c"], null])
  updated("b", false, { tools: {} })
  expect(conversation.newestTurn.value).toBe("b")
  conversation.apply({ id: "evt", type: "message.removed", properties: { messageID: "c" } })
  expect(conversation.queued.value).toEqual(["z"])
  expect(conversation.hasPrompt("uuid-c")).toBe(false)
  expect(conversation.keepNewest(1)).toBe("b")
  expect([conversation.queued.value, conversation.ids.value]).toEqual([["z"], ["z", "b"]])
})

it("a page that replaces what was shown has the same result as the frames, whichever were missed, also in the derived signals", () => {
  const whole = shown(folded(FRAMES))
  for (let at = 0; at < FRAMES.length; at += 5) {
    const conversation = folded(FRAMES.slice(0, at))
    const before = whole.map(({ info }) => conversation.message(info.id))
    conversation.replace(whole)
    expect(shown(conversation)).toEqual(whole)
    for (const [index, { info }] of whole.entries())
      if (before[index] !== undefined) expect(conversation.message(info.id)).toBe(before[index])
    conversation.replace(whole.slice(-3))
    expect(shown(conversation)).toEqual(whole.slice(-3))
  }
})
