import { expect, it } from "vitest"
import { glossaryEntry, joined } from "../../../src/schemas/glossary/glossary.ts"

it("a field has the description of its shape's entry, else that of its name", () => {
  const glossary = joined({ key: ["A key."] }, { "Door.key": ["Opens the door."] })
  expect(glossaryEntry(glossary, "Door", "key")).toEqual(["Opens the door."])
  expect(glossaryEntry(glossary, "Chest", "key")).toEqual(["A key."])
  expect(glossaryEntry(glossary, "Chest", "toString")).toBeUndefined()
})

it("a name that two glossaries describe is an error that names it", () => {
  expect(() => joined({ key: ["A key."] }, { key: ["The API key."] })).toThrow(
    "key has two descriptions. Give one of them the name Shape.key.",
  )
})
