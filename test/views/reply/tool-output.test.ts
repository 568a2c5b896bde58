// What channels are sent of calls: sanitized results, errors, subjects, and what the gates let through.
import { describe, expect, it } from "vitest"
import {
  errorMessage,
  isErrorOutput,
  metaOf,
  resultText,
  sanitizedResult,
  toolReply,
} from "../../../src/views/reply/tool-output.ts"

const resultOf = (text: string) => sanitizedResult(text)

describe("a result", () => {
  it("keeps a text of 8000 characters, and truncates a longer one, never within a character", () => {
    expect(resultText(resultOf("x".repeat(8000)))).toBe("x".repeat(8000))
    expect(resultText(resultOf("x".repeat(8001)))).toBe(`${"x".repeat(8000)}\n…(truncated)…`)
    expect(resultText(resultOf(`${"x".repeat(7999)}😀😀`))).toBe(`${"x".repeat(7999)}\n…(truncated)…`)
  })

  it("replaces an image's data with its size, and keeps other blocks", () => {
    const link = { type: "resource_link", uri: "https://a.com" }
    expect(sanitizedResult([{ type: "image", data: "AAAAAA", mimeType: "image/png" }, link])).toEqual({
      content: [{ type: "image", mimeType: "image/png", bytes: 6, omitted: true }, link],
    })
    expect(sanitizedResult(undefined)).toEqual({ content: [] })
  })

  it.each([
    ["Not found\nat line 2", "Not found"],
    ["x".repeat(401), `${"x".repeat(400)}…`],
    ['{"error":"no such channel"}', "no such channel"],
    ['{"error":{"message":"no such channel"}}', "no such channel"],
    ['{"reason":"late"}', "late"],
    ["{not json", "{not json"],
    ["  \n ", undefined],
  ])("the error of %j is %j", (text, message) => {
    expect(errorMessage(resultOf(text))).toBe(message)
  })

  it.each([
    [{ status: "error" }, true],
    [{ status: " Timeout " }, true],
    [{ status: "ok" }, false],
    [{ status: 500 }, false],
    ["error", false],
    [undefined, false],
  ])("an output of %j is an error: %j", (output, isError) => {
    expect(isErrorOutput(output)).toBe(isError)
  })
})

describe("a call", () => {
  it.each([
    [{ file_path: "/a.txt", old_string: "x" }, "/a.txt"],
    [{ command: "ls\n  -la", description: "lists" }, "ls -la"],
    [{ query: "x".repeat(300) }, `${"x".repeat(200)}…`],
    [{ path: " ", pattern: "*.ts" }, "*.ts"],
    [{ count: 3 }, undefined],
  ])("%j is about %j", (input, meta) => {
    expect(metaOf(input)).toBe(meta)
  })

  const call = { name: "mcp__draw__chart", meta: "a", isError: false }
  const media = "MEDIA: https://cdn.acme.com/a.png"

  it.each([
    ["nothing of its text without gates", call, "done", { result: false, output: false }, null],
    ["its subject", call, "done", { result: true, output: false }, { text: "🛠️ mcp__draw__chart: a" }],
    [
      "its output, which can't end its fence",
      call,
      "a\n```\nb",
      { result: false, output: true },
      { text: "🛠️ mcp__draw__chart: a\n````txt\na\n```\nb\n````" },
    ],
    [
      "its subject where it has no output",
      call,
      "",
      { result: false, output: true },
      { text: "🛠️ mcp__draw__chart: a" },
    ],
    [
      "the media of a server's tool",
      call,
      `[[audio_as_voice]]\n${media}`,
      { result: false, output: false },
      { mediaUrls: ["https://cdn.acme.com/a.png"], audioAsVoice: true },
    ],
    ["none of a failed call", { ...call, isError: true }, media, { result: false, output: false }, null],
    ["none of a tool that reads", { ...call, name: "Read" }, media, { result: false, output: false }, null],
    ["no local file", call, "MEDIA: /workspace/.env", { result: false, output: false }, null],
  ] as const)("sends %s", (_rule, one, output, gates, sent) => {
    expect(toolReply(one, output, gates)).toEqual(sent)
  })
})
