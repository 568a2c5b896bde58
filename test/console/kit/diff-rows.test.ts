// Changes as rows of a table.
import { expect, it } from "vitest"
import { fileChange } from "../../../src/console/chat/tools/file-change.ts"
import { cutText } from "../../../src/console/kit/text/cut-text.ts"
import { diffCount, diffRows, hunksBetween } from "../../../src/console/kit/diff-rows.ts"

it("numbers lines before and after", () => {
  const rows = diffRows(hunksBetween("a\nb\nc\n", "a\nB\nc\nd\n"))
  expect(rows.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
    ["same", 1, 1, "a"],
    ["removed", 2, null, "b"],
    ["added", null, 2, "B"],
    ["same", 3, 3, "c"],
    ["added", null, 4, "d"],
  ])
})

it("marks what is omitted between hunks", () => {
  const before = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n")
  const rows = diffRows(hunksBetween(before, before.replace("line 5\n", "five\n").replace("line 30\n", "thirty\n")))
  expect(rows.filter(({ kind }) => kind === "gap").map(({ text }) => text)).toEqual(["from line 3", "from line 28"])
})

it("shows a new file as added, and an equal one as nothing", () => {
  expect(diffCount(hunksBetween("", "a\nb\n"))).toEqual({ added: 2, removed: 0 })
  expect(hunksBetween("same", "same")).toEqual([])
})

const call = (tool: string, input: object, metadata: object = {}) => ({
  id: "prt_1",
  messageID: "msg_1",
  type: "tool",
  tool,
  state: { status: "completed" as const, input: { ...input }, metadata: { ...metadata } },
})

it("uses the patch that the tool reported", () => {
  const structuredPatch = [{ oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ["-a", "+b"] }]
  const input = { file_path: "/a.txt", old_string: "a", new_string: "b" }
  expect(fileChange(call("edit", input, { tool_use_result: { structuredPatch } }))).toMatchObject({
    hunks: structuredPatch,
    hasLines: true,
  })
  expect(fileChange(call("edit", input))).toMatchObject({
    hasLines: false,
    hunks: [{ lines: ["-a", "+b"] }],
  })
})

it("shows what a Write replaces, and no change for other calls", () => {
  const result = { tool_use_result: { type: "create", structuredPatch: [], originalFile: null } }
  expect(fileChange(call("write", { file_path: "/a.txt", content: "x\n" }, result))).toMatchObject({ isNew: true })
  expect(fileChange(call("read", { file_path: "/a.txt" }))).toBeNull()
})

it("truncates a text to its first or last lines", () => {
  const text = Array.from({ length: 100 }, (_, n) => String(n)).join("\n")
  expect(cutText(text).text.endsWith("\n29")).toBe(true)
  expect(cutText(text, {}, true).text.startsWith("70\n")).toBe(true)
  expect(cutText("short")).toEqual({ text: "short", isWhole: true, lines: 1, size: null })
  expect(cutText("x".repeat(10_000)).text.length).toBe(4000)
})
