// Completions while a prompt is typed.
import { expect, test } from "vitest"
import { complete, matching, type Suggestion, tokenAt } from "../../../src/console/compose/completions.ts"

const items = (...names: ReadonlyArray<string>): ReadonlyArray<Suggestion> =>
  names.map((insert) => ({ insert, detail: "", hint: "" }))

test("a command is completed only at the start of the prompt", () => {
  expect(tokenAt("/comp", 5)).toEqual({ kind: "command", from: 0, to: 5, query: "comp" })
  expect(tokenAt("/", 1)).toMatchObject({ kind: "command", query: "" })
  expect(tokenAt("do /comp", 8)).toBeNull()
  expect(tokenAt("/compact now", 12)).toBeNull()
})

test("a mention is completed after a space, at the caret", () => {
  expect(tokenAt("read @src/a and", 11)).toEqual({ kind: "mention", from: 5, to: 11, query: "src/a" })
  expect(tokenAt("line\n@n", 7)).toMatchObject({ kind: "mention", from: 5 })
  expect(tokenAt("mail a@b", 8)).toBeNull()
  expect(tokenAt("@a b", 4)).toBeNull()
})

test("paths that start with the query rank above file names, and those above the rest", () => {
  const all = items("@docs/a-note.md", "@notes.txt", "@src/notes.ts", "@other")
  expect(matching(all, "NOT").map(({ insert }) => insert)).toEqual(["@notes.txt", "@src/notes.ts", "@docs/a-note.md"])
  expect(matching(items(...Array.from({ length: 30 }, (_, index) => `@f${index}`)), "")).toHaveLength(10)
})

test("a suggestion replaces the word, and the caret is placed after it", () => {
  const token = tokenAt("read @no now", 8)
  expect(token && complete("read @no now", token, items("@notes.txt")[0]!)).toEqual({
    text: "read @notes.txt now",
    caret: 16,
  })
  const open = tokenAt("@s", 2)
  expect(open && complete("@s", open, items("@src/")[0]!)).toEqual({ text: "@src/", caret: 5 })
  const command = tokenAt("/c", 2)
  expect(command && complete("/c", command, items("/compact")[0]!)).toEqual({ text: "/compact ", caret: 9 })
})
