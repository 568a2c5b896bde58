import { expect, it } from "vitest"
import { compactionRanges, withoutOldest } from "../../../src/agent/compaction/compaction-ranges.ts"
import { continuationText } from "../../../src/agent/compaction/summary-text.ts"
import { immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import type { Block } from "../../../src/schemas/sdk/messages/blocks.ts"

const text = (value: string): Block => ({ type: "text", text: value })
const user = (...content: ReadonlyArray<Block>) => immutableMessage({ role: "user" as const, content })
const answer = (...content: ReadonlyArray<Block>) => immutableMessage({ role: "assistant" as const, content })
const CALL = { type: "tool_use", id: "c", name: "Bash", input: {} }
const RESULT = { type: "tool_result", tool_use_id: "c", content: "ok" }
const MARK = text("[Request interrupted by user for tool use]")

it("a single exchange is summarized with the message about its interruption; a prompt after it is preserved", () => {
  const interrupted = [user(text("go")), answer(CALL), user(RESULT, MARK)]
  expect(compactionRanges(interrupted, "manual", null)).toEqual([{ summarized: interrupted, preserved: [] }])
  const prompted = [user(text("go")), answer(CALL), user(RESULT, MARK, text("next"))]
  expect(compactionRanges(prompted, "manual", null)).toEqual([
    { summarized: [...prompted.slice(0, 2), user(RESULT)], preserved: [user(MARK, text("next"))] },
  ])
})

it("the message about an interrupted text is preserved with the text and not summarized", () => {
  const note = user(text("[Request interrupted by user]"))
  const interrupted = [user(text("go")), answer(text("one")), user(text("next")), answer(text("cut")), note]
  expect(compactionRanges(interrupted, "manual", null)).toEqual([
    { summarized: interrupted.slice(0, 4), preserved: [interrupted[3], note] },
    { summarized: interrupted.slice(0, 3), preserved: [interrupted[3], note] },
  ])
})

it.each(["a hook's context", "[Request interrupted by user for tool use]"])(
  "%s after the last results is preserved with them and not summarized",
  (note) => {
    const messages = [user(text("go")), answer(text("one")), user(text("next")), answer(CALL), user(RESULT, text(note))]
    expect(compactionRanges(messages, "manual", null)[0]).toEqual({
      summarized: [...messages.slice(0, 4), user(RESULT)],
      preserved: messages.slice(3),
    })
  },
)

it("the context of a PreToolUse hook is summarized with the results of the calls", () => {
  const [before, after] = ["PreToolUse", "PostToolUse"].map((event) =>
    text(`<system-reminder>\n${event}:Bash hook additional context: a note\n</system-reminder>`),
  )
  const last = user(RESULT, before as Block, after as Block)
  const messages = [user(text("go")), answer(text("one")), user(text("next")), answer(CALL), last]
  expect(compactionRanges(messages, "manual", null)[0]).toEqual({
    summarized: [...messages.slice(0, 4), user(RESULT, before as Block)],
    preserved: messages.slice(3),
  })
})

it("an answer to nothing but a context of a Stop hook is preserved and not summarized", () => {
  const context = user(text("<system-reminder>\nStop hook additional context: a note\n</system-reminder>"))
  const messages = [user(text("go")), answer(text("one")), context, answer(text("two"))]
  expect(compactionRanges(messages, "manual", null)).toEqual([
    { summarized: messages.slice(0, 3), preserved: [messages[3]] },
  ])
})

const SUMMARY = text(continuationText("what was before", { goesOn: false, preserves: true }))
const OMITTED = text("[The conversation before this was too long and was left out.]")
const AGAIN = [user(SUMMARY), answer(text("one")), user(text("two")), answer(text("three"))]

it("the summary of an earlier compaction is kept as long as other messages can be left out", () => {
  const first = withoutOldest(AGAIN, null, AGAIN, 10_000)
  expect(first?.summarized).toEqual([user(SUMMARY, OMITTED), AGAIN[3]])
  const second = withoutOldest(AGAIN, first, first?.summarized ?? [], 10_000)
  expect(second?.summarized).toEqual([user(OMITTED), AGAIN[3]])
  expect(withoutOldest(AGAIN, second, second?.summarized ?? [], 10_000)).toBe(null)
})

it("the summary of an earlier compaction is kept when it alone has as many tokens as are too many", () => {
  const first = withoutOldest(AGAIN, null, AGAIN, 5)
  expect(first?.summarized).toEqual([user(SUMMARY, OMITTED), AGAIN[3]])
  const longer = [...AGAIN, user(text("four")), answer(text("five"))]
  const once = withoutOldest(longer, null, longer, 5)
  expect(once?.summarized).toEqual([user(SUMMARY, OMITTED), ...longer.slice(3)])
  const twice = withoutOldest(longer, once, once?.summarized ?? [], 5)
  expect(twice?.summarized).toEqual([user(SUMMARY, OMITTED), longer[5]])
  expect(withoutOldest(longer, once, once?.summarized ?? [], null)?.summarized).toEqual([
    user(OMITTED),
    ...longer.slice(3),
  ])
})

it("the summary of an earlier compaction is left out with the oldest exchanges if it is unknown how many tokens are too many", () => {
  expect(withoutOldest(AGAIN, null, AGAIN, null)?.summarized).toEqual([user(OMITTED), ...AGAIN.slice(1)])
})
