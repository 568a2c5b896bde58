// Which texts of skills the memory of a project knows, also after it was stored.
import { expect, it } from "vitest"
import { ProjectMemory } from "../../../src/agent/transcript/project-memory.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"

const message = (text: string, isSynthetic = true) =>
  ({
    name: "sdk:user",
    payload: { message: { content: [{ type: "text", text }] }, isSynthetic },
  }) as unknown as LogEvent

const loaded = (text: string): ProjectMemory => {
  const memory = new ProjectMemory()
  memory.usedSkill({ success: true, commandName: "greet" }, null, { skill: "greet" })
  memory.apply(message("A prompt of the user.", false))
  memory.apply(message(text))
  memory.apply(message("Another text."))
  return memory
}

it("a skill's text is the message after the call, and is known until the conversation restarts", () => {
  const memory = loaded("Hello.")
  const stored = new ProjectMemory()
  stored.take(memory.save())
  for (const one of [memory, stored]) {
    expect(one.hasLoaded("greet", "Hello.")).toBe(true)
    expect(one.hasLoaded("greet", "Another text.")).toBe(false)
    expect(one.hasLoaded("other", "Hello.")).toBe(false)
  }
  // No other field of these events is read.
  stored.apply({ name: "conversation:restarted", payload: { cause: "compact" } } as unknown as LogEvent)
  expect(stored.hasLoaded("greet", "Hello.")).toBe(false)
})
