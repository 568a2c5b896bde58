import { describe, expect, test } from "vitest"
import type { MessageWithParts } from "../../../../src/console/store/frames.ts"
import {
  fileChanges,
  endOfAnswer,
  callsAnswered,
  isWholeRemoved,
  removalSummary,
  newestUuid,
  revertTarget,
} from "../../../../src/console/time/revert/places.ts"

const message = (id: string, role: "user" | "assistant", ...parts: ReadonlyArray<string>): MessageWithParts => ({
  info: { id, role, time: { created: 0 } },
  parts: parts.map((type, index) => ({ id: `${id}-${index}`, messageID: id, type, text: `text of ${id}` })),
})

describe("positions of forks and reverts", () => {
  test("a fork continues after the last message of the conversation itself", () => {
    const event = { seq: 1, turn: null, parent_tool_use_id: null, at: 0, payload: null }
    const events = [
      { ...event, name: "sdk:tool_progress", uuid: "a" },
      { ...event, name: "sdk:assistant", uuid: "b", parent_tool_use_id: "call" },
      { ...event, name: "sdk:user", uuid: "c" },
    ]
    expect(newestUuid(events)).toBe("c")
    expect(newestUuid([])).toBeUndefined()
  })

  test("an answer ends with the results of its calls, before the next answer and the next prompt", () => {
    const event = (name: string, uuid: string, message: object, agent: string | null = null) => ({
      seq: 1,
      name,
      uuid,
      turn: null,
      parent_tool_use_id: agent,
      at: 0,
      payload: { message },
    })
    const text = event("sdk:assistant", "a", { id: "one", content: [] })
    const call = event("sdk:assistant", "b", { id: "one", content: [] })
    const ofAgent = event("sdk:assistant", "c", { id: "other", content: [] }, "call")
    const result = event("sdk:user", "d", { content: [{ type: "tool_result" }] })
    const next = event("sdk:assistant", "e", { id: "two", content: [] })
    const prompt = event("sdk:user", "f", { content: "Go on" })
    expect(endOfAnswer([text, call, ofAgent, result, next])).toBe("d")
    expect(endOfAnswer([text, call, prompt, result])).toBe("b")
    expect(endOfAnswer([text])).toBe("a")
    expect(endOfAnswer([])).toBeUndefined()
  })

  test("a revert names the next message, or the part of the last one that did not exist yet", () => {
    const past = message("a", "assistant", "text")
    const next = message("b", "user", "text")
    expect(revertTarget(past, [message("a", "assistant", "text", "step-finish"), next])).toEqual({ messageID: "b" })
    expect(revertTarget(past, [message("a", "assistant", "text", "tool"), next])).toEqual({
      messageID: "a",
      partID: "a-1",
    })
    expect(revertTarget(past, [past])).toBeNull()
  })

  test("a revert to a parallel call removes the whole answer that consists of calls without a result", () => {
    const tool = (id: string, status: "running" | "completed") => ({
      id,
      messageID: "a",
      type: "tool",
      callID: `call-${id}`,
      state: { status },
    })
    const text = { id: "t", messageID: "a", type: "text", text: "First" }
    const thinking = { id: "r", messageID: "a", type: "reasoning", text: "Hm" }
    const target = { messageID: "a", partID: "later" }
    const isWhole = (parts: MessageWithParts["parts"], answered: ReadonlyArray<string> = []) =>
      isWholeRemoved({ ...message("a", "assistant"), parts }, target, new Set(answered))
    expect(isWhole([tool("1", "running")])).toBe(true)
    expect(isWhole([thinking, tool("1", "running"), tool("2", "running")])).toBe(true)
    expect(isWhole([tool("1", "running")], ["call-1"])).toBe(false)
    expect(isWhole([tool("1", "completed"), tool("2", "running")])).toBe(false)
    expect(isWhole([text, tool("1", "running")])).toBe(false)
    const event = { seq: 1, uuid: "u", turn: null, parent_tool_use_id: null, at: 0 }
    const result = (id: string) => ({
      ...event,
      name: "sdk:user",
      payload: { message: { content: [{ type: "tool_result", tool_use_id: id }] } },
    })
    const piece = { ...event, name: "sdk:assistant", payload: { message: { content: [] } } }
    expect([...callsAnswered([result("one"), piece, result("two")])]).toEqual(["one"])
  })

  test("removed messages are counted, with their first text", () => {
    expect(removalSummary([message("a", "user", "text"), message("b", "assistant")])).toEqual({
      messages: 2,
      prompts: 1,
      first: "text of a",
    })
  })

  test("removed messages of subagents are not counted, and the first text has no half or hidden characters", () => {
    const ofSubagent = message("b", "user", "text")
    const sub = { ...ofSubagent, info: { ...ofSubagent.info, sdk: { parentToolUseId: "call" } } }
    const first = { id: "c-0", messageID: "c", type: "text", text: `\u202E${"x".repeat(117)}🐦 and more` }
    expect(removalSummary([sub, { ...message("c", "assistant"), parts: [first] }])).toEqual({
      messages: 1,
      prompts: 0,
      first: `⟨U+202E⟩${"x".repeat(117)}…`,
    })
  })

  test("past files are compared with the current ones by content", () => {
    const file = (path: string, sha256: string) => ({ path, type: "file", size: 1, mode: 420, sha256 })
    const folder = { path: "/d", type: "directory", size: 0, mode: 493 }
    const then = [file("/a", "1"), file("/b", "1"), file("/c", "1")]
    expect(fileChanges(then, [file("/a", "1"), file("/b", "2"), file("/n", "1"), folder])).toEqual([
      { path: "/b", change: "changes back" },
      { path: "/c", change: "comes back" },
      { path: "/n", change: "goes away" },
    ])
  })
})
