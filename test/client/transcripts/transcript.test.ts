// What local transcripts contain for a prompt: its message, and its text for the SDK's lists of sessions.
import { expect, it } from "vitest"
import { Transcript } from "../../../src/client/transcripts/transcript.ts"

const sessionId = "5e551017-0000-7000-8000-000000000001"
const transcript = () => new Transcript({ sessionId, cwd: "/workspace", leaf: null, now: () => 0 })
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
