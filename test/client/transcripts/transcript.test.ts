// What local transcripts contain for a prompt: its message, and its text for the SDK's lists of sessions.
import { expect, it } from "vitest"
import { Transcript } from "../../../src/client/transcripts/transcript.ts"

const sessionId = "5e551017-0000-7000-8000-000000000001"
const transcript = () => new Transcript({ sessionId, cwd: "/workspace", uuids: [], now: () => 0 })
const prompt = (content: unknown, more: object = {}) =>
  JSON.stringify({ type: "user", message: { role: "user", content }, uuid: "u1", ...more })

it.each([
  ["a text", "one\n  two ", "one two"],
  ["blocks", [{ type: "image" }, { type: "text", text: "first" }, { type: "text", text: "second" }], "first"],
  ["a long text", "x".repeat(201), `${"x".repeat(200)}…`],
])("a prompt with %s is followed by what lists of sessions show", (_, content, lastPrompt) => {
  const entries = transcript().sent(prompt(content))
  expect(entries).toMatchObject([
    { type: "user", uuid: "u1", parentUuid: null },
    { type: "last-prompt", lastPrompt, leafUuid: "u1", sessionId },
  ])
})

it("the entry after it continues the chain of messages", () => {
  const written = transcript()
  written.sent(prompt("one"))
  expect(written.sent(prompt("two", { uuid: "u2" }))[0]).toMatchObject({ uuid: "u2", parentUuid: "u1" })
})

it.each([
  ["without text", prompt([{ type: "image" }])],
  ["of blanks", prompt(" \n")],
  ["that the app made up", prompt("context", { isSynthetic: true })],
])("nothing is shown for a prompt %s", (_, line) => {
  expect(transcript().sent(line)).toHaveLength(1)
})

const answered = (uuid: string, more: object = {}) =>
  JSON.stringify({ type: "assistant", message: { role: "assistant", content: [] }, uuid, ...more })
const summary = JSON.stringify({ type: "user", message: { role: "user", content: "S" }, uuid: "s", isSynthetic: true })
const boundary = (uuids: ReadonlyArray<string>) =>
  JSON.stringify({
    type: "system",
    subtype: "compact_boundary",
    uuid: "b",
    compact_metadata: { trigger: "manual", pre_tokens: 9, preserved_messages: { anchor_uuid: "s", uuids } },
  })

it("a prompt that the app made up is for the model alone", () => {
  expect(transcript().sent(prompt("context", { isSynthetic: true }))).toMatchObject([{ isMeta: true }])
})

it.each(["/compact", "/compact and more", "/clear", "/context"])("lists of sessions do not show %s", (command) => {
  expect(transcript().sent(prompt(command))).toHaveLength(1)
})

it("a compaction begins the chain again: its boundary, the summary, and messages that it kept", () => {
  const written = transcript()
  written.sent(prompt("one"))
  written.passed(answered("a1"))
  written.sent(prompt("/compact", { uuid: "u2" }))
  const preservedMessages = { anchorUuid: "s", uuids: ["a1"] }
  expect(written.passed(boundary(["unknown", "a1"]))).toMatchObject([
    { uuid: "b", parentUuid: null, logicalParentUuid: "u2", compactMetadata: { preTokens: 9, preservedMessages } },
  ])
  expect(written.passed(summary)).toMatchObject([{ uuid: "s", parentUuid: "b", isCompactSummary: true }])
  expect(written.sent(prompt("two", { uuid: "u3" }))[0]).toMatchObject({ parentUuid: "s" })
})

it("a prompt that caused a compaction comes after its summary", () => {
  const written = transcript()
  written.sent(prompt("one"))
  written.passed(answered("a1"))
  written.passed(JSON.stringify({ type: "result" }))
  written.sent(prompt("two", { uuid: "u2" }))
  expect(written.passed(boundary(["u2"]))[0]).not.toHaveProperty("compactMetadata.preservedMessages")
  expect(written.passed(summary)).toMatchObject([{ uuid: "s" }, { uuid: "u2", parentUuid: "s" }])
  expect(written.passed(answered("a2"))).toMatchObject([{ parentUuid: "u2" }])
})

it("/clear begins the chain again, with the prompts that wait behind it", () => {
  const written = transcript()
  written.sent(prompt("one"))
  written.passed(answered("a1"))
  written.passed(JSON.stringify({ type: "result" }))
  written.sent(prompt("/clear", { uuid: "u2" }))
  written.sent(prompt("three", { uuid: "u3" }))
  const [cleared, waiting] = written.passed(JSON.stringify({ type: "conversation_reset" }))
  expect(cleared).toMatchObject({ type: "user", parentUuid: null })
  expect(waiting).toMatchObject({ uuid: "u3", parentUuid: cleared?.["uuid"] })
})
