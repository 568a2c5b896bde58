// Which texts of skills the memory of a project knows, also after it was stored.
import { expect, it } from "vitest"
import { ProjectMemory } from "../../../src/agent/transcript/project-memory.ts"
import type { LogEvent } from "../../../src/schemas/log/events.ts"
import { alreadyLoaded, loadedAgain } from "../../../src/tools/skills/skill.ts"

const blocks = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ type: "text", text }))

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
    expect(one.textsLoading("greet", "Hello.")).toEqual([alreadyLoaded("greet")])
    expect(one.textsLoading("greet", "Another text.")).toEqual([loadedAgain("greet"), "Another text."])
    expect(one.textsLoading("other", "Hello.")).toEqual(["Hello."])
  }
  // No other field of these events is read.
  stored.apply({ name: "conversation:restarted", payload: { cause: "compact" } } as unknown as LogEvent)
  expect(stored.textsLoading("greet", "Hello.")).toEqual(["Hello."])
})

it.each([
  ["session:changed", { reopened: true }, ["Hello."]],
  ["session:changed", { title: "x" }, [alreadyLoaded("greet")]],
  ["session:forked", { parent: "p", through: 1 }, ["Hello."]],
] as const)("after %s with %j a skill's text is loaded as %j", (name, payload, texts) => {
  const memory = loaded("Hello.")
  // No other field of these events is read.
  memory.apply({ name, payload } as unknown as LogEvent)
  expect(memory.textsLoading("greet", "Hello.")).toEqual(texts)
})

it("the note before another text of a skill is not the skill's text", () => {
  const memory = loaded("Hello.")
  memory.usedSkill({ success: true, commandName: "greet" }, null, { skill: "greet" })
  memory.apply(message(loadedAgain("greet")))
  memory.apply(message("Hello Bob."))
  expect(memory.textsLoading("greet", "Hello Bob.")).toEqual([alreadyLoaded("greet")])
})

const commandEvent = (name: "command:invoked" | "command:expanded", payload: object) =>
  // Only these fields are read.
  ({ name, payload }) as unknown as LogEvent
const invoked = (name: string, more: object = {}) =>
  commandEvent("command:invoked", { name, arguments: "", source: "skill", ...more })
const expanded = (...texts: ReadonlyArray<string>) => commandEvent("command:expanded", { prompt: blocks(...texts) })

it.each([
  ["at once", [invoked("greet", { prompt: blocks("Echo.", "Hello.") })]],
  ["once its scripts have run", [invoked("greet"), expanded("Echo.", "Hello.")]],
])("a skill that a person calls is loaded %s", (_when, events) => {
  const memory = new ProjectMemory()
  for (const event of events) memory.apply(event)
  expect(memory.textsLoading("greet", "Hello.")).toEqual([alreadyLoaded("greet")])
})

it("a skill whose scripts were refused is not loaded by the text of another command or by a message of the loop", () => {
  const memory = new ProjectMemory()
  memory.apply(invoked("greet"))
  memory.apply(message("Go on."))
  memory.apply(invoked("other", { source: "project" }))
  memory.apply(expanded("Other."))
  expect(memory.textsLoading("greet", "Hello.")).toEqual(["Hello."])
})
