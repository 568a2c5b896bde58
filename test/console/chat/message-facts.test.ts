// The information that is shown with a message, in addition to its parts.
import { expect, it } from "vitest"
import { attachmentView } from "../../../src/console/chat/parts/attachment-view.ts"
import { cacheHit, clock, messageDuration, messageEnd } from "../../../src/console/chat/message-facts.ts"
import { spokenAnswer } from "../../../src/console/chat/spoken-answer.ts"
import type { MessageInfo } from "../../../src/console/store/frames.ts"

const answer = (more: Partial<MessageInfo> = {}): MessageInfo => ({
  id: "msg_1",
  role: "assistant",
  time: { created: 1000, completed: 3000 },
  ...more,
})

it("returns the cached share of the input", () => {
  expect(cacheHit({ input: 10, output: 5, reasoning: 0, cache: { read: 30, write: 0 } })).toBe(0.75)
  expect(cacheHit({ input: 0, output: 5, reasoning: 0, cache: { read: 0, write: 0 } })).toBeNull()
})

it("returns the duration of an answer", () => {
  expect(messageDuration(answer())).toBe(2000)
  expect(messageDuration(answer({ sdk: { duration: { total: 1500 } } }))).toBe(1500)
  expect(messageDuration(answer({ time: { created: 1000 } }))).toBeNull()
})

it("shows the time of today, and of other days with their date", () => {
  const at = new Date(2026, 10, 25, 0, 5).getTime()
  expect(clock(at, at + 3_600_000)).toBe("00:05")
  expect(clock(at, new Date(2026, 10, 26).getTime())).toBe("Nov 25, 00:05")
  const long = new Intl.DateTimeFormat("en", {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  })
  for (const month of Array.from({ length: 12 }).keys()) {
    const then = new Date(2025, month, 3 + month, 2 * month, 5 * month).getTime()
    expect(clock(then, at)).toBe(long.format(then))
  }
})

it("shows how an answer failed, with what to do", () => {
  expect(messageEnd(answer())).toBeNull()
  const interrupted = { name: "MessageAbortedError", data: { message: "The turn was interrupted." } }
  expect(messageEnd(answer({ error: interrupted }))).toMatchObject({ kind: "interrupted" })
  expect(messageEnd(answer({ error: { name: "MessageOutputLengthError", data: {} } }))).toMatchObject({
    kind: "failed",
    hint: "Ask for a shorter answer, or in parts.",
  })
})

it("announces the end of an answer and the start of its text", () => {
  const parts = [
    { id: "1", messageID: "msg_1", type: "reasoning", text: "hm" },
    { id: "2", messageID: "msg_1", type: "text", text: "Done. ".repeat(200) },
  ]
  const spoken = spokenAnswer(answer(), parts)
  expect(spoken.startsWith("Answer complete: Done. Done.")).toBe(true)
  expect(spoken.length).toBeLessThan(330)
})

it.each([
  [{ mime: "image/png", url: "data:image/png;base64,AAAA" }, "image"],
  [{ mime: "image/svg+xml", url: "data:image/svg+xml;base64,AAAA" }, "file"],
  [{ mime: "text/html", url: "data:text/html;base64,AAAA" }, "file"],
  [{ mime: "image/png", url: "https://example.com/a.png" }, "link"],
  [{ mime: "image/png", url: "javascript:alert(1)" }, "file"],
  [{ mime: "text/plain", url: "file:///a.txt", source: { type: "file", path: "a.txt" } }, "mention"],
])("shows the file %j as %s", (part, kind) => {
  expect(attachmentView(part).kind).toBe(kind)
})

it("a file with its content has an address to save it from, and a mention has none", () => {
  const url = "data:application/pdf;base64,JVBERi0="
  expect(attachmentView({ mime: "application/pdf", filename: "plan.pdf", url })).toMatchObject({ kind: "file", url })
  expect(attachmentView({ mime: "application/pdf", filename: "plan.pdf", url: "file_id:file_1" }).url).toBe("")
  const source = { type: "file", path: "a.txt" }
  expect(attachmentView({ mime: "text/plain", url: "data:text/plain,a", source }).url).toBe("")
})

it.each([
  ["QQ==", 1],
  ["QUI=", 2],
  ["QUJD", 3],
])("shows the size of a file's bytes, without the padding of %s", (data, size) => {
  expect(attachmentView({ mime: "text/plain", url: `data:text/plain;base64,${data}` }).size).toBe(size)
})
