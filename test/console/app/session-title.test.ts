// The displayed name of a session without a title.
import { signal } from "@preact/signals"
import fs from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { firstPrompt, sessionTitle } from "../../../src/console/app/session-title.ts"
import { Conversation } from "../../../src/console/store/conversation.ts"
import type { Frame } from "../../../src/console/store/frames.ts"

const GOLDEN = path.join(import.meta.dirname, "../../views/golden/parts.jsonl")

const conversation = (): Conversation => {
  const made = new Conversation()
  for (const line of fs.readFileSync(GOLDEN, "utf8").trim().split("\n"))
    made.apply((JSON.parse(line) as { readonly data: Frame }).data) // the recorder wrote it
  return made
}

it("the title, else the first line of the first prompt, else the end of the id", () => {
  const id = "0190a000-0000-7000-8000-000000abcdef"
  expect(sessionTitle({ id, title: "Notes", first_prompt: "Name the birds." })).toBe("Notes")
  expect(sessionTitle({ id, title: null, first_prompt: " Name the birds.\nAll of them." })).toBe("Name the birds.")
  expect(sessionTitle({ id, title: " ", first_prompt: " " })).toBe("Untitled abcdef")
  expect(sessionTitle({ id, title: null })).toBe("Untitled abcdef")
})

it("characters that reverse the direction of a name or are invisible are shown by their code points", () => {
  const id = "0190a000-0000-7000-8000-000000abcdef"
  expect(sessionTitle({ id, title: "\u202Egnp.exe", first_prompt: null })).toBe("⟨U+202E⟩gnp.exe")
  expect(sessionTitle({ id, title: null, first_prompt: "a\u2066b\u200B" })).toBe("a⟨U+2066⟩b⟨U+200B⟩")
  expect(sessionTitle({ id, title: "שלום עולם", first_prompt: null })).toBe("שלום עולם")
})

it("the first prompt is known once the conversation's start has been read", () => {
  const olderCursor = signal<string | null>("older")
  const store = { conversation: conversation(), olderCursor }
  expect(firstPrompt(store)).toBe("")
  olderCursor.value = null
  expect(firstPrompt(store)).toContain("Write a greeting for the first of the names.")
  expect(firstPrompt({ conversation: new Conversation(), olderCursor })).toBe("")
})
